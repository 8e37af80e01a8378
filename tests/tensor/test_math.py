"""The functions of relgraph.tensor.math beyond the plain ops, their names, and logic terms."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.compile import Mode, function
from relgraph.gradient import Rop, grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.basic import Assert, assert_


def value(f: Any, *arrays: Any) -> Any:
    xs = [at.tensor(a.dtype, a.shape) for a in arrays]
    out = f(*xs)
    (result,) = evaluate([out], dict(zip(xs, arrays, strict=True)))
    return result


def test_cast() -> None:
    x = at.dvector("x")
    assert at.cast(x, "float64") is x
    assert at.cast(x, np.int8).type.dtype == "int8"
    assert at.cast(2, "float32").type.dtype == "float32"
    assert value(lambda v: at.cast(v, "bool"), np.array([0.0, np.nan, 2.0])).tolist() == [0, 1, 1]


@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_decimals(decimals: int, dtype: str) -> None:
    x = (np.random.default_rng(1).normal(size=50) * 300).astype(dtype)
    x[:4] = 250, -150, 25, 35
    found = value(lambda v: at.round(v, decimals=decimals), x)
    expected = np.round(x, decimals)
    assert found.dtype == expected.dtype and np.array_equal(found, expected)
    assert np.array_equal(value(lambda v: v.round(decimals), x), expected)


@pytest.mark.parametrize(
    ("name", "of"),
    [("gammainc", "special"), ("erfcx", "special"), ("vecdot", "linalg")],
)
def test_functions_of_modules_are_there_too(name: str, of: str) -> None:
    assert getattr(at, name) is getattr(getattr(at, of), name)


def test_other_names() -> None:
    assert at.amax is at.max and at.permute_dims is at.transpose and at.expit is at.sigmoid


def test_logic_terms_pass() -> None:
    x, y, d = lvars("x y d")
    for term in (
        at.exp(x), x + y * 2, 2 - x, at.add(x, at.dvector("v")), at.switch(x, y, 0),
        at.clip(x, 0, 1), at.cast(x, "int8"), at.cast(x, d), at.where(x, y, y), at.isclose(x, y),
        at.logical_and(x, y), at.isfinite(x), at.deg2rad(x), at.second(x, 0), at.dot(x, y),
        at.sum(x, axis=d), -x, x < y,
    ):  # fmt: skip
        assert isinstance(term, LogicTerm)


# The binary op behind `dot`.


def test_complex_gradient():
    x, y = at.zvector(), at.zvector()
    a, b = np.array([1 + 2j, 3j]), np.array([2 - 1j, 1 + 1j])
    (found,) = evaluate([grad(at.real(at.dot(x, y)), x)], {x: a, y: b})
    np.testing.assert_allclose(found, np.conj(b))


@pytest.mark.parametrize("lie", [np.asfortranarray, lambda v: np.broadcast_to(v[:1], v.shape)])
@pytest.mark.parametrize("mode", [None, "strict", "fast_run"])
def test_integers_beside_floats_are_multiplied_alike_however_they_lie(lie, mode):
    rng = np.random.default_rng(5)
    x, y = at.dmatrix(), at.TensorType("uint8", (None, None))()
    left, right = rng.normal(size=(1, 7)), lie(rng.integers(0, 9, (7, 5)).astype("uint8"))
    (found,) = function([x, y], [at.dot(x, y)], mode=mode)(left, right)
    assert found.tobytes() == np.dot(left, np.ascontiguousarray(right)).tobytes()


# Assert: its checks, its gradient, its shape.

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
