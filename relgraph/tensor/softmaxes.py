"""Softmax, log-softmax and log-sum-exp, computed so that large inputs don't overflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp, Storage
from relgraph.graph.utils import LogicTerm
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
from relgraph.tensor.reductions import kept_axes, restore_axes
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.type import TensorType

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

    def output_types(self, x: TensorType) -> list[TensorType]:
        self.axes(x.ndim)
        if np.dtype(x.dtype).kind != "f":
            raise TypeError(f"{self.name}: the input is a {x}, not real")
        return [x]

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        x = in_order(inputs[0])
        short = self.axis == 1 and x.ndim == 2 and 0 < x.shape[1] <= _SHORT_ROW
        with np.errstate(all="ignore"):
            if short and len(x) >= _MANY_ROWS:
                result = np.ascontiguousarray(self.along(np.ascontiguousarray(x.T), 0).T)
            else:
                result = self.along(x, self.axis) if x.size else x.copy()
        output_storage[0][0] = result

    def along(self, x: Any, axis: Axes) -> Any:
        """Return the result for an array that is not empty."""
        raise NotImplementedError

    def shifted(self, x: Any, axis: Axes) -> tuple[Any, Any, Any]:
        """Return ``x - max(x)``, its exponentials and their sum, over some axes.

        Where the maximum is not finite, nothing is subtracted.
        """
        largest = np.maximum.reduce(x, axis=axis, keepdims=True)
        finite = np.isfinite(largest)
        if not finite.all():
            largest = np.where(finite, largest, x.dtype.type(0))
        shifted = np.asarray(x - largest)
        exponentials = np.asarray(np.exp(shifted))
        total = np.asarray(np.add.reduce(exponentials, axis=axis, keepdims=True))
        return shifted, exponentials, total

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

    cost = 25.0

    def along(self, x: Any, axis: Axes) -> Any:
        shifted, shares, total = self.shifted(x, axis)
        infinite = np.isinf(total)
        if infinite.any():
            # Beside an infinity any finite element has the share 0, however large it is.
            shares = np.asarray(np.exp(np.where(infinite, shifted - total, shifted)))
        return np.divide(shares, total, out=shares)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        axes, ndim = normalize_axes(self.axis, out.type.ndim, self.name), out.type.ndim
        one = OneElement.in_(g, axes)
        if one is not None:
            # the gradient adds up to zero; the sum of the others has the digits that 1 - out loses
            share = restore_axes(one.part(out) * one.value, axes, ndim)
            others = one.replaced(out, np.zeros((), out.type.dtype)) * -share
            return [one.replaced(others, -sum_(others, axis=axes))]
        return [(g - self.summed(g * out)) * out]


class LogSoftmax(_Softmax):
    """The logarithm of `Softmax`, with the same parameter, without computing the softmax."""

    cost = 25.0

    def along(self, x: Any, axis: Axes) -> Any:
        shifted, _, total = self.shifted(x, axis)
        return np.subtract(shifted, np.log(total, out=total), out=shifted)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g - self.summed(g) * exp(out)]


class LogSumExp(_Softmax):
    """The logarithm of the sum of the exponentials over some axes, which are dropped.

    For no elements it is minus infinity. The parameter is that of `Softmax`.
    """

    cost = 25.0
    name = "logsumexp"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = super().output_types(*input_types)
        return [TensorType(x.dtype, without_axes(x.shape, self.axes(x.ndim)))]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [without_axes(shapes[0], self.axes(len(shapes[0])))]

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(self.array_formula(np, in_order(inputs[0])))

    def array_formula(self, xp: Any, x: Any) -> Any:
        """Return the result, computed with the functions of a module like NumPy."""
        largest = xp.max(x, axis=self.axis, keepdims=True, initial=-xp.inf)
        shift = xp.where(xp.isfinite(largest), largest, x.dtype.type(0))
        total = xp.sum(xp.exp(x - shift), axis=self.axis)
        return xp.log(total) + shift.reshape(total.shape)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        g = restore_axes(g, self.axes(x.type.ndim), x.type.ndim)
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
    return restore_axes(result, normalize_axes(axis, x.type.ndim, "logsumexp"), x.type.ndim)
