"""Special functions: what is not said of all ops elsewhere."""

import math

import numpy as np
import pytest

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
