"""The Euclidean norm: its values, its slope, and what it does to numbers at the ends of a dtype."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import grad, verify_grad
from relgraph.tensor.norms import Norm

PLAIN = Mode("py", None)


def norm(value, axis=None):
    value = np.asarray(value)
    x = at.tensor(value.dtype, (None,) * value.ndim)
    return function([x], Norm(axis)(x), mode=PLAIN)(value)


@pytest.mark.parametrize("axis", [None, (0,), (1,), (0, 2), (0, 1, 2)], ids=str)
def test_values_are_those_of_numpy(axis):
    value = np.random.default_rng(0).normal(size=(3, 4, 2))
    expected = np.sqrt(np.sum(value**2, axis=axis))
    found = norm(value, axis)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert found.shape == expected.shape


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nothing_over_or_underflows(dtype):
    limits = np.finfo(dtype)
    for scale in (limits.max / 16, limits.tiny * 16, limits.smallest_subnormal, 1):
        rows = np.array([[3, 4, 0], [8, 0, 6]], dtype) * np.asarray(scale, dtype)
        found = norm(rows, (1,))
        assert found.dtype == dtype
        assert found.tolist() == (np.array([5, 10], dtype) * np.asarray(scale, dtype)).tolist()


def test_rows_of_other_sizes_do_not_matter():
    found = norm([[3e200, 4e200], [3e-200, 4e-200], [3.0, 4.0]], (1,))
    np.testing.assert_allclose(found, [5e200, 5e-200, 5.0], rtol=1e-15)


def test_edges():
    assert norm([np.inf, 1.0]) == np.inf
    assert np.isnan(norm([np.inf, np.nan]))
    assert np.isnan(norm([np.nan, 0.0]))
    assert norm([0.0, -0.0]) == 0
    assert norm(np.zeros((0,))) == 0
    assert norm(np.zeros((0, 2)), (0,)).tolist() == [0, 0]
    assert norm(-3.0) == 3


def test_other_kinds_of_numbers_are_refused():
    with pytest.raises(TypeError, match=r"norm: the input is .*not of real"):
        Norm(None)(at.lvector())


@pytest.mark.parametrize("axis", [None, (0,), (1,)], ids=str)
def test_slope(axis):
    verify_grad(lambda x: Norm(axis)(x), [np.random.default_rng(1).normal(size=(3, 4))])


def test_slope_where_squares_overflow_and_at_the_origin():
    x = at.dmatrix("x")
    slope = function([x], grad(at.sum(Norm((1,))(x)), x), mode=PLAIN)
    found = slope(np.array([[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8], [0.0, 0.0]], rtol=1e-15)
