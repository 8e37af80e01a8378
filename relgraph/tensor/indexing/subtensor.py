"""Basic indexing by integers and slices: `Subtensor` and `IncSubtensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import disconnected
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.assembly.creation import zeros_like
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.indices import (
    IndexList,
    Placeholder,
    Slice,
    concrete_index,
    index_string,
    placeholders,
    static_length,
    symbolic_index,
    symbolic_length,
)
from relgraph.tensor.reductions.reduction import sum_like
from relgraph.tensor.type import TensorType


def check_index_inputs(op: Any, indices: Sequence[Any]) -> list[Any]:
    """Return the index inputs of a node as variables.

    Parameters
    ----------
    op
        An indexing op.
    indices
        Its index inputs.

    Raises
    ------
    TypeError
        If the inputs do not match the placeholders of the op: in number, as integers or arrays.
    """
    expected = list(placeholders(op.idx_list))
    if len(indices) != len(expected):
        raise TypeError(f"{op} takes {len(expected)} index inputs, not {len(indices)}")
    variables = [as_tensor_variable(v) for v in indices]
    for v, placeholder in zip(variables, expected, strict=True):
        is_scalar = v.type.ndim == 0
        if not is_discrete(v.type.dtype) or is_scalar is not (placeholder is Placeholder.INTEGER):
            raise TypeError(f"{op}: the index {v} is a {v.type}")
    return variables


def check_assignable(op: Any, x: TensorType, y: TensorType, part: TensorType) -> None:
    """Check that values of type `y` can be assigned to a part of a tensor of type `x`.

    Raises
    ------
    TypeError
        If the dtype of `x` can't hold that of `y`, or `y` has more axes than the part.
    ValueError
        If the static length of an axis of `y` is neither 1 nor that of the part.
    """
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


def check_broadcast(node: Apply, y: Any, part_shape: tuple[int, ...]) -> None:
    """Raise a ValueError if an axis of `y` would broadcast whose static length is not 1."""
    known: Sequence[int | None] = node.inputs[1].type.shape
    missing = len(part_shape) - y.ndim
    for axis, (n, m) in enumerate(zip(y.shape, part_shape[missing:], strict=True)):
        if n != m and known[axis] != 1:
            raise ValueError(
                f"{node.op}: axis {axis} of {node.inputs[1]} has length {n}, that of the part "
                f"{m}; only an axis whose length is known to be 1 broadcasts"
            )


class Subtensor(TypedOp):
    """A part of a tensor, selected by integers and slices. It is a view.

    The inputs are the tensor, and an integer of rank 0 for each placeholder.

    Parameters
    ----------
    idx_list
        For each of the first axes an int, a `Slice`, or a `Placeholder` for an integer that is an
        input; a part of a `Slice` may be a placeholder too.
    """

    __props__ = ("idx_list",)
    view_map = {0: [0]}

    def __init__(self, idx_list: IndexList) -> None:
        self.idx_list = tuple(idx_list)
        constant = not any(True for _ in placeholders(self.idx_list))
        self._index = concrete_index(self.idx_list, ()) if constant else None

    def __str__(self) -> str:
        return f"subtensor{{{index_string(self.idx_list)}}}"

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
        index = (
            self._index if self._index is not None else concrete_index(self.idx_list, inputs[1:])
        )
        output_storage[0][0] = np.asarray(take_part(node, inputs[0], index))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        entries = symbolic_index(self.idx_list, node.inputs[1:])
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
        If an index is out of bounds; the message names the variable and its shape.
    """
    try:
        return x[index]
    except IndexError as error:
        raise IndexError(f"{node.op}: {node.inputs[0]} has shape {x.shape}: {error}") from None


class BaseIncSubtensor(TypedOp):
    """Base class of the ops that change a part of a tensor; see `IncSubtensor`."""

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
        """Return the op that selects the part."""
        raise MethodNotDefined(f"{type(self).__name__} does not say which part it changes")

    def kept(self, g: Any, indices: Sequence[Any]) -> Any:
        """Return the part of the gradient `g` that belongs to the values that the op takes."""
        return self.part()(g, *indices)

    def __str__(self) -> str:
        name = self.name.format("set" if self.set_instead_of_inc else "inc")
        return f"{name}{'_inplace' if self.inplace else ''}{{{index_string(self.idx_list)}}}"

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
        gy = sum_like(self.kept(g, indices), y)
        return [gx, gy, *[disconnected() for _ in indices]]


class IncSubtensor(BaseIncSubtensor):
    """A tensor with new values added to a part of it, or with the part set to new values.

    The inputs are the tensor, the values and the index inputs. The dtype of the tensor must be able
    to hold that of the values. An axis of the values broadcasts if its static length is 1.

    Parameters
    ----------
    idx_list
        The part, as for `Subtensor`.
    inplace
        Whether to overwrite the tensor.
    set_instead_of_inc
        Whether to set the part instead of adding to it.
    """

    name = "{}_subtensor"

    def part(self) -> Any:
        return Subtensor(self.idx_list)

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y, *indices = inputs
        index = concrete_index(self.idx_list, indices)
        out = x if self.inplace else x.copy()
        part = take_part(node, out, (*index, ...))
        check_broadcast(node, y, part.shape)
        with np.errstate(all="ignore"):
            if self.set_instead_of_inc:
                part[...] = y
            else:
                part += y
        output_storage[0][0] = out
