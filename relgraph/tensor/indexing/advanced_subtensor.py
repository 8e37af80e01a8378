"""Advanced indexing by arrays of integers and masks: `AdvancedSubtensor` and its increments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import disconnected
from relgraph.tensor.assembly.creation import ARange, arange, zeros_like
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.indices import (
    IndexList,
    Placeholder,
    Slice,
    concrete_index,
    index_string,
    static_length,
    symbolic_index,
    symbolic_length,
)
from relgraph.tensor.indexing.subtensor import (
    BaseIncSubtensor,
    check_broadcast,
    check_index_inputs,
    take_part,
)
from relgraph.tensor.math import eq, switch
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import reshape
from relgraph.tensor.shapes.shape import lengths, product
from relgraph.tensor.type import TensorType


def _position_of_array_axes(entries: IndexList) -> int:
    """Return the position of the axes that the arrays of an index add to the result.

    As in NumPy, they replace the arrays if these and the integers stand side by side; if not, they
    come first.
    """
    arrays = [i for i, e in enumerate(entries) if isinstance(e, int | Placeholder)]
    if arrays[-1] - arrays[0] != len(arrays) - 1:
        return 0
    return sum(1 for e in entries[: arrays[0]] if e is None or isinstance(e, Slice))


def _result_shape(
    entries: IndexList, of_slices: list[Any], of_arrays: Sequence[Any], not_indexed: Any
) -> tuple[Any, ...]:
    """Return the shape of the result, given the lengths of its three kinds of axes."""
    at = _position_of_array_axes(entries)
    return (*of_slices[:at], *of_arrays, *of_slices[at:], *not_indexed)


def _array_shape(shapes: Sequence[tuple[int | None, ...]], what: Any) -> tuple[int | None, ...]:
    """Return the static shape that index arrays broadcast to."""
    ndim = max((len(s) for s in shapes), default=0)
    out: list[int | None] = []
    for axis in range(-ndim, 0):
        lengths = {s[axis] for s in shapes if len(s) >= -axis} - {1}
        known = lengths - {None}
        if len(known) > 1:
            raise IndexError(
                f"{what}: index arrays have different lengths {sorted(map(str, known))}"
            )
        out.append(known.pop() if known else None if lengths else 1)
    return tuple(out)


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
    ndim = max((len(shape) for _, _, shape in arrays), default=0)
    for axis in range(-ndim, 0) if len(arrays) > 1 else ():
        here = [(v, known[axis], n[axis]) for v, known, n in arrays if len(n) >= -axis]
        lengths = {n for _, known, n in here if known != 1}
        if len(lengths) > 1:
            found = ", ".join(f"{n} in {v}" for v, _, n in here)
            raise IndexError(
                f"{node.op}: the index arrays have different lengths along axis {axis}: {found}; "
                "only an axis whose length is known to be 1 broadcasts"
            )


class AdvancedSubtensor(TypedOp):
    """A part of a tensor, selected by arrays of integers, masks, integers and slices.

    The inputs are the tensor, and an integer or array for each placeholder.

    Parameters
    ----------
    idx_list
        As for `Subtensor`. Besides, ``Placeholder.ARRAY`` stands for an array of integers, or for a
        mask, which is the index of as many axes as it has; None adds an axis.
    """

    __props__ = ("idx_list",)

    def __init__(self, idx_list: IndexList) -> None:
        self.idx_list = tuple(idx_list)

    def __str__(self) -> str:
        return f"advanced_subtensor{{{index_string(self.idx_list)}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_tensor_variable(inputs[0]), *check_index_inputs(self, inputs[1:])]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, rest = input_types[0], iter(input_types[1:])
        axis, arrays = 0, []
        sliced: list[int | None] = []
        for entry in self.idx_list:
            if entry is None:
                sliced.append(1)
                continue
            if isinstance(entry, Slice):
                for p in entry.parts():
                    if isinstance(p, Placeholder):
                        next(rest)
                sliced.append(static_length(x.shape[axis], entry))
            elif isinstance(entry, Placeholder):
                t = next(rest)
                arrays.append((None,) if t.dtype == "bool" else t.shape)
                axis += t.ndim - 1 if t.dtype == "bool" else 0
            axis += 1
        if axis > x.ndim:
            raise IndexError(f"{self}: {axis} indices for a {x}")
        of_arrays = _array_shape(arrays, self)
        shape = _result_shape(self.idx_list, sliced, of_arrays, x.shape[axis:])
        return [TensorType(x.dtype, shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        check_index_arrays(node, node.inputs[1:], inputs[1:])
        index = concrete_index(self.idx_list, inputs[1:])
        output_storage[0][0] = np.asarray(take_part(node, inputs[0], index))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        symbolic = dict(zip(map(id, node.inputs[1:]), shapes[1:], strict=True))
        axis, sliced, arrays = 0, [], []
        for entry in symbolic_index(self.idx_list, node.inputs[1:]):
            if entry is None:
                sliced.append(1)
                continue
            if isinstance(entry, slice):
                sliced.append(symbolic_length(shapes[0][axis], entry))
            elif isinstance(entry, Variable):
                mask = entry.type.dtype == "bool"
                static: Sequence[Any] = entry.type.shape
                arrays.append((static, symbolic[id(entry)], entry if mask else None))
                axis += len(static) - 1 if mask else 0
            axis += 1
        of_arrays = _array_lengths(arrays)
        return [_result_shape(self.idx_list, sliced, of_arrays, shapes[0][axis:])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i == 0] for i in range(len(node.inputs))]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        x, *indices = inputs
        g: Any = output_gradients[0]
        gx = AdvancedIncSubtensor(self.idx_list)(zeros_like(x, g.type.dtype), g, *indices)
        return [gx, *[disconnected() for _ in indices]]


def _array_lengths(arrays: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
    """Return the shape that index arrays broadcast to, as ints and variables.

    An axis whose static length is not 1 is taken to have the common length; the op checks that at
    run time.

    Parameters
    ----------
    arrays
        For each array its static shape, its shape, and the array itself if it is a mask or None.
    """
    plain = [
        ((None,), (sum_(mask),)) if mask is not None else (static, shape)
        for static, shape, mask in arrays
    ]
    ndim = max((len(static) for static, _ in plain), default=0)
    common: list[Any] = []
    for axis in range(-ndim, 0):
        lengths = [(static[axis], shape[axis]) for static, shape in plain if len(static) >= -axis]
        not_one = [n for static, n in lengths if static != 1]
        common.append(not_one[0] if not_one else 1)
    return common


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

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y, *indices = inputs
        check_index_arrays(node, node.inputs[2:], indices)
        index = concrete_index(self.idx_list, indices)
        check_broadcast(node, y, np.shape(take_part(node, x, index)))
        out = x if self.inplace else x.copy()
        with np.errstate(all="ignore"):
            if self.set_instead_of_inc:
                # NumPy goes through arrays in the order of their storage
                in_rows = [_row_major(index) for index in indices]
                out[concrete_index(self.idx_list, in_rows)] = _row_major(y)
            else:
                np.add.at(out, index, y)
        output_storage[0][0] = out

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
