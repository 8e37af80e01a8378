"""Products and sums of sparse matrices, computed without the dense matrices that they are of.

A dense product makes nan of an infinity beside a zero; a sparse one has no such zeros.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import whereo
from relgraph.sparse.guards import have_no_single_row, have_one_blas_dtype
from relgraph.sparse.ops.dense import DenseFromSparse, SparseSum, _sampled_dense
from relgraph.sparse.ops.products import DotDense, _sampled_product
from relgraph.sparse.ops.structure import _transposed
from relgraph.tensor import DimShuffle
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, lvars
from relgraph.tensor.math import _dot

p, s, x, y = lvars("p s x y")


def sparse_law(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: Any = "finite") -> Law:
    """Return a law of the row ``sparse_dot``."""
    return any_dtype_law(name, lhs, rhs, *conditions, tags=("sparse_dot",), sound=sound)


def turned(v: Any) -> Any:
    """Return the transpose of a dense matrix."""
    return DimShuffle(2, (1, 0))(v)


def as_column(v: Any) -> Any:
    """Return a vector as a matrix of one column."""
    return DimShuffle(1, (0, "x"))(v)


dense = DenseFromSparse(s)
dot = DotDense(s)

PRODUCTS = (
    sparse_law("dot-of-sparse", _dot(dense(x), y), dot(x, y)),
    sparse_law("dot-by-sparse", _dot(y, dense(x)), dot(_transposed(x), y), ranko(y, 1)),
    sparse_law(
        "dot-by-sparse-matrix",
        _dot(y, dense(x)),
        turned(dot(_transposed(x), turned(y))),
        ranko(y, 2),
    ),
    sparse_law("dot-of-sparse-transpose", _dot(turned(dense(x)), y), dot(_transposed(x), y)),
    sparse_law(
        "dot-of-column", DotDense(s)(x, as_column(y)), as_column(dot(x, y)), sound="rounding"
    ),
    sparse_law(
        "sampled-dot",
        _sampled_dense(p, _dot(x, turned(y))),
        _sampled_product(p, x, y),
        ranko(x, 2),
        whereo(have_one_blas_dtype, x, y),
        whereo(have_no_single_row, x, y),  # whose product would broadcast
        sound="rounding",
    ),
)
"""A dense result without a dense intermediate."""

SUMS = (
    sparse_law("sum-of-sparse", sum_(dense(x)), SparseSum(None, s)(x), sound="rounding"),
    sparse_law(
        "sum-of-sparse-columns", sum_(dense(x), axis=0), SparseSum(0, s)(x), sound="rounding"
    ),
    sparse_law("sum-of-sparse-rows", sum_(dense(x), axis=1), SparseSum(1, s)(x), sound="rounding"),
)
"""Sums of stored elements."""
