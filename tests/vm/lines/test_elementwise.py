"""Conversions in programs."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function

LAYOUTS = {
    "number": lambda v: v[1],
    "vector": lambda v: v[::-1],
    "by columns": lambda v: np.asfortranarray(np.stack([v, v])),
}


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32"])
@pytest.mark.parametrize("wanted", ["int64", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_conversions(dtype, wanted, layout):
    value = np.asarray(LAYOUTS[layout](np.array([3, 1, 127]).astype(dtype)), dtype)
    x = at.tensor(dtype, (None,) * value.ndim)
    found, twice = function([x], [at.cast(x, wanted), at.cast(x, wanted) * 2])(value)
    expected = value.astype(wanted)
    assert found.dtype == expected.dtype and not np.shares_memory(found, value)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(twice, expected * 2)
