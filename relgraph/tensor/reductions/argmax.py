"""Where the extremes are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.axes import normalize_axes, normalize_axis, reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import second
from relgraph.tensor.reductions.reduction import restore_axes
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


class _ArgReduce(TypedOp):
    """Where along an axis an extreme stands first (nan counts as one), as int64.

    Parameters
    ----------
    axis
        An int from 0 on, or None for the index into the flattened input.
    """

    __props__ = ("axis",)
    function: Callable[..., Any]
    name: str

    def __init__(self, axis: int | None = None) -> None:
        self.axis = axis

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        if self.axis is None:
            return [TensorType("int64", ())]
        axis = normalize_axis(self.axis, x.ndim, self.name)
        return [TensorType("int64", x.shape[:axis] + x.shape[axis + 1 :])]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        (x,) = inputs
        length = x.size if self.axis is None else x.shape[self.axis]
        if length == 0:
            which = "an empty input" if self.axis is None else f"axis {self.axis} of length 0"
            raise ValueError(f"{self}: {node.inputs[0]} has shape {x.shape}: no extreme of {which}")
        output_storage[0][0] = np.asarray(type(self).function(x, axis=self.axis), dtype="int64")

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (x,) = shapes
        return [() if self.axis is None else (*x[: self.axis], *x[self.axis + 1 :])]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return [second(inputs[0], np.float64(0.0))]


class Argmax(_ArgReduce):
    """Where the greatest element along an axis stands first (see `argmax`)."""

    function = staticmethod(np.argmax)
    name = "argmax"


class Argmin(_ArgReduce):
    """Where the least element along an axis stands first (see `argmin`)."""

    function = staticmethod(np.argmin)
    name = "argmin"


def _arg(op: type[_ArgReduce], x: Any, axis: Any, keepdims: bool) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        if keepdims:
            raise TypeError(f"{op.name} of a logic variable takes no keepdims: it needs a rank")
        return op(axis)(x)
    ndim = x.type.ndim
    if ndim == 0 and axis is not None and reduced_axes((axis,), 0, op.name) == ():
        axis = None
    out = op(None if axis is None else normalize_axis(axis, ndim, op.name))(x)
    return restore_axes(out, normalize_axes(axis, ndim, op.name), ndim) if keepdims else out


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return where the greatest element of `x` along `axis` stands first, as int64.

    Parameters
    ----------
    axis
        An int, or None for the index into the flattened `x`.
    keepdims
        Keep the axis, with length 1.
    """
    return _arg(Argmax, x, axis, keepdims)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return where the least element of `x` along `axis` stands first (see `argmax`)."""
    return _arg(Argmin, x, axis, keepdims)
