"""Cosines and covariances: their values, their slopes, and their edges."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import grad, verify_grad
from relgraph.tensor.norms import Cosine, Covariance

PLAIN = Mode("py", None)
RANDOM = np.random.default_rng(0)
A, B = RANDOM.normal(size=(2, 3, 4, 2))
AXES = [None, (0,), (1,), (0, 2), (0, 1, 2)]


def run(op, x, y):
    x, y = np.asarray(x), np.asarray(y)
    inputs = [at.tensor(v.dtype, (None,) * v.ndim) for v in (x, y)]
    return function(inputs, op(*inputs), mode=PLAIN)(x, y)


def cosine(x, y, axis):
    norms = np.sqrt(np.sum(x**2, axis=axis) * np.sum(y**2, axis=axis))
    return np.sum(x * y, axis=axis) / norms


def covariance(x, y, axis):
    mean_x, mean_y = (np.mean(v, axis=axis, keepdims=True) for v in (x, y))
    return np.mean((x - mean_x) * (y - mean_y), axis=axis)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize(("op", "plain"), [(Cosine, cosine), (Covariance, covariance)])
def test_values(op, plain, axis):
    np.testing.assert_allclose(run(op(axis), A, B), plain(A, B, axis), rtol=1e-12)


@pytest.mark.parametrize("axis", [None, (0,), (1,)], ids=str)
@pytest.mark.parametrize("op", [Cosine, Covariance])
def test_slopes(op, axis):
    verify_grad(op(axis), [A[:, :, 0], B[:, :, 0]])


@pytest.mark.parametrize("op", [Cosine, Covariance])
def test_wrong_inputs(op):
    with pytest.raises(TypeError, match=rf"{op.name}: the inputs, .* are not of one type"):
        op(None)(at.dvector(), at.fvector())
    with pytest.raises(TypeError, match=rf"{op.name}: .*not of real"):
        op(None)(at.lvector(), at.lvector())
    with pytest.raises(TypeError, match=rf"{op.name} takes 2 inputs, not 1"):
        op(None)(at.dvector())
    with pytest.raises(ValueError, match=rf"{op.name}: the inputs have the shapes"):
        run(op(None), np.ones(1), np.ones(3))


def test_cosines_at_the_ends():
    x, y = np.array([1e200, 2e200]), np.array([1e-200, 3e-200])
    assert run(Cosine(None), x, y) == pytest.approx(7 / np.sqrt(50), rel=1e-15)
    v, w = at.dvectors("v", "w")
    slope = function([v, w], grad(Cosine(None)(v, w), w), mode=PLAIN)(x, y)
    np.testing.assert_allclose(slope, [3 * np.sqrt(2) * 1e198, -np.sqrt(2) * 1e198], rtol=1e-13)
    for empty in (np.zeros(0), np.zeros(2)):
        assert np.isnan(run(Cosine(None), empty, empty))


def test_covariances_at_the_ends():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.3, 0.1, 0.9])
    assert run(Covariance(None), x + 1e8, y) == pytest.approx(covariance(x, y, None), rel=1e-12)
    # what the moments are where deviations are infinite
    huge = np.array([0.0, 1e308, -1e308])
    assert run(Covariance(None), huge, np.array([1e200, 0.0, 0.0])) == 0
    assert run(Covariance(None), np.array([np.inf, 0.0]), np.array([2.0, -3.0])) == np.inf
    assert np.isnan(run(Covariance(None), np.zeros(0), np.zeros(0)))
