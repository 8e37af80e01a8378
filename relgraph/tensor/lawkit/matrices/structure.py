"""What laws compute of matrices: their diagonals, identities of their size, orders of axes."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Constant
from relgraph.tensor.assembly.creation import ARange, arange, eye
from relgraph.tensor.axes import static_int
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.lawkit.guards.matrices import is_diagonal
from relgraph.tensor.lawkit.guards.signs import is_nonnegative
from relgraph.tensor.linalg.functions.arrangements import matrix_transpose
from relgraph.tensor.math import cast
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.shape import shape_i


def transposition(x: Any) -> tuple[int, ...]:
    """Return the order of axes that transposes the matrices in a stack."""
    n = x.type.ndim
    return (*range(n - 2), n - 1, n - 2)


def larger_rank(x: Any, y: Any) -> int:
    """Return the rank of the product of two stacks of matrices."""
    return int(max(x.type.ndim, y.type.ndim))


def larger_transposition(x: Any, y: Any) -> tuple[int, ...]:
    """Return the order of axes that transposes the product of two stacks of matrices."""
    return transposition(x if x.type.ndim > y.type.ndim else y)


def is_vector_or_matrix(x: Any) -> bool:
    """Return whether `x` has one axis or two."""
    return x.type.ndim in (1, 2)


def positions(x: Any) -> Any:
    """Return the row numbers of a matrix, as an index of its diagonal."""
    n = x.type.shape[0]
    return arange(shape_i(x, 0) if n is None else n)


def identity_like(x: Any) -> Any:
    """Return the identity matrix of as many rows as `x` has, in its dtype."""
    n = x.type.shape[-2]
    return eye(shape_i(x, x.type.ndim - 2) if n is None else n, dtype=x.type.dtype)


def row_count(x: Any) -> Any:
    """Return the number of rows of a matrix as a number of its dtype."""
    return cast(shape_i(x, 0), x.type.dtype)


def diagonal_of(x: Any) -> Any:
    """Return the diagonal of a diagonal matrix as a vector; of another one None."""
    if x.type.ndim != 2 or not is_diagonal(x):
        return None
    if x.owner is not None and isinstance(x.owner.op, AdvancedIncSubtensor):
        values = x.owner.inputs[1]
        if values.type.ndim == 1:
            return values
    along = positions(x)
    return getitem(x, (along, along))


def counts_from_zero(i: Any) -> bool:
    """Return whether a vector holds the integers from 0 on, in order."""
    if i.type.ndim != 1:
        return False
    if isinstance(i, Constant):
        return bool((i.data == range(i.data.size)).all()) if i.data.size else True
    node = i.owner
    if node is None or not isinstance(node.op, ARange):
        return False
    start, _, step = (static_int(v) for v in node.inputs)
    return start == 0 and step == 1


def is_as_long(v: Any, i: Any) -> bool:
    """Return whether `v` is a vector that does not broadcast to the length of `i`, if that is not
    its own."""
    return bool(v.type.ndim == 1 and v.type.broadcastable == i.type.broadcastable)


def _count(i: Any) -> Any:
    """Return the length of a vector that counts from 0 on."""
    if i.owner is not None and is_nonnegative(i.owner.inputs[1]):
        return i.owner.inputs[1]
    return shape_i(i, 0)


def _first_rows(x: Any, i: Any) -> Any:
    """Return as many rows of `x` as `i` is long."""
    n, m = x.type.shape[0], i.type.shape[0]
    return x if n is not None and n == m else getitem(x, slice(None, _count(i)))


def _first_columns(x: Any, i: Any) -> Any:
    """Return as many columns of `x` as `i` is long."""
    n, m = x.type.shape[1], i.type.shape[0]
    if n is not None and n == m:
        return x
    return getitem(x, (slice(None), slice(None, _count(i))))


def row_by_column(x: Any, y: Any, i: Any) -> Any:
    """Return the diagonal of ``x @ y``, as far as a vector `i` counts from 0 on."""
    return sum_(_first_rows(x, i) * matrix_transpose(_first_columns(y, i)), axis=1)
