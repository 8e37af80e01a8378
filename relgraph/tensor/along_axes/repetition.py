"""Running totals, and elements repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.tensor.assembly.allocation import arange
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.axes import normalize_axes, normalize_axis, reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.indexing.functions import getitem, take
from relgraph.tensor.layout import in_order
from relgraph.tensor.math import maximum
from relgraph.tensor.reductions.reduction import reduced_dtype
from relgraph.tensor.shapes.reshaping import flatten, reshape
from relgraph.tensor.shapes.shape import as_length, as_lengths, lengths, one_input
from relgraph.tensor.type import TensorType


class Cumulate(TypedOp):
    """Running totals along an axis.

    Parameters
    ----------
    scalar_op
        What combines the elements: ``relgraph.scalar.add`` or ``mul``.
    axis
        The axis, from 0 on.

    Dtypes are those of the reduction over that axis.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: int) -> None:
        if scalar_op not in (scalar.add, scalar.mul):
            raise TypeError(f"Cumulate: {scalar_op} is neither add nor mul")
        self.scalar_op = scalar_op
        self.axis = axis

    def __str__(self) -> str:
        name = "cumsum" if self.scalar_op is scalar.add else "cumprod"
        return f"{name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        normalize_axis(self.axis, x.ndim, str(self))
        return [TensorType(reduced_dtype(self.scalar_op.ufunc, x.dtype), x.shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        function = np.cumsum if self.scalar_op is scalar.add else np.cumprod
        with np.errstate(all="ignore"):
            output_storage[0][0] = function(in_order(inputs[0]), axis=self.axis)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient: totals from the other end.

        That of a running product divides by the elements, so it is nan where one is zero.
        """
        backward = (*[slice(None)] * self.axis, slice(None, None, -1))
        g: Any = output_grads[0]
        if self.scalar_op is scalar.mul:
            g = g * conjugate(outputs[0])
        total = getitem(cumsum(getitem(g, backward), self.axis), backward)
        return [total if self.scalar_op is scalar.add else total / conjugate(inputs[0])]


def _cumulate(scalar_op: Any, x: Any, axis: int | None, what: str) -> Any:
    x = as_tensor_variable(x)
    if axis is None or (x.type.ndim == 0 and reduced_axes(axis, 0, what) == ()):
        x, axis = flatten(x), 0
    return Cumulate(scalar_op, normalize_axis(axis, x.type.ndim, what))(x)


def cumsum(x: Any, axis: int | None = None) -> Any:
    """Return the running sums of `x` along `axis`, or of the flattened `x`."""
    return _cumulate(scalar.add, x, axis, "cumsum")


def cumprod(x: Any, axis: int | None = None) -> Any:
    """Return the running products of `x` along `axis`, or of the flattened `x`.

    The gradient divides by the elements, so it is nan where one is zero.
    """
    return _cumulate(scalar.mul, x, axis, "cumprod")


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return `x` with each element along `axis` (or of the flattened `x`) repeated.

    Parameters
    ----------
    repeats
        How many times: an int or an integer variable of rank 0.
    """
    x = as_tensor_variable(x)
    if axis is None:
        x, axis = flatten(x), 0
    axis = normalize_axis(axis, x.type.ndim, "repeat")
    times = as_length(repeats, "repeat")
    if isinstance(times, int) and times < 0:
        raise ValueError(f"repeat: {times} times")
    return take(x, arange(lengths(x)[axis] * times) // times, axis)


def tile(x: Any, reps: Any) -> Any:
    """Return copies of `x` side by side.

    Parameters
    ----------
    reps
        How many along each axis: an int or an integer variable for the last one, or several, for
        new axes on the left as well if there are more than `x` has axes.
    """
    x = as_tensor_variable(x)
    times = as_lengths(reps, "tile")
    ndim = max(x.type.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    x = x.dimshuffle(*["x"] * (ndim - x.type.ndim), *range(x.type.ndim))
    for axis, n in enumerate(times):
        if not isinstance(n, int):
            length = lengths(x)[axis]
            x = take(x, arange(length * n) % maximum(length, 1), axis)
            continue
        if n < 0:
            raise ValueError(f"tile: {n} times along axis {axis}")
        if n != 1:
            whole = (slice(None),) * axis
            x = join(axis, *[x] * n) if n else getitem(x, (*whole, slice(0, 0)))
    return x


def flip(x: Any, axis: Any = None) -> Any:
    """Return `x` turned round along `axis`: an int, several, or None for all."""
    x = as_tensor_variable(x)
    axes = normalize_axes(axis, x.type.ndim, "flip")
    return getitem(
        x, tuple(slice(None, None, -1 if i in axes else None) for i in range(x.type.ndim))
    )


def roll(x: Any, shift: Any, axis: int | None = None) -> Any:
    """Return `x` with its elements moved on by `shift` along `axis` (or in the flattened `x`).

    What moves past the end comes in again at the front.

    Parameters
    ----------
    shift
        How far: an int or an integer variable of rank 0.
    """
    x = as_tensor_variable(x)
    if axis is None:
        shape = lengths(x)
        return reshape(roll(flatten(x), shift, 0), shape) if x.type.ndim else x
    axis = normalize_axis(axis, x.type.ndim, "roll")
    n = lengths(x)[axis]
    if isinstance(n, int) and n == 0:
        return x
    start = -as_length(shift, "roll") % maximum(n, 1)
    whole = (slice(None),) * axis
    return join(
        axis, getitem(x, (*whole, slice(start, None))), getitem(x, (*whole, slice(None, start)))
    )
