"""Assert: its checks, its gradient, its shape."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import Rop, grad, verify_grad
from relgraph.tensor.basic import Assert, assert_

x, n = at.dvector("x"), at.lscalar("n")


@pytest.mark.parametrize("linker", ["py", "vm"])
def test_it_passes_its_input_on_if_all_conditions_hold(linker: str) -> None:
    f = function([x, n], assert_(x, n > 0, x > 1, message="too small"), Mode(linker))
    assert f([2.0, 3.0], 1).tolist() == [2, 3]
    with pytest.raises(AssertionError, match=r"too small: gt.0 does not hold.*assert\{too small\}"):
        f([2.0, 3.0], 0)
    with pytest.raises(AssertionError, match="too small"):
        f([2.0, 1.0], 1)
    assert f([], 1).size == 0


def test_what_it_takes() -> None:
    assert assert_(x, True).type is x.type
    assert Assert("a")(3, n).type.shape == ()
    assert Assert("a") is Assert("a") and str(Assert("a")) == "assert{a}"
    with pytest.raises(TypeError, match="at least one condition"):
        Assert()(x)
    with pytest.raises(TypeError, match="the message is a string"):
        Assert(x)  # type: ignore[arg-type]


def test_gradient_and_shape() -> None:
    out = assert_(x, x > 0, n)
    g = grad(at.sum(at.sqr(out)), x)
    np.testing.assert_allclose(function([x, n], g)([1.0, 2.0], 1), [2, 4])
    point = [np.array([0.5, 1.5])]
    verify_grad(lambda v: at.exp(assert_(v, v > 0)), point, rng=np.random.default_rng(0))
    along = at.dvector("along")
    assert function([along], Rop(out, x, along))([5.0]).tolist() == [5]
    assert grad(at.sum(out), n, disconnected_inputs="ignore").eval() == 0
    length = function([x, n], out.shape[0])
    assert length([1.0, 1.0], 0) == 2, "a shape needs no check"


def test_a_false_constant_is_no_error_before_it_is_run() -> None:
    f = function([], assert_(at.constant(1.0), False, message="never"))
    with pytest.raises(AssertionError, match="never"):
        f()
