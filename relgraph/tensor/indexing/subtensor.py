"""Basic indexing: a part of a tensor, and a tensor with a part changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import disconnected
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.assembly.allocation import zeros_like
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.indices import (
    IndexList,
    Placeholder,
    Slice,
    fill,
    fill_symbolic,
    placeholders,
    show,
    static_length,
    symbolic_length,
)
from relgraph.tensor.reductions.reduction import sum_like
from relgraph.tensor.type import TensorType


def check_index_inputs(op: Any, indices: Sequence[Any]) -> list[Any]:
    """Return the index inputs of a node as variables of rank 0.

    Raises
    ------
    TypeError
        If one is no integer, or there are not as many as `op` has placeholders.
    """
    wanted = list(placeholders(op.idx_list))
    if len(indices) != len(wanted):
        raise TypeError(f"{op} takes {len(wanted)} index inputs, not {len(indices)}")
    found = [as_tensor_variable(v) for v in indices]
    for v, place in zip(found, wanted, strict=True):
        is_scalar = v.type.ndim == 0
        if not is_discrete(v.type.dtype) or is_scalar is not (place is Placeholder.INTEGER):
            raise TypeError(f"{op}: the index {v} is a {v.type}")
    return found


def check_assignable(op: Any, x: TensorType, y: TensorType, part: TensorType) -> None:
    """Raise `TypeError` if `y` can't be put into `part` of `x` without losing anything."""
    if np.promote_types(x.dtype, y.dtype) != x.dtype:
        raise TypeError(f"{op}: {y.dtype} values don't fit into a tensor of {x.dtype}; cast them")
    if y.ndim > part.ndim:
        raise TypeError(f"{op}: a {y} can't be broadcast to the part, which is a {part}")
    shift = part.ndim - y.ndim
    for axis, n in enumerate(y.shape):
        m = part.shape[axis + shift]
        if n not in (None, 1, m) and m is not None:
            raise ValueError(
                f"{op}: axis {axis} of the new values has length {n}, that of the part {m}"
            )


def check_values(node: Apply, y: Any, part_shape: tuple[int, ...]) -> None:
    """Raise `ValueError` if an axis of `y` would be broadcast that is not declared to be 1."""
    known: Sequence[int | None] = node.inputs[1].type.shape
    missing = len(part_shape) - y.ndim
    for axis, (n, m) in enumerate(zip(y.shape, part_shape[missing:], strict=True)):
        if n != m and known[axis] != 1:
            raise ValueError(
                f"{node.op}: axis {axis} of {node.inputs[1]} has length {n}, that of the part "
                f"{m}; only an axis whose length is known to be 1 broadcasts"
            )


class Subtensor(TypedOp):
    """A part of a tensor by integers and slices. It is a view.

    Parameters
    ----------
    idx_list
        For each of the first axes an int, a `Slice`, or a `Placeholder` for an integer that is an
        input of the node (slices may hold some, too).
    """

    __props__ = ("idx_list",)
    view_map = {0: [0]}

    def __init__(self, idx_list: IndexList) -> None:
        self.idx_list = tuple(idx_list)
        constant = not any(True for _ in placeholders(self.idx_list))
        self._index = fill(self.idx_list, ()) if constant else None

    def __str__(self) -> str:
        return f"subtensor{{{show(self.idx_list)}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_tensor_variable(inputs[0]), *check_index_inputs(self, inputs[1:])]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x = input_types[0]
        if len(self.idx_list) > x.ndim:
            raise IndexError(f"{self}: {len(self.idx_list)} indices for a {x}")
        shape: list[int | None] = []
        for axis, (entry, n) in enumerate(zip(self.idx_list, x.shape, strict=False)):
            if isinstance(entry, Slice):
                shape.append(static_length(n, entry))
            elif isinstance(entry, int) and n is not None and not -n <= entry < n:
                raise IndexError(f"{self}: axis {axis} has length {n}, so there's no {entry}")
        return [TensorType(x.dtype, (*shape, *x.shape[len(self.idx_list) :]))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        index = self._index if self._index is not None else fill(self.idx_list, inputs[1:])
        output_storage[0][0] = np.asarray(take_part(node, inputs[0], index))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        entries = fill_symbolic(self.idx_list, node.inputs[1:])
        parts = zip(entries, shapes[0], strict=False)
        sliced = [symbolic_length(n, e) for e, n in parts if isinstance(e, slice)]
        return [(*sliced, *shapes[0][len(entries) :])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i == 0] for i in range(len(node.inputs))]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        x, *indices = inputs
        g: Any = output_gradients[0]
        gx = IncSubtensor(self.idx_list)(zeros_like(x, g.type.dtype), g, *indices)
        return [gx, *[disconnected() for _ in indices]]


def take_part(node: Apply, x: Any, index: Any) -> Any:
    """Return ``x[index]``.

    Raises
    ------
    IndexError
        With the variable's name and its shape, if there is no such part.
    """
    try:
        return x[index]
    except IndexError as error:
        raise IndexError(f"{node.op}: {node.inputs[0]} has shape {x.shape}: {error}") from None


class Increment(TypedOp):
    """What ops that change a part of a tensor have in common; see `IncSubtensor`."""

    __props__ = ("idx_list", "inplace", "set_instead_of_inc")

    name = ""

    def __init__(
        self, idx_list: IndexList, inplace: bool = False, set_instead_of_inc: bool = False
    ) -> None:
        self.idx_list = tuple(idx_list)
        self.inplace = inplace
        self.set_instead_of_inc = set_instead_of_inc
        if inplace:
            self.destroy_map = {0: [0]}

    def part(self) -> Any:
        """Return the op that takes the part."""
        raise MethodNotDefined(f"{type(self).__name__} does not say which part it changes")

    def __str__(self) -> str:
        name = self.name.format("set" if self.set_instead_of_inc else "inc")
        return f"{name}{'_inplace' if self.inplace else ''}{{{show(self.idx_list)}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        x, y = (as_tensor_variable(v) for v in inputs[:2])
        return [x, y, *check_index_inputs(self, inputs[2:])]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y, *indices = input_types
        (part,) = self.part().output_types(x, *indices)
        check_assignable(self, x, y, part)
        return [x]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i < 2] for i in range(len(node.inputs))]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        _x, y, *indices = inputs
        g: Any = output_gradients[0]
        gx = g
        if self.set_instead_of_inc:
            zero = np.zeros((), dtype=g.type.dtype)
            gx = type(self)(self.idx_list, set_instead_of_inc=True)(g, zero, *indices)
        gy = sum_like(self.part()(g, *indices), y)
        return [gx, gy, *[disconnected() for _ in indices]]


class IncSubtensor(Increment):
    """A tensor, a part of which is increased by new values, or set to them.

    Parameters
    ----------
    idx_list
        Which part (see `Subtensor`).
    inplace
        Overwrite the input.
    set_instead_of_inc
        Set the part instead of adding to it.

    The inputs are the tensor, the values (of a dtype that the tensor's holds; an axis of theirs
    broadcasts where its length is known to be 1) and the index inputs.
    """

    name = "{}_subtensor"

    def part(self) -> Any:
        return Subtensor(self.idx_list)

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y, *indices = inputs
        index = fill(self.idx_list, indices)
        out = x if self.inplace else x.copy()
        part = take_part(node, out, (*index, ...))
        check_values(node, y, part.shape)
        with np.errstate(all="ignore"):
            if self.set_instead_of_inc:
                part[...] = y
            else:
                part += y
        output_storage[0][0] = out
