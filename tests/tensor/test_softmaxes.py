"""Softmax and its relatives."""

import numpy as np
import pytest
from mpmath import mp

import relgraph.tensor as at
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.softmaxes import LogSumExp, Softmax


def test_second_derivative():
    x = np.random.default_rng(2).normal(size=4)
    verify_grad(lambda v: grad(at.sum(at.softmax(v) ** 2), v), [x])
    verify_grad(lambda v: grad(at.sum(at.log_softmax(v) ** 2), v), [x])


def test_extremes():
    v = at.dvector()
    low = np.array([-np.inf, 0.0, -np.inf])
    found = evaluate([at.softmax(v), at.log_softmax(v), at.logsumexp(v)], {v: low})
    np.testing.assert_array_equal(found[0], [0, 1, 0])
    np.testing.assert_array_equal(found[1], [-np.inf, 0, -np.inf])
    assert found[2] == 0
    (found_inf,) = evaluate([at.logsumexp(v)], {v: np.array([np.inf, 1.0])})
    assert found_inf == np.inf
    assert evaluate([at.softmax(v)], {v: np.ones(0)})[0].shape == (0,)


def test_logsumexp_is_one_op():
    m = at.dmatrix("m")
    assert at.logsumexp(m, axis=-1).owner.op is LogSumExp(1)
    assert at.logsumexp(m).owner.op is LogSumExp(None)
    assert at.logsumexp(m, axis=0, keepdims=True).type.shape == (1, None)
    assert at.logsumexp(at.fmatrix()).type.dtype == "float32"
    assert str(at.logsumexp(m, axis=0).owner.op) == "logsumexp{axis=0}"


def test_types():
    assert at.softmax(at.lvector()).type.dtype == "float64"
    assert at.softmax(at.dmatrix()).owner.op is at.softmax(at.dmatrix(), -1).owner.op is Softmax(1)
    assert at.softmax(at.dvector()).owner.op is Softmax(None)


@pytest.mark.parametrize(
    ("index", "axis"),
    [((0,), 0), ((slice(None), 2), 1), ((slice(None), -1), -1), ((1, 2), None)],
)
def test_the_slope_of_one_share_has_all_digits(index, axis):
    x = at.dmatrix("x")
    point = np.array([[40.0, 0.0, 1.0], [0.5, 80.0, 100.0]])
    weights = np.arange(1.0, 1.0 + point[index].size).reshape(point[index].shape)
    (found,) = evaluate([grad(at.sum(at.softmax(x, axis)[index] * weights), x)], {x: point})
    with mp.workprec(400):
        shares = np.vectorize(lambda v: mp.exp(mp.mpf(v)))(point)
        shares = shares / np.sum(shares, axis=axis, keepdims=True)
        g = np.zeros(point.shape, object)
        g[index] = weights
        true = shares * (g - np.sum(shares * g, axis=axis, keepdims=True))
    np.testing.assert_allclose(found, true.astype(float), rtol=1e-13)


def test_the_slope_of_several_shares_is_that_of_any():
    x = at.dmatrix("x")
    point = np.random.default_rng(2).normal(size=(2, 3))
    for index in (slice(0, 1), (slice(None), slice(0, 2)), 0):
        verify_grad(lambda v, index=index: at.softmax(v, 1)[index], [point])
    verify_grad(lambda v: at.softmax(v, (0, 1))[0], [point])
    (found,) = evaluate([grad(at.softmax(x, 1)[0, 0], x)], {x: np.ones((1, 1))})
    assert found == 0
