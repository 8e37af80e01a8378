"""Cumulative sums and products."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import verify_grad
from relgraph.tensor.along_axes.cumulative import Cumulate, cumprod, cumsum


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_cumulative_sums_and_products(against_numpy, axis, dtype):
    x = np.array([[1, 2, 3], [4, 5, 6]]).astype(dtype)
    against_numpy(lambda v: cumsum(v, axis), lambda v: np.cumsum(v, axis), x)
    against_numpy(lambda v: cumprod(v, axis), lambda v: np.cumprod(v, axis), x)
    if dtype == "float64":
        verify_grad(lambda v: cumsum(v, axis), [x])
        verify_grad(lambda v: cumprod(v, axis), [x])


def test_errors():
    with pytest.raises(TypeError, match="neither add nor mul"):
        Cumulate(at.maximum.scalar_op, 0)
    with pytest.raises(ValueError, match="cumsum: axis 2"):
        cumsum(at.dmatrix(), 2)
