"""Warnings of NumPy: a program raises none, and leaves the caller's settings as they are."""

import warnings

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.vm.codegen import turn_back, turn_off

x, s, n = at.dvector("x"), at.dscalar("s"), at.lvector("n")
QUIET = {
    "float operators": ([s], s * s * 1e300 - s, (1e200,)),
    "float division": ([s], s / (s - s), (1.0,)),
    "overflow of exp": ([x], at.exp(x), ([1e5],)),
    "nan": ([x], at.log(x) + at.sqrt(x), ([-1.0],)),
    "minus infinity": ([x], x - x, ([np.inf],)),
    "predicates of nan": ([x], (x > 0) & at.eq(x, x), ([np.nan],)),
    "extremes of nan": ([x], at.maximum(x, -x) + at.max(x), ([np.nan],)),
    "integers that wrap around": ([n], n * n + n, ([2**62],)),
    "a division of integers by zero": ([n], n // (n - n), ([3],)),
    "a product": ([x], at.dot(x, x), ([1e200],)),
    "a sum": ([x], at.sum(x) + at.prod(x), ([1.7e308, 1.7e308],)),
    "a cast": ([x], at.cast(x, "int32"), ([1e300],)),
}


@pytest.mark.parametrize("mode", ["fast_run", Mode("vm", None)], ids=str)
@pytest.mark.parametrize("name", QUIET)
def test_no_warning_and_no_error_whatever_the_caller_set(name, mode):
    inputs, out, values = QUIET[name]
    f = function(inputs, out, mode=mode)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(*values)
        assert set(np.geterr().values()) == {"raise"}
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        np.exp(np.array([1e5]))


def test_settings_come_back_after_an_error():
    y = at.dvector("y")
    f = function([x, y], at.exp(x) + y, mode=Mode("vm", None))
    with np.errstate(over="raise", invalid="call"):
        before = np.geterr()
        with pytest.raises(ValueError, match="axis 0"):
            f([1.0], [1.0, 2.0])
        assert np.geterr() == before


def test_turning_off_nests():
    before = np.geterr()
    outer = turn_off()
    inner = turn_off()
    assert set(np.geterr().values()) == {"ignore"}
    turn_back(inner)
    assert set(np.geterr().values()) == {"ignore"}
    turn_back(outer)
    assert np.geterr() == before
