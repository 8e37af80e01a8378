"""Cumulative sums and products along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.along_axes.one_axis import OneAxis
from relgraph.tensor.along_axes.recurrences import AlongAxis, Array, Recurrence
from relgraph.tensor.assembly.creation import ones_like, zeros_like
from relgraph.tensor.axes import named_axis, normalize_axis, reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.memory_layout import in_order
from relgraph.tensor.reductions.reduction import reduced_dtype
from relgraph.tensor.shapes.reshaping import flatten


class Cumulate(OneAxis, RelativeOp):
    """The cumulative sums or products along an axis.

    The dtype of the output is that of the reduction over the axis.

    Parameters
    ----------
    scalar_op
        The op that combines elements: ``relgraph.scalar.add`` or ``mul``.
    axis
        The axis, in a node counted from the front.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: int) -> None:
        if scalar_op not in (scalar.add, scalar.mul):
            raise TypeError(f"Cumulate: {scalar_op} is neither add nor mul")
        self.scalar_op = scalar_op
        self.axis = axis
        self.relative = Cumulate if axis < 0 else None

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        return Cumulate(self.scalar_op, normalize_axis(self.axis, inputs[0].type.ndim, str(self)))

    def __str__(self) -> str:
        name = "cumsum" if self.scalar_op is scalar.add else "cumprod"
        return f"{name}{{axis={self.axis}}}"

    def output_dtype(self, dtype: str) -> str:
        return reduced_dtype(self.scalar_op.ufunc, dtype)

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        function = np.cumsum if self.scalar_op is scalar.add else np.cumprod
        with np.errstate(all="ignore"):
            output_storage[0][0] = function(in_order(inputs[0]), axis=self.axis)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient of sums, cumulative sums from the other end, or `CumprodGradient`."""
        g: Any = output_grads[0]
        if self.scalar_op is scalar.add:
            backward = (*[slice(None)] * self.axis, slice(None, None, -1))
            return [getitem(cumsum(getitem(g, backward), self.axis), backward)]
        return [CumprodGradient(self.axis)(conjugate(inputs[0]), g)]


class CumprodGradient(AlongAxis):
    """The sums of the products ``g[i] * prod(x[k] for k <= i)`` over ``i >= j``, without ``x[j]``.

    The inputs are `x` and `g`. Before the first zero of `x` the products are divided by the
    element; the first zero has those in which 1 stands in its place, and what comes after it none.
    """

    name = "cumprod_gradient"

    def compute(self, x: Array, g: Array) -> Array:
        is_zero = x == 0
        zeros = np.cumsum(is_zero, self.axis)
        is_first = is_zero & (zeros == 1)
        of_all = self._from_the_end(g * np.cumprod(x, self.axis))
        without = np.cumprod(np.where(is_first, 1, x), self.axis)
        at_first = np.where(is_first, self._from_the_end(g * without), 0)
        return np.where(zeros == 0, of_all / np.where(is_zero, 1, x), at_first)

    def _from_the_end(self, a: Array) -> Array:
        return np.flip(np.cumsum(np.flip(a, self.axis), self.axis), self.axis)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient. Each element is the product of what comes before it, `p`, and of
        ``s[j] = g[j] + x[j + 1] * s[j + 1]``: no division, and so it is right at zeros too."""
        x, g = (conjugate(v) for v in inputs)
        v: Any = output_grads[0]
        before = self.after(ones_like(x), x)
        p = Cumulate(scalar.mul, self.axis)(before)
        s = self.backward(x, g)
        by_before = self(before, v * s)
        by_g = Recurrence(self.axis)(x, v * p)
        by_x = self.after(zeros_like(by_g), by_g) * s
        # x[j] is the element before the next one; the last is before none
        ahead = self.after(zeros_like(by_before), self.reversed(by_before))
        return [by_x + self.reversed(ahead), by_g]


def _cumulate(scalar_op: Any, x: Any, axis: int | None, what: str) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return Cumulate(scalar_op, named_axis(axis, what))(x)
    if axis is None or (x.type.ndim == 0 and reduced_axes(axis, 0, what) == ()):
        x, axis = flatten(x), 0
    return Cumulate(scalar_op, normalize_axis(axis, x.type.ndim, what))(x)


def cumsum(x: Any, axis: int | None = None) -> Any:
    """Return the cumulative sums of `x` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> cumsum([1, 2, 3]).eval()
    array([1, 3, 6])
    """
    return _cumulate(scalar.add, x, axis, "cumsum")


def cumprod(x: Any, axis: int | None = None) -> Any:
    """Return the cumulative products of `x` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> cumprod([1, 2, 3]).eval()
    array([1, 2, 6])
    """
    return _cumulate(scalar.mul, x, axis, "cumprod")
