"""Special functions: what is not said of all ops elsewhere."""

import math

import numpy as np
import pytest
from mpmath import mp

import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MethodNotDefined


def test_logaddexp_of_any_number_of_arguments() -> None:
    x, y, z = (scalar.float64(name) for name in "xyz")
    values = {x: 800.0, y: 799.0, z: -math.inf}
    assert evaluate([scalar.logaddexp(x)], values)[0] == 800
    for out in (scalar.logaddexp(x, y), scalar.logaddexp(x, y, z), scalar.logaddexp(z, y, x)):
        np.testing.assert_allclose(evaluate([out], values)[0], 800 + math.log1p(math.exp(-1)))


def test_logaddexp_of_integers_is_a_float() -> None:
    i, j, k = (scalar.int8(name) for name in "ijk")
    out = scalar.logaddexp(i, j, k)
    assert out.type.dtype == np.logaddexp(np.int8(1), np.int8(1)).dtype
    expected = math.log(math.exp(1) + math.exp(2) + math.exp(3))
    np.testing.assert_allclose(evaluate([out], {i: 1, j: 2, k: 3})[0], expected, rtol=1e-2)


def test_logaddexp_is_not_complex() -> None:
    with pytest.raises(TypeError, match="logaddexp is not defined for input 0 of dtype complex64"):
        scalar.logaddexp(scalar.complex64("z"), scalar.complex64("w"))


def test_the_gradient_of_logaddexp() -> None:
    rng = np.random.default_rng(0)
    verify_grad(at.logaddexp, [rng.normal(size=3), rng.normal(size=3)])
    verify_grad(at.logaddexp, [rng.normal(size=(2, 3)), rng.normal(size=3), rng.normal()])


def test_digamma_of_complex_numbers_says_that_it_has_no_gradient():
    z = at.zvector("z")
    with pytest.raises(MethodNotDefined, match="digamma has no gradient for complex numbers"):
        grad(at.sum(at.abs(at.digamma(z))), z)


def test_the_slope_of_log1mexp_at_zero():
    x = at.dvector("x")
    (found,) = evaluate([grad(at.sum(at.log1mexp(x)), x)], {x: [0.0, -0.0, -1e-300, -2.0]})
    np.testing.assert_allclose(found, [-np.inf, -np.inf, -1e300, -1 / math.expm1(2.0)])


def _log_product(y, z, *xs):
    with mp.workprec(4000):
        product = mp.exp(mp.mpf(y)) / mp.mpf(z)
        for x in xs:
            product *= mp.mpf(x)
        return float(mp.log(product)) if product > 0 else -np.inf if product == 0 else np.nan


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "values",
    [
        (0.5, 2.0, 3.0),
        (0.5, -2.0, -3.0, 4.0),
        (-2000.0, 1e-30, 2.0),
        (2000.0, -1e30, -2.0, 1e-30),
        (-1000.0, -1e-30, 2.0),
        (90.0, 1.0, 1e-38, 1e-5),
        (-3.0, 5.0),
        (700.0, 2.0, 0.0),
    ],
)
def test_logarithms_of_products(dtype, values):
    given = [np.array([v], dtype) for v in values]
    found = scalar.log_product.impl(*given)
    assert found.dtype == dtype
    expected = _log_product(*[float(v.item()) for v in given])
    np.testing.assert_allclose(found, [expected], rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("float64", (-709.782712893384, 1.0, 1.7976931348623157e308)),
        ("float64", (709.782712893384, 1.7976931348623157e308)),
        ("float64", (-1381.5510557964274, 1.0, -1e300, -1e300)),
        ("float64", (740.5, 1.0, 2.5e-322)),
        ("float32", (-88.72284, 1.0, 3.4028235e38)),
        ("float32", (138.15511, 1e30, 1e-30)),
        ("float16", (-11.086, 1.0, 65504.0)),
    ],
)
def test_logarithms_of_products_that_are_nearly_one(dtype, values):
    """They have the digits of the product, also where an exponential leaves the range."""
    given = [np.array([v], dtype) for v in values]
    expected = _log_product(*[float(v.item()) for v in given])
    found = scalar.log_product.impl(*given)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, [expected], rtol=0, atol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((-np.inf, 2.0, -3.0), -np.inf),
        ((-np.inf, 2.0, np.inf), np.nan),
        ((np.inf, 2.0, 3.0), np.inf),
        ((np.inf, 2.0, 0.0), np.nan),
        ((0.5, -0.0, 3.0), np.nan),
        ((0.5, 0.0, 3.0), np.inf),
        ((0.5, np.inf, 3.0), -np.inf),
        ((np.nan, 2.0, 3.0), np.nan),
        ((0.5, 2.0, np.nan), np.nan),
    ],
)
def test_logarithms_of_products_at_the_edges(values, expected):
    with np.errstate(all="ignore"):
        plain = np.log(np.exp(values[0]) * values[2] / values[1])
    np.testing.assert_array_equal(plain, expected)
    np.testing.assert_array_equal(scalar.log_product.impl(*values), expected)


def test_how_many_inputs_a_logarithm_of_a_product_takes():
    with pytest.raises(TypeError, match="log_product takes at least 2 inputs, not 1"):
        scalar.log_product(scalar.float64())
