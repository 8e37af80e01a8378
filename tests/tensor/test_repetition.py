"""Running totals, and elements repeated."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import verify_grad
from relgraph.tensor.repetition import Cumulate, cumprod, cumsum, repeat


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_running_totals(against_numpy, axis, dtype):
    x = np.array([[1, 2, 3], [4, 5, 6]]).astype(dtype)
    against_numpy(lambda v: cumsum(v, axis), lambda v: np.cumsum(v, axis), x)
    against_numpy(lambda v: cumprod(v, axis), lambda v: np.cumprod(v, axis), x)
    if dtype == "float64":
        verify_grad(lambda v: cumsum(v, axis), [x])
        verify_grad(lambda v: cumprod(v, axis), [x])


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("times", [0, 1, 3])
def test_repeat(against_numpy, axis, times):
    x = np.array([[1.0, 2, 3], [4, 5, 6]])
    n = np.array(times)
    against_numpy(lambda v, n: repeat(v, n, axis), lambda v, n: np.repeat(v, n, axis), x, n)
    if times:
        against_numpy(lambda v: repeat(v, times, axis), lambda v: np.repeat(v, times, axis), x)
        verify_grad(lambda v: repeat(v, times, axis), [x])


def test_errors():
    with pytest.raises(ValueError, match="repeat: -1 times"):
        repeat(at.dvector(), -1)
    with pytest.raises(TypeError, match="neither add nor mul"):
        Cumulate(at.maximum.scalar_op, 0)
    with pytest.raises(ValueError, match="cumsum: axis 2"):
        cumsum(at.dmatrix(), 2)
