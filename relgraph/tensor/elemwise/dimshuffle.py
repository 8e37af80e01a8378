"""`DimShuffle`: reorders the axes of a tensor, adds axes of length 1, and drops such axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.op import TypedOp
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.type import TensorType


class DimShuffle(TypedOp):
    """A view of a tensor with its axes in another order.

    Parameters
    ----------
    input_ndim
        The rank of the input.
    new_order
        For each axis of the output, an axis of the input, or ``"x"`` for a new one of length 1.
        Axes of the input that are left out are dropped; their static length must be 1.

    Raises
    ------
    TypeError
        If an entry of `new_order` is neither an integer nor ``"x"``.
    ValueError
        If `new_order` names an axis twice, or one that the input does not have.
    """

    __props__ = ("input_ndim", "new_order")

    view_map = {0: [0]}
    repeats = 0

    def __init__(self, input_ndim: int, new_order: Sequence[int | str]) -> None:
        self.input_ndim = int(input_ndim)
        self.new_order = tuple([self._axis(a, new_order) for a in new_order])
        self.shuffle = tuple([a for a in self.new_order if not isinstance(a, str)])
        if len(set(self.shuffle)) < len(self.shuffle):
            raise ValueError(f"dimshuffle: the order {tuple(new_order)} names an axis twice")
        self.drop = tuple([a for a in range(self.input_ndim) if a not in self.shuffle])
        # With the ellipsis, an index of rank 0 gives a view and not a number.
        self._key = (*[None if a == "x" else slice(None) for a in self.new_order], Ellipsis)

    def _axis(self, axis: Any, order: Any) -> int | str:
        if isinstance(axis, str):
            if axis != "x":
                raise TypeError(f"dimshuffle: {axis!r} in {order} is neither an axis nor 'x'")
            return axis
        if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
            raise TypeError(f"dimshuffle: {axis!r} in {order} is neither an axis nor 'x'")
        if not -self.input_ndim <= axis < self.input_ndim:
            raise ValueError(
                f"dimshuffle: axis {axis} of a tensor with {self.input_ndim} dimensions"
            )
        return int(axis) % self.input_ndim

    def __str__(self) -> str:
        return f"DimShuffle{{{', '.join(map(str, self.new_order))}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 1:
            raise TypeError(f"{self} takes 1 input, not {len(inputs)}")
        return [as_tensor_variable(inputs[0])]

    def output_types(self, *input_types: Any) -> list[TensorType]:
        (x,) = input_types
        if not isinstance(x, TensorType) or x.ndim != self.input_ndim:
            raise TypeError(f"{self} takes a tensor with {self.input_ndim} dimensions, not {x}")
        for axis in self.drop:
            if x.shape[axis] != 1:
                raise TypeError(
                    f"{self} would drop axis {axis} of {x}, whose length is "
                    f"{'not known' if x.shape[axis] is None else x.shape[axis]}: it must be known "
                    "to be 1"
                )
        return [
            TensorType(x.dtype, [1 if isinstance(a, str) else x.shape[a] for a in self.new_order])
        ]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        (x,) = inputs
        for axis in self.drop:
            if x.shape[axis] != 1:
                raise ValueError(
                    f"{self}: axis {axis} of {node.inputs[0]} has length {x.shape[axis]}, not 1"
                )
        kept = x.reshape([n for i, n in enumerate(x.shape) if i not in self.drop])
        positions = {axis: i for i, axis in enumerate(sorted(self.shuffle))}
        output_storage[0][0] = kept.transpose([positions[a] for a in self.shuffle])[self._key]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(1 if isinstance(a, str) else shapes[0][a] for a in self.new_order)]

    def grad(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> list[Any]:
        (g,) = output_gradients
        # A new axis has length 1. If the gradient is not known to, it is summed.
        extra = [i for i, a in enumerate(self.new_order) if a == "x" and g.type.shape[i] != 1]
        order = list(self.new_order)
        if extra:
            g = g.sum(axis=tuple(extra))
            order = [a for i, a in enumerate(order) if i not in extra]
        positions = {a: i for i, a in enumerate(order) if a != "x"}
        return [g.dimshuffle([positions.get(axis, "x") for axis in range(self.input_ndim)])]

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        return [None if eval_points[0] is None else self(eval_points[0])]
