"""Softmax, log-softmax and log-sum-exp, computed so that large inputs don't overflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp
from relgraph.graph.utils import LogicTerm
from relgraph.introspection import public_functions
from relgraph.scalar.op import where_not
from relgraph.scalar.type import is_discrete
from relgraph.tensor.basic import (
    TensorOp,
    as_tensor_variable,
    normalize_axes,
    normalize_axis,
    without_axes,
)
from relgraph.tensor.indexing import OneElement
from relgraph.tensor.math import cast, exp
from relgraph.tensor.memory import in_order
from relgraph.tensor.reductions import kept_axes
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.shapes import expand_dims

Axes = int | tuple[int, ...] | None


# NumPy goes through short rows one after the other, and through columns side by side.
_SHORT_ROW, _MANY_ROWS = 32, 64


class _Softmax(RelativeOp, TensorOp):
    """Base class of `Softmax`, `LogSoftmax` and `LogSumExp`.

    Parameters
    ----------
    axis
        An int, a tuple of ints, or None for all axes. The op of a node has None for all axes, an
        int for one, a sorted tuple for several, and counts them from the front.
    """

    __props__ = ("axis",)
    keeps_shape = True
    takes_floats = True
    cost = 25.0

    def __init__(self, axis: Axes = -1) -> None:
        self.axis = axis
        self.relative = None if axis is None else type(self)

    def for_inputs(self, inputs: Sequence[Any]) -> _Softmax:
        ndim = inputs[0].type.ndim
        if type(self.axis) is int and 0 <= self.axis < ndim > 1:
            return self
        axes = self.axes(ndim)
        if len(axes) == ndim:
            return type(self)(None)
        return type(self)(axes[0] if len(axes) == 1 else axes)

    def as_inputs(self, *inputs: Any) -> list[Any]:
        (x,) = super().as_inputs(*inputs)
        return [cast(x, "float64") if is_discrete(x.type.dtype) else x]

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes for an input of rank `ndim`, counted from the front, as a tuple."""
        return normalize_axes(self.axis, ndim, self.name)

    def compute(self, node: Apply, *values: Any) -> Any:
        x = in_order(values[0])
        short = self.axis == 1 and x.ndim == 2 and 0 < x.shape[1] <= _SHORT_ROW
        if short and len(x) >= _MANY_ROWS:
            along_columns = type(self)(0)
            assert along_columns.array_formula is not None
            return np.ascontiguousarray(
                along_columns.array_formula(np, np.ascontiguousarray(x.T)).T
            )
        assert self.array_formula is not None
        return np.asarray(self.array_formula(np, x))

    def shifted(self, xp: Any, x: Any) -> tuple[Any, Any]:
        """Return ``x - max(x)`` over the axes, and what is subtracted; where the maximum is not
        finite, that is 0."""
        # np.max takes twice as long to begin
        maximum = np.maximum.reduce if xp is np else xp.max
        largest = maximum(x, axis=self.axis, keepdims=True, initial=-xp.inf)
        shift = where_not(xp, xp.isfinite(largest), largest, lambda: 0)
        return x - shift, shift

    def summed(self, g: Any) -> Any:
        """Return the sum of `g` over the axes, which are kept with length 1."""
        return sum_(g, axis=self.axis, keepdims=True)


class Softmax(_Softmax):
    """The exponentials of the elements, divided by their sum over some axes.

    Parameters
    ----------
    axis
        An int, a tuple of ints, or None for all axes.
    """

    def array_formula(self, xp: Any, x: Any) -> Any:
        shifted, _ = self.shifted(xp, x)
        shares = xp.exp(shifted)
        total = shares.sum(axis=self.axis, keepdims=True)
        # Beside an infinity any finite element has the share 0, however large it is.
        shares = where_not(xp, total < xp.inf, shares, lambda: xp.exp(shifted - total))
        shares /= total
        return shares

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        axes = self.axes(out.type.ndim)
        one = OneElement.in_(g, axes)
        if one is not None:
            # the gradient adds up to zero; the sum of the others has the digits that 1 - out loses
            share = expand_dims(one.part(out) * one.value, axes)
            others = one.replaced(out, np.zeros((), out.type.dtype)) * -share
            return [one.replaced(others, -sum_(others, axis=axes))]
        return [(g - self.summed(g * out)) * out]


class LogSoftmax(_Softmax):
    """The logarithm of `Softmax`, with the same parameter, without computing the softmax."""

    def array_formula(self, xp: Any, x: Any) -> Any:
        shifted, _ = self.shifted(xp, x)
        shifted -= xp.log(xp.exp(shifted).sum(axis=self.axis, keepdims=True))
        return shifted

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g - self.summed(g) * exp(out)]


class LogSumExp(_Softmax):
    """The logarithm of the sum of the exponentials over some axes, which are dropped.

    For no elements it is minus infinity. The parameter is that of `Softmax`.
    """

    name = "logsumexp"

    def output_shapes(self, x: Any) -> list[Any]:
        return [without_axes(x, self.axes(len(x)))]

    def array_formula(self, xp: Any, x: Any) -> Any:
        shifted, shift = self.shifted(xp, x)
        total = xp.exp(shifted).sum(axis=self.axis)
        return xp.log(total) + xp.squeeze(shift, axis=self.axes(x.ndim))

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        g = expand_dims(g, self.axes(x.type.ndim))
        return [g * softmax(x, self.axis)]


def _apply(op: type[_Softmax], x: Any, axis: Any) -> Any:
    # the op hashes its axis, and arrays have no hash
    if isinstance(axis, list) or (isinstance(axis, np.ndarray) and axis.ndim):
        axis = tuple(axis)
    elif isinstance(axis, np.ndarray | Variable) and not isinstance(axis, LogicTerm):
        axis = normalize_axis(axis, as_tensor_variable(x).type.ndim, op.name)
    return op(axis)(as_tensor_variable(x))


def softmax(x: Any, axis: Axes = -1) -> Any:
    """Return ``exp(x) / sum(exp(x), axis)``, computed without overflow.

    Parameters
    ----------
    x
        A real tensor; integers become float64. A nan makes the results of its whole slice nan.
    axis
        An int, a tuple of ints, or None for all axes.
    """
    return _apply(Softmax, x, axis)


def log_softmax(x: Any, axis: Axes = -1) -> Any:
    """Return ``log(softmax(x, axis))``, computed without overflow; see `softmax`.

    Parameters
    ----------
    x, axis
        As those of `softmax`.

    Examples
    --------
    >>> log_softmax([0.0, 0.0]).eval()
    array([-0.69314718, -0.69314718])
    """
    return _apply(LogSoftmax, x, axis)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return ``log(sum(exp(x), axis))``, computed without overflow.

    Parameters
    ----------
    x
        A real tensor; integers become float64. The result for no elements is minus infinity.
    axis, keepdims
        As in `sum`.
    """
    x = as_tensor_variable(x)
    result = _apply(LogSumExp, x, axis)
    if not keepdims:
        return result
    if isinstance(result, LogicTerm):
        return kept_axes(result, axis, "logsumexp")
    return expand_dims(result, normalize_axes(axis, x.type.ndim, "logsumexp"))


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = public_functions(globals())
