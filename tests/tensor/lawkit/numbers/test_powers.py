"""Constant exponents."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit import numbers as powers


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        (powers.is_even, [0.0, 2.0, -4.0], [1.0, 0.5, np.inf]),
        (powers.is_odd, [1.0, -3.0], [2.0, 0.5, -0.9999999999999999]),
        (powers.is_small_whole, [3.0, -64.0], [0.5, 65.0, np.nan]),
    ],
)
def test_numbers(guard, yes, no):
    assert all(guard(const(value)) for value in yes)
    assert not any(guard(const(value)) for value in no)
    assert not guard(at.dvector())


def test_exponents_of_integers_must_fit():
    assert powers.exponents_multiply(const(2.0), const(-3.0))
    assert not powers.exponents_multiply(const(2.0), const(0.5))
    assert powers.exponents_multiply(const(5, "int8"), const(25, "int8"))
    assert not powers.exponents_multiply(const(16, "int8"), const(16, "int8"))
    assert powers.exponent_doubles(const(60, "int8"))
    assert not powers.exponent_doubles(const(64, "int8"))
    assert powers.half_of(const(3.0)).data == 1.5
    assert powers.half_of(const(2.0**-1074)) is None
    assert powers.twice(const(3, "int8")).type.dtype == "int8"
