"""Sparse matrices as JAX has them: three arrays and a shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from relgraph.sparse.matrices import assembled


@dataclass(frozen=True)
class SparseValue:
    """A matrix of the formats csr and csc, in canonical form.

    Attributes
    ----------
    data
        The stored elements.
    indices
        The column (of csc: the row) of each, as int32.
    indptr
        Where in these each row (column) begins, and the number of elements, as int32.
    shape
        The shape, two ints.
    format
        ``csr`` or ``csc``.
    """

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]
    format: str

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return 2

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return int(self.data.shape[0])


jax.tree_util.register_dataclass(
    SparseValue, data_fields=["data", "indices", "indptr"], meta_fields=["shape", "format"]
)


def from_scipy(matrix: Any) -> SparseValue:
    """Return a matrix of SciPy in canonical form."""
    rows, columns = (int(n) for n in matrix.shape)
    return SparseValue(matrix.data, matrix.indices, matrix.indptr, (rows, columns), matrix.format)


def to_scipy(value: SparseValue) -> Any:
    """Return a matrix as SciPy has it, with storage of its own."""
    data, indices, indptr = map(np.array, (value.data, value.indices, value.indptr))
    return assembled(value.format, data, indices, indptr, value.shape)
