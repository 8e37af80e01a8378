"""The Euclidean norm, without the overflow of the squares.

The squares are summed as they are. Only where the sum is so large or so small that some may have
over- or underflowed they are summed again, scaled by a power of two: Blue, A Portable Fortran
Program to Find the Euclidean Norm of a Vector (1978); Higham, Accuracy and Stability of Numerical
Algorithms (2002), 27.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.tensor.axes import normalize_axes, without_axes
from relgraph.tensor.math import maximum
from relgraph.tensor.memory_layout import in_order
from relgraph.tensor.reductions.reduction import restore_axes
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


class AlongAxes(TypedOp):
    """Base class of ops that drop some axes of real floating-point numbers.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    __props__ = ("axis",)
    name: str

    def __init__(self, axis: tuple[int, ...] | None = None) -> None:
        self.axis = axis

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes that are summed over of an input of rank `ndim`, as a tuple."""
        return normalize_axes(self.axis, ndim, self.name)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        axes = self.axes(x.ndim)
        if np.dtype(x.dtype).kind != "f":
            raise TypeError(f"{self.name}: the input is a {x}, not of real floating-point numbers")
        return [TensorType(x.dtype, without_axes(x.shape, axes))]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [without_axes(shapes[0], self.axes(len(shapes[0])))]


def scaled(x: Any, axes: tuple[int, ...] | None) -> tuple[Any, Any, Any]:
    """Return `x` divided by a power of two, the norm of that, and the power; the last two keep
    the axes, with length 1."""
    limits = np.finfo(x.dtype)
    squares = np.sum(np.square(x), axis=axes, keepdims=True)
    # what has underflowed is lost in the rounding of a sum from here on
    if np.all((squares >= limits.tiny / limits.eps) & (squares <= limits.max)):
        return x, np.sqrt(squares), x.dtype.type(1)
    greatest = np.max(np.abs(x), axis=axes, keepdims=True, initial=0)
    _, exponents = np.frexp(np.where(np.isfinite(greatest), greatest, 1))
    power = np.ldexp(x.dtype.type(1), exponents - 1)
    x = x / power
    return x, np.sqrt(np.sum(np.square(x), axis=axes, keepdims=True)), power


class Norm(AlongAxes):
    """The root of the sum of squares over some axes, which are dropped.

    Parameters
    ----------
    axis
        As in `CAReduce`: None for all axes, or a sorted tuple of ints counted from the front.
    """

    name = "norm"

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x = in_order(inputs[0])
        with np.errstate(all="ignore"):
            _, root, power = scaled(x, self.axis)
            found = np.squeeze(root * power, axis=self.axes(x.ndim))
        output_storage[0][0] = np.asarray(found, x.dtype)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x: Any = inputs[0]
        out: Any = outputs[0]
        g: Any = output_grads[0]
        axes, ndim = self.axes(x.type.ndim), x.type.ndim
        # at the origin the slope has no direction: it is taken to be zero
        least = np.finfo(out.type.dtype).smallest_subnormal
        length = restore_axes(maximum(out, least), axes, ndim)
        return [restore_axes(g, axes, ndim) * (x / length)]
