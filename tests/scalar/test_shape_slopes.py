"""Derivatives of incomplete gamma and beta functions by their shapes, beside Arb's differences."""

import numpy as np
import pytest
from flint import arb, ctx

from relgraph.gradient import verify_grad
from relgraph.scalar.shape_slopes import beta_slope, gamma_slope
from relgraph.tensor import special

SHAPES = (0.01, 0.3, 1.0, 2.5, 40.0)


@pytest.fixture(autouse=True)
def bits():
    before, ctx.prec = ctx.prec, 700
    yield
    ctx.prec = before


def _slope(function, point):
    """Return a difference with an error that is less than that of a float."""
    step = arb(2) ** -150
    found = (function(arb(point) + step) - function(arb(point) - step)) / (2 * step)
    return float(found) if found.is_finite() and found.rel_accuracy_bits() > 60 else None


@pytest.mark.parametrize("x", [1e-10, 0.1, 0.9, 1.5, 12.0, 60.0])
@pytest.mark.parametrize("a", SHAPES)
def test_gamma(a, x):
    true = _slope(lambda shape: arb(x).gamma_lower(shape, regularized=1), a)
    if true is not None:
        assert gamma_slope(a, x) == pytest.approx(true, rel=1e-9)


@pytest.mark.parametrize("x", [1e-12, 0.01, 0.5, 0.8, 1 - 1e-9])
@pytest.mark.parametrize("b", SHAPES)
@pytest.mark.parametrize("a", SHAPES)
def test_beta(a, b, x):
    first = _slope(lambda shape: arb(x).beta_lower(shape, b, regularized=True), a)
    second = _slope(lambda shape: arb(x).beta_lower(a, shape, regularized=True), b)
    if first is not None:
        assert beta_slope(a, b, x) == pytest.approx(first, rel=1e-9)
    if second is not None:
        assert beta_slope(a, b, x, True) == pytest.approx(second, rel=1e-9)


def test_ends_and_what_is_not_defined():
    assert gamma_slope([2.0, 2.0], [0.0, np.inf]).tolist() == [0.0, 0.0]
    assert beta_slope(2.0, 3.0, [0.0, 1.0]).tolist() == [0.0, 0.0]
    assert np.isnan(gamma_slope([-1.0, 2.0], [1.0, -1.0])).all()
    assert np.isnan(beta_slope(2.0, [-1.0, 1.0], [0.5, 1.5])).all()
    assert np.isnan(gamma_slope(np.nan, 1.0))


@pytest.mark.parametrize("name", ["gammainc", "gammaincc", "gammaincinv", "gammainccinv"])
def test_functions_of_one_shape(name):
    function = getattr(special, name)
    verify_grad(function, [np.array([2.5, 0.7]), np.array([0.3, 0.6])])


@pytest.mark.parametrize("name", ["betainc", "betaincc", "betaincinv", "betainccinv"])
def test_functions_of_two_shapes(name):
    function = getattr(special, name)
    verify_grad(function, [np.array([2.5, 0.7]), np.array([0.9, 3.0]), np.array([0.3, 0.6])])
