"""Indexing as people write it, and functions made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.utils import LogicTerm
from relgraph.tensor.assembly.allocation import arange, zeros
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder, Slice, parse
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.math import maximum, minimum
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import expand_dims, flatten, moveaxis
from relgraph.tensor.shapes.shape import lengths


def getitem(x: Any, key: Any) -> Any:
    """Return ``x[key]``.

    Parameters
    ----------
    key
        Integers, slices, None and an ellipsis, as NumPy takes them, with integer variables in any
        place; arrays of integers and masks, too. (A single bool is refused.)

    Raises
    ------
    IndexError
        If there are too many indices, or one is known to be out of bounds.
    TypeError
        If something is no index.
    """
    x = as_tensor_variable(x)
    try:
        entries, inputs = parse(key, None if isinstance(x, LogicTerm) else x.type.ndim)
    except (IndexError, TypeError) as error:
        raise type(error)(f"indexing {x}: {error}") from None
    if not entries and isinstance(x, LogicTerm):
        return x
    if Placeholder.ARRAY in entries:
        return AdvancedSubtensor(entries)(x, *inputs)
    taken = tuple(e for e in entries if e is not None)
    # Of everything, too, a part is made: it may be the first argument of `set_subtensor`.
    part = Subtensor(taken)(x, *inputs) if taken or not entries else x
    kept = [e for e in entries if e is None or isinstance(e, Slice)]
    new = tuple(i for i, e in enumerate(kept) if e is None)
    return expand_dims(part, new) if new else part


def _change_part(part: Any, y: Any, inplace: bool, is_set: bool) -> Any:
    what = "set_subtensor" if is_set else "inc_subtensor"
    owner = getattr(part, "owner", None)
    if owner is None or not isinstance(owner.op, Subtensor | AdvancedSubtensor):
        raise TypeError(
            f"{what}: the first argument is {part}, which is no part of a tensor; "
            f"write {what}(x[...], y), without None among the indices"
        )
    op = IncSubtensor if isinstance(owner.op, Subtensor) else AdvancedIncSubtensor
    x, *indices = owner.inputs
    if not hasattr(y, "type"):
        y = np.asarray(y)
        # A plain number or list has no dtype of its own to insist on.
        if np.can_cast(y.dtype, x.type.dtype, casting="same_kind"):
            y = y.astype(x.type.dtype)
    return op(owner.op.idx_list, inplace, is_set)(x, y, *indices)


def set_subtensor(x: Any, y: Any, inplace: bool = False) -> Any:
    """Return the tensor that `x` is a part of, with that part set to `y`.

    Parameters
    ----------
    x
        An indexing expression such as ``v[2:]``.
    y
        What can be broadcast to the part, of a dtype that the tensor can hold.
    inplace
        Whether the op may overwrite the tensor. Leave it to the optimizer.

    Raises
    ------
    TypeError
        If `x` is no part of a tensor, or `y` does not suit it.
    """
    return _change_part(x, y, inplace, True)


def inc_subtensor(x: Any, y: Any, inplace: bool = False) -> Any:
    """Return the tensor that `x` is a part of, with `y` added to that part.

    An element that the index names several times is added to as often. For arguments and errors
    see `set_subtensor`.
    """
    return _change_part(x, y, inplace, False)


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of `x` at `indices` along `axis`, or of the flattened `x`."""
    x = as_tensor_variable(x)
    if axis is None:
        x, axis = flatten(x), 0
    axis = normalize_axis(axis, x.type.ndim, "take")
    return getitem(x, (*[slice(None)] * axis, indices))


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the elements of `x` on a diagonal of two of its axes; it becomes the last axis."""
    x = as_tensor_variable(x)
    i, j = (normalize_axis(a, x.type.ndim, "diagonal") for a in (axis1, axis2))
    if i == j:
        raise ValueError(f"diagonal: axis1 and axis2 are both {i}")
    x = moveaxis(x, i, 0)
    x = moveaxis(x, j + 1 if j < i else j, 1)
    rows, columns = lengths(x)[:2]
    along = arange(_least(rows - max(-offset, 0), columns - max(offset, 0)))
    part = getitem(x, (along + max(-offset, 0), along + max(offset, 0)))
    return moveaxis(part, 0, part.type.ndim - 1)


def _least(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return max(min(a, b), 0)
    return maximum(minimum(a, b), 0)


def diag(v: Any, k: int = 0) -> Any:
    """Return a matrix with the vector `v` on its diagonal `k`, or that diagonal of the matrix `v`.

    Raises
    ------
    ValueError
        If `v` is neither a vector nor a matrix.
    """
    v = as_tensor_variable(v)
    if v.type.ndim == 2:
        return diagonal(v, k)
    if v.type.ndim != 1:
        raise ValueError(f"diag: the input is a {v.type}, neither a vector nor a matrix")
    n = lengths(v)[0]
    along = arange(n)
    square = zeros((n + abs(k), n + abs(k)), dtype=v.type.dtype)
    return set_subtensor(square[along + max(-k, 0), along + max(k, 0)], v)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sum of a diagonal of `x` (see `diagonal`)."""
    along = diagonal(x, offset, axis1, axis2)
    return sum_(along, axis=along.type.ndim - 1)
