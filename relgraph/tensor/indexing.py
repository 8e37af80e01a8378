"""Advanced indexing by arrays and masks, and functions that index: getitem, take and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op, RelativeOp
from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.tensor.assembly import ARange, arange, zeros_like
from relgraph.tensor.basic import as_tensor_variable, named_axis, normalize_axis, static_int
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.math import clip, eq, switch
from relgraph.tensor.shapes import expand_dims, flatten, lengths, product, reshape, squeeze
from relgraph.tensor.signatures import broadcast_shape, check_broadcast
from relgraph.tensor.subtensor import (
    BaseIncSubtensor,
    BaseSubtensor,
    IncSubtensor,
    IndexList,
    Placeholder,
    Slice,
    Subtensor,
    concrete_index,
    filled_ellipsis,
    parse_index,
    take_part,
)


def check_index_arrays(node: Apply, indices: Sequence[Any], values: Sequence[Any]) -> None:
    """Raise if index arrays would broadcast along an axis whose length is not known to be 1.

    Parameters
    ----------
    indices, values
        The index inputs of `node`, and their values. The length of a mask is how many elements of
        it are true.

    Raises
    ------
    IndexError
        NumPy would take an array whose length happens to be 1, but `infer_shape` could not tell.
    """
    arrays = [
        (v, (None,), (np.count_nonzero(value),))
        if v.type.dtype == "bool"
        else (v, v.type.shape, value.shape)
        for v, value in zip(indices, values, strict=True)
        if v.type.ndim > 0
    ]
    if len(arrays) > 1:
        variables, static, shapes = zip(*arrays, strict=True)
        broadcast_shape(node.op, variables, static, shapes, IndexError)


class AdvancedSubtensor(BaseSubtensor):
    """A part of a tensor, selected by arrays of integers, masks, integers and slices.

    The inputs are the tensor, and an integer or array for each placeholder.

    Parameters
    ----------
    idx_list
        As for `Subtensor`. Besides, ``Placeholder.ARRAY`` denotes an array of integers, or a
        mask, which is the index of as many axes as it has; None adds an axis.
    """

    def changed(self, inplace: bool = False, set_instead_of_inc: bool = False) -> Any:
        return AdvancedIncSubtensor(self.idx_list, inplace, set_instead_of_inc)

    def compute(self, node: Apply, x: Any, *indices: Any) -> Any:
        check_index_arrays(node, node.inputs[1:], indices)
        return np.asarray(take_part(node, x, concrete_index(self.idx_list, indices)))


class AdvancedIncSubtensor(BaseIncSubtensor):
    """A tensor with new values added to a part of it, or with the part set to new values.

    The inputs are as for `IncSubtensor`. If the index names an element several times, all the
    values are added to it, or it is set to the last of them, in row-major order of the part.

    Parameters
    ----------
    idx_list
        The part, as for `AdvancedSubtensor`.
    inplace
        Whether to overwrite the tensor.
    set_instead_of_inc
        Whether to set the part instead of adding to it.
    """

    name = "advanced_{}_subtensor"

    def part(self) -> Any:
        return AdvancedSubtensor(self.idx_list)

    def compute(self, node: Apply, x: Any, y: Any, *indices: Any) -> Any:
        check_index_arrays(node, node.inputs[2:], indices)
        index = concrete_index(self.idx_list, indices)
        check_broadcast(node, y, np.shape(take_part(node, x, index)))
        out = x if self.inplace else x.copy()
        if self.set_instead_of_inc:
            # NumPy goes through arrays in the order of their storage
            in_rows = [_row_major(index) for index in indices]
            out[concrete_index(self.idx_list, in_rows)] = _row_major(y)
        else:
            np.add.at(out, index, y)
        return out

    def kept(self, g: Any, indices: Sequence[Any]) -> Any:
        """Return of the gradient `g` the part that belongs to the values that the op assigns.

        A value that a later one overwrites has none.
        """
        part = super().kept(g, indices)
        if not self.set_instead_of_inc or _are_distinct(indices):
            return part
        shape = lengths(part)
        places = reshape(arange(product(shape)), shape)
        kept = type(self)(self.idx_list, set_instead_of_inc=True)(
            zeros_like(g, "int64"), places, *indices
        )
        return switch(eq(self.part()(kept, *indices), places), part, zeros_like(part))


def _row_major(v: Any) -> Any:
    return np.ascontiguousarray(v) if v.ndim > 1 else v


def _are_distinct(indices: Sequence[Any]) -> bool:
    """Return whether the arrays of an index are known to name no element twice."""
    arrays: list[Any] = [v for v in indices if v.type.ndim > 0]
    masks = [v.type.dtype == "bool" for v in arrays]
    if not all(is_mask or v.type.ndim == 1 for v, is_mask in zip(arrays, masks, strict=True)):
        return False
    one_each = all(v.type.shape == (1,) for v in arrays)
    return one_each or any(
        is_mask or (v.type.shape != (1,) and _has_distinct_elements(v))
        for v, is_mask in zip(arrays, masks, strict=True)
    )


def _has_distinct_elements(positions: Any) -> bool:
    """Return whether a vector of positions is known to name no element twice.

    A position counted from the end may name the same one as another.
    """
    if isinstance(positions, Constant):
        found = positions.data
        same_end = bool((found < 0).all() or (found >= 0).all())
        return same_end and np.unique(found).size == found.size
    made_by = positions.owner
    if made_by is None or not isinstance(made_by.op, ARange):
        return False
    start, _, step = (static_int(v) for v in made_by.inputs)
    return start is not None and step is not None and start >= 0 < step


class RelativeSubtensor(RelativeOp, BaseSubtensor):
    """The `Subtensor`, or `AdvancedSubtensor`, that an index with an ellipsis is.

    It stands in terms only: a node has the op for the rank of its input.

    Parameters
    ----------
    idx_list
        That of a Subtensor, with ``...`` for the axes that are left out.
    """

    name = "subtensor"

    def __init__(self, idx_list: Any) -> None:
        super().__init__(idx_list)
        of_arrays = Placeholder.ARRAY in self.idx_list
        self.relative = AdvancedSubtensor if of_arrays else Subtensor

    def for_inputs(self, inputs: Sequence[Any]) -> Op:
        entries = filled_ellipsis(list(self.idx_list), inputs[1:], inputs[0].type.ndim)
        made: Any = self.relative
        op: Op = made(entries)
        return op


class OneElement(NamedTuple):
    """A tensor that is zero but for one place along some axes.

    Attributes
    ----------
    places, inputs
        The place, as in `Subtensor`: an integer on each of the axes, everything on the others.
    value
        What stands there; it broadcasts to that part of the tensor.
    """

    places: IndexList
    inputs: Sequence[Any]
    value: Any

    @staticmethod
    def in_(tensor: Any, axes: Sequence[int]) -> OneElement | None:
        """Return what a tensor has at one place along some axes; None if it is not known to be zero
        everywhere else."""
        node = tensor.owner
        if node is None or not isinstance(node.op, IncSubtensor):
            return None
        zeros, value, *inputs = node.inputs
        index = node.op.idx_list
        places = (*index, *[Slice()] * (tensor.type.ndim - len(index)))
        one_each = all(
            not isinstance(place, Slice) if axis in axes else place == Slice()
            for axis, place in enumerate(places)
        )
        return OneElement(index, inputs, value) if one_each and number_of(zeros) == 0 else None

    def part(self, x: Any) -> Any:
        """Return what another tensor has at the place."""
        return Subtensor(self.places)(x, *self.inputs)

    def replaced(self, x: Any, value: Any) -> Any:
        """Return another tensor with `value` at the place."""
        return IncSubtensor(self.places, set_instead_of_inc=True)(x, value, *self.inputs)


def getitem(x: Any, key: Any) -> Any:
    """Return ``x[key]``.

    Parameters
    ----------
    key
        An index as NumPy takes it: integers, slices, None, an ellipsis, arrays of integers and
        masks. Integers may be variables. A single bool is no index.

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
    if owner is None or not isinstance(owner.op, BaseSubtensor):
        raise TypeError(
            f"{what}: the first argument is {part}, which is no part of a tensor; "
            f"write {what}(x[...], y)"
        )
    x, *indices = owner.inputs
    if not hasattr(y, "type"):
        y = _as_dtype_of_tensor(y, x.type.dtype, what)
    return owner.op.changed(inplace, is_set)(x, y, *indices)


