"""Sparse matrices of many kinds, as values to compute with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

SHAPES = ((5, 4), (1, 4), (5, 1), (0, 4), (5, 0))
DTYPES = ("float64", "float32", "int64", "int8", "uint8", "bool", "complex128", "complex64")


class Matrices:
    """Draws matrices and vectors of small numbers; half of the elements of matrices are zero."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)

    def dense(self, shape: Any, dtype: str = "float64") -> Any:
        """Return an array of numbers that are not zero, of at most 3."""
        numbers = self.random.integers(1, 4, shape)
        if np.dtype(dtype).kind in "ifc":
            numbers = numbers * self.random.choice([-1, 1], shape)
        found = numbers.astype(dtype)
        if np.dtype(dtype).kind in "fc":
            found /= found.dtype.type(4)
        return found * (1 + 0.5j) if np.dtype(dtype).kind == "c" else found

    def sparse(self, shape: Any, dtype: str = "float64", fmt: str = "csr") -> Any:
        """Return a sparse array, whose stored elements are one zero and numbers that are not."""
        full = self.dense(shape, dtype).astype(dtype)
        full[self.random.random(shape) < 0.5] = 0
        made = getattr(sp, f"{fmt}_array")(full)
        if made.nnz:
            made.data[0] = 0
        return made


@pytest.fixture
def matrices() -> Matrices:
    return Matrices()


def unsorted(x: Any) -> Any:
    """Return a matrix whose indices are unsorted, and occur twice: half an element each."""
    rows = [np.arange(a, b)[::-1].repeat(2) for a, b in pairwise(x.indptr)]
    order = np.concatenate(rows).astype("int64")
    made = type(x)((x.data[order] / 2, x.indices[order], 2 * x.indptr), shape=x.shape)
    assert x.nnz < 2 or not made.has_canonical_format
    return made


def as_dense(value: Any) -> Any:
    """Return a result as an array."""
    return value.toarray() if sp.issparse(value) else np.asarray(value)


def stored_places(x: Any) -> Any:
    """Return where a matrix stores elements, zeros too."""
    ones = x.copy()
    ones.data = np.ones(len(x.data), "int8")
    return ones.toarray() != 0
