"""`getitem`, `set_subtensor`, `inc_subtensor`, and functions that index: take, diagonal, diag..."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.tensor.assembly.creation import arange, zeros
from relgraph.tensor.axes import named_axis, normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder, Slice, parse_index
from relgraph.tensor.indexing.relative_subtensor import RelativeSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.math import maximum, minimum
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import expand_dims, flatten, moveaxis, squeeze
from relgraph.tensor.shapes.shape import lengths


def getitem(x: Any, key: Any) -> Any:
    """Return ``x[key]``.

    Parameters
    ----------
    key
        An index as NumPy takes it: integers, slices, None, an ellipsis, arrays of integers and
        masks. Integer variables may stand for integers. A single bool is no index.

    Raises
    ------
    IndexError
        If there are too many indices, or one is known to be out of bounds.
    TypeError
        If a part of `key` is no index.
    """
    x = as_tensor_variable(x)
    try:
        entries, inputs = parse_index(key, None if isinstance(x, LogicTerm) else x.type.ndim)
    except (IndexError, TypeError) as error:
        raise type(error)(f"indexing {x}: {error}") from None
    if not entries and isinstance(x, LogicTerm):
        return x
    if Ellipsis in entries:
        if None in entries:
            raise AsksForType(f"indexing {x}: a logic variable takes no None beside an ellipsis")
        return RelativeSubtensor(entries)(x, *inputs)
    if Placeholder.ARRAY in entries:
        return AdvancedSubtensor(entries)(x, *inputs)
    of_axes = tuple(e for e in entries if e is not None)
    # `x[:]` is a Subtensor too, since it may be the first argument of `set_subtensor`.
    part = Subtensor(of_axes)(x, *inputs) if of_axes or not entries else x
    output_axes = [e for e in entries if e is None or isinstance(e, Slice)]
    new = tuple(i for i, e in enumerate(output_axes) if e is None)
    return expand_dims(part, new) if new else part


def _change_part(part: Any, y: Any, inplace: bool, is_set: bool) -> Any:
    what = "set_subtensor" if is_set else "inc_subtensor"
    if isinstance(part, LogicTerm):
        return _change_part_of_term(part, y, inplace, is_set, what)
    owner = getattr(part, "owner", None)
    if owner is not None and isinstance(owner.op, DimShuffle):
        part, y = _without_new_axes(part, y, what)
        owner = part.owner
    if owner is None or not isinstance(owner.op, Subtensor | AdvancedSubtensor):
        raise TypeError(
            f"{what}: the first argument is {part}, which is no part of a tensor; "
            f"write {what}(x[...], y)"
        )
    op = IncSubtensor if isinstance(owner.op, Subtensor) else AdvancedIncSubtensor
    x, *indices = owner.inputs
    if not hasattr(y, "type"):
        y = _as_dtype_of_tensor(y, x.type.dtype, what)
    return op(owner.op.idx_list, inplace, is_set)(x, y, *indices)


def _without_new_axes(part: Any, y: Any, what: str) -> tuple[Any, Any]:
    """Return a part, and its new values, without the axes that None among the indices adds."""
    order = part.owner.op.new_order
    (old,) = part.owner.inputs
    if [i for i in order if i != "x"] != list(range(old.type.ndim)):
        raise TypeError(f"{what}: the first argument is {part}, whose axes have another order")
    y = as_tensor_variable(y if hasattr(y, "type") else _as_dtype_of_tensor(y, old.dtype, what))
    missing = len(order) - y.type.ndim
    new = [i - missing for i, entry in enumerate(order) if entry == "x" and i >= missing]
    is_part = old.owner is not None and isinstance(old.owner.op, Subtensor | AdvancedSubtensor)
    return old if is_part else Subtensor(())(old), squeeze(y, tuple(new)) if new else y


def _change_part_of_term(part: Any, y: Any, inplace: bool, is_set: bool, what: str) -> Any:
    op: Any = getattr(part, "op", None)
    if isinstance(op, Subtensor | AdvancedSubtensor):
        changed = IncSubtensor if isinstance(op, Subtensor) else AdvancedIncSubtensor
        x, *indices = part.args
        return changed(op.idx_list, inplace, is_set)(x, y, *indices)
    raise AsksForType(f"{what}: which part {part} is depends on the rank of the tensor")


def _as_dtype_of_tensor(y: Any, dtype: str, what: str) -> Any:
    """Return new values as an array, of a dtype if they can be cast to it.

    A number or a list has no dtype of its own that would have to be kept.

    Raises
    ------
    OverflowError
        If an integer without a dtype is out of the range of `dtype`.
    """
    has_dtype, y = hasattr(y, "dtype"), np.asarray(y)
    is_integer = np.dtype(dtype).kind in "iu"
    if (y.dtype.kind in "iu" or type(y[()]) is int) and is_integer and not has_dtype:
        limits = np.iinfo(dtype)
        if y.size and not (limits.min <= y.min() and y.max() <= limits.max):
            raise OverflowError(f"{what}: {y.tolist()} is out of the range of {dtype}")
        return y.astype(dtype)
    return y.astype(dtype) if np.can_cast(y.dtype, dtype, casting="same_kind") else y


def set_subtensor(x: Any, y: Any, inplace: bool = False) -> Any:
    """Return the tensor of which `x` is a part, with the part set to `y`.

    Parameters
    ----------
    x
        An indexing expression such as ``v[2:]``.
    y
        The new values: they broadcast to the part, and their dtype can be cast to that of the
        tensor without loss.
    inplace
        Whether the op may overwrite the tensor. This is meant for optimizers.

    Raises
    ------
    TypeError
        If `x` is no indexing expression, or `y` does not fit the part.
    OverflowError
        If `y` is an integer out of the range of the dtype.
    """
    return _change_part(x, y, inplace, True)


def inc_subtensor(x: Any, y: Any, inplace: bool = False) -> Any:
    """Return the tensor of which `x` is a part, with `y` added to the part.

    If the index names an element several times, all the values are added to it. For parameters and
    errors see `set_subtensor`.

    Parameters
    ----------
    x, y, inplace
        As those of `set_subtensor`.
    """
    return _change_part(x, y, inplace, False)


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of `x` at `indices` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    indices
        A tensor of integers, or what can be made one.
    axis
        The axis; None for the flattened tensor.

    >>> take([1, 2, 3], [2, 0]).eval()
    array([3, 1])
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        return getitem(x, index_along(named_axis(axis, "take"), indices))
    if axis is None:
        x, axis = flatten(x), 0
    return getitem(x, index_along(normalize_axis(axis, x.type.ndim, "take"), indices))


def index_along(axis: int, part: Any) -> tuple[Any, ...]:
    """Return the index of `part` along an axis, which is counted from the end if it is negative."""
    if axis >= 0:
        return (*[slice(None)] * axis, part)
    return (Ellipsis, part, *[slice(None)] * (-axis - 1))


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of `x` along two axes; the diagonal is the last axis of the result.

    Parameters
    ----------
    x
        A tensor of rank 2 or more.
    offset
        How far the diagonal is above the main one; below it if negative.
    axis1, axis2
        The axes.

    >>> diagonal([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
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
    rows = along if k >= 0 else arange(-k, n - k)
    columns = along if k <= 0 else arange(k, n + k)
    square = zeros((n + abs(k), n + abs(k)), dtype=v.type.dtype)
    return set_subtensor(square[rows, columns], v)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sums of the diagonals of `x`; for the parameters see `diagonal`.

    Parameters
    ----------
    x, offset, axis1, axis2
        As those of `diagonal`.

    >>> trace([[1, 2], [3, 4]]).eval()
    array(5)
    """
    along = diagonal(x, offset, axis1, axis2)
    return sum_(along, axis=along.type.ndim - 1)