def _without_new_axes(part: Any, y: Any, what: str) -> tuple[Any, Any]:
    """Return a part, and its new values, without the axes that None among the indices adds."""
    order = part.owner.op.new_order
    (old,) = part.owner.inputs
    if [i for i in order if i != "x"] != list(range(old.type.ndim)):
        raise TypeError(f"{what}: the first argument is {part}, whose axes have another order")
    y = as_tensor_variable(y if hasattr(y, "type") else _as_dtype_of_tensor(y, old.dtype, what))
    missing = len(order) - y.type.ndim
    new = [i - missing for i, entry in enumerate(order) if entry == "x" and i >= missing]
    is_part = old.owner is not None and isinstance(old.owner.op, BaseSubtensor)
    return old if is_part else Subtensor(())(old), squeeze(y, tuple(new)) if new else y


def _change_part_of_term(part: Any, y: Any, inplace: bool, is_set: bool, what: str) -> Any:
    op: Any = getattr(part, "op", None)
    if isinstance(op, Subtensor | AdvancedSubtensor):
        x, *indices = part.args
        return op.changed(inplace, is_set)(x, y, *indices)
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


def take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """Return the elements of `x` at `indices` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    indices
        A tensor of integers, or what can be made one.
    axis
        The axis; None for the flattened tensor.
    mode
        What an index out of bounds does: ``raise`` an error, ``wrap`` around, or represent the
        nearest one, ``clip``, by which negative ones are 0.

    Examples
    --------
    >>> take([1, 2, 3], [2, 0]).eval()
    array([3, 1])
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"take: the mode is raise, wrap or clip, not {mode!r}")
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        return getitem(x, index_along(named_axis(axis, "take"), indices))
    if axis is None:
        x, axis = flatten(x), 0
    axis = normalize_axis(axis, x.type.ndim, "take")
    if mode != "raise":
        n = lengths(x)[axis]
        indices = as_tensor_variable(indices)
        indices = indices % n if mode == "wrap" else clip(indices, 0, n - 1)
    return getitem(x, index_along(axis, indices))


def index_along(axis: int, part: Any) -> tuple[Any, ...]:
    """Return the index of `part` along an axis, which is counted from the end if it is negative."""
    if axis >= 0:
        return (*[slice(None)] * axis, part)
    return (Ellipsis, part, *[slice(None)] * (-axis - 1))
