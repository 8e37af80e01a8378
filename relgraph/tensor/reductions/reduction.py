"""Reductions: sums, products and extremes over axes."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.axes import normalize_axes, reduced_axes
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.layout import in_order
from relgraph.tensor.math import cast, eq, neq, second, switch
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


@cache
def reduced_dtype(ufunc: Any, dtype: str) -> str:
    """Return the dtype that NumPy accumulates `dtype` in."""
    return str(ufunc.reduce(np.ones(1, dtype)).dtype)


class CAReduce(TypedOp):
    """Reduce some axes of a tensor by a commutative and associative scalar op.

    Parameters
    ----------
    scalar_op
        A binary scalar op whose ufunc can reduce (``relgraph.scalar.add``, say).
    axis
        The axes: None for all, else a sorted tuple of ints from 0 on. A node whose axes are spelt
        otherwise, or that names every axis of its input, gets the op of the usual spelling.

    The output has the dtype that NumPy gives it (small integers are summed as int64, say) and
    lacks the reduced axes.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: Any = None) -> None:
        if not isinstance(scalar_op.ufunc, np.ufunc) or scalar_op.ufunc.nin != 2:
            raise TypeError(f"CAReduce: no ufunc of two arguments reduces by {scalar_op}")
        self.scalar_op = scalar_op
        self.ufunc: np.ufunc = scalar_op.ufunc
        if axis is not None:
            axis = tuple(axis) if isinstance(axis, Sequence) else (axis,)
        self.axis = axis
        usual = axis is None or (
            builtins.all(a >= 0 for a in axis) and list(axis) == sorted(set(axis))
        )
        # The ranks for which the axes are spelt as usual begin here.
        self._least_ndim = (
            0 if axis is None else 1 + builtins.max((len(axis), *axis)) if usual else None
        )

    def __str__(self) -> str:
        name = _NAMES.get(self.scalar_op, f"reduce_{self.scalar_op}")
        return name if self.axis is None else f"{name}{{axis={self.axis}}}"

    @classmethod
    def call_text(cls, props: Sequence[str], arguments: Sequence[str]) -> str:
        name, axis = _LAW_NAMES.get(props[0], f"reduce_{props[0]}"), props[1]
        rest = [] if axis == "None" else [f"axis={axis}"]
        return f"{name}({', '.join([*arguments, *rest])})"

    def for_rank(self, ndim: int) -> CAReduce:
        """Return the op as it is usually spelt for an input with `ndim` dimensions.

        Raises
        ------
        ValueError
            If the input lacks an axis.
        """
        if self._least_ndim is not None and (self.axis is None or ndim >= self._least_ndim):
            return self
        axes = normalize_axes(self.axis, ndim, str(self))
        usual = CAReduce(self.scalar_op, None if len(axes) == ndim else axes)
        assert isinstance(usual, CAReduce)
        return usual

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def make_node(self, *inputs: Any) -> Apply:
        (x,) = self.as_inputs(*inputs)
        return TypedOp.make_node(self.for_rank(x.type.ndim), x)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        axes = self.axes(x.ndim)
        shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        return [TensorType(reduced_dtype(self.ufunc, x.dtype), shape)]

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes that are reduced of an input with `ndim` dimensions."""
        return tuple(range(ndim)) if self.axis is None else self.axis

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        (x,) = inputs
        if self.ufunc.identity is None:
            for axis in self.axes(x.ndim):
                if x.shape[axis] == 0 and x.size == 0 and _rest_size(x, self.axes(x.ndim)):
                    raise ValueError(
                        f"{self}: axis {axis} of {node.inputs[0]} has length 0 "
                        f"(its shape is {x.shape}), and of nothing there's no extreme"
                    )
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(self.ufunc.reduce(in_order(x), axis=self.axis))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        axes = self.axes(len(shapes[0]))
        return [tuple(n for i, n in enumerate(shapes[0]) if i not in axes)]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Variable]:
        x: Any = inputs[0]
        gradient = _GRADIENTS.get(self.scalar_op)
        if gradient is None or is_discrete(outputs[0].type.dtype):
            return [second(x, np.float64(0.0))]
        return [gradient(self.axes(x.type.ndim), x, outputs[0], output_grads[0])]


def _rest_size(x: Any, axes: tuple[int, ...]) -> int:
    """Return how many elements remain of `x` when `axes` are reduced."""
    return int(np.prod([n for i, n in enumerate(x.shape) if i not in axes]))


def restore_axes(reduced: Any, axes: Sequence[int], ndim: int) -> Any:
    """Return `reduced` with axes of length 1 where `axes` of `ndim` were reduced."""
    if not axes:
        return reduced
    kept = iter(range(ndim))
    return reduced.dimshuffle(*["x" if i in axes else next(kept) for i in range(ndim)])


def _sum_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    return second(x, restore_axes(g, axes, x.type.ndim))


def _prod_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """Each element's gradient is the product of the others.

    Where a slice holds one zero, only that element has a gradient; where it holds more, none has.
    (This expression has the right first derivative everywhere; its own derivative, and so the
    second one, is right where no element is zero.)
    """
    ndim = x.type.ndim
    x = conjugate(x)
    is_zero = eq(x, 0)
    others = switch(is_zero, 1, x)
    product = restore_axes(prod(others, axis=axes), axes, ndim)
    zeros = restore_axes(sum(is_zero, axis=axes), axes, ndim)
    at_zero = switch(eq(zeros, 1), product, 0)
    elsewhere = switch(eq(zeros, 0), product, 0) / others
    return restore_axes(g, axes, ndim) * switch(is_zero, at_zero, elsewhere)


def _extreme_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """The elements that tie for the extreme share its gradient in equal parts.

    Where the extreme is nan there is none, and the gradient is 0.
    """
    ndim = x.type.ndim
    extreme = eq(x, restore_axes(out, axes, ndim))
    share = g / cast(sum(extreme, axis=axes), x.type.dtype)
    return switch(extreme, restore_axes(share, axes, ndim), 0)


_GRADIENTS: dict[Any, Callable[[tuple[int, ...], Any, Any, Any], Any]] = {
    scalar.add: _sum_gradient,
    scalar.mul: _prod_gradient,
    scalar.maximum: _extreme_gradient,
    scalar.minimum: _extreme_gradient,
}
_NAMES: dict[Any, str] = {
    scalar.add: "sum",
    scalar.mul: "prod",
    scalar.maximum: "max",
    scalar.minimum: "min",
    scalar.and_: "all",
    scalar.or_: "any",
}
_LAW_NAMES = {str(op): name for op, name in _NAMES.items()}


def _reduce(scalar_op: Any, x: Any, axis: Any, keepdims: bool, dtype: Any = None) -> Any:
    what = _NAMES[scalar_op]
    x = as_argument(x, what)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return _reduce_term(scalar_op, x, axis, keepdims or dtype is not None)
    if dtype is not None:
        x = cast(x, dtype)
    ndim = x.type.ndim
    axes = reduced_axes(axis, ndim, what)
    out = CAReduce(scalar_op, None if len(axes) == ndim else axes)(x)
    if keepdims:
        out = restore_axes(out, axes, ndim)
    return out if dtype is None else cast(out, dtype)


def _reduce_term(scalar_op: Any, x: Any, axis: Any, more: bool) -> Any:
    """Return the term that stands for a reduction inside a law."""
    what = _NAMES[scalar_op]
    if more:
        raise TypeError(
            f"{what} of a logic variable takes no keepdims and no dtype: the first needs a rank, "
            "and either is a node of its own (write the DimShuffle or the cast)"
        )
    if isinstance(axis, LogicTerm) or axis is None:
        return CAReduce(scalar_op, axis)(x)
    axes = tuple(sorted(axis)) if isinstance(axis, tuple | list) else (axis,)
    if builtins.any(a < 0 for a in axes):
        raise ValueError(f"{what} of a logic variable: axis {axis!r} counts from an unknown end")
    return CAReduce(scalar_op, axes)(x)


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of `x` over `axis`.

    Parameters
    ----------
    axis
        An int, several, or None for all.
    dtype
        The dtype to sum in and to return. None: as `numpy.sum` does (integers smaller than 64
        bits become int64 or uint64).
    keepdims
        Keep the reduced axes, with length 1.
    """
    return _reduce(scalar.add, x, axis, keepdims, dtype)


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the product of `x` over `axis` (arguments as in `sum`)."""
    return _reduce(scalar.mul, x, axis, keepdims, dtype)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest element of `x` over `axis`; nan where there is one.

    Elements that tie share the gradient in equal parts.
    """
    return _reduce(scalar.maximum, x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the least element of `x` over `axis`; nan where there is one.

    Elements that tie share the gradient in equal parts.
    """
    return _reduce(scalar.minimum, x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return how far the greatest element of `x` over `axis` is from the least."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def _as_bool(x: Any) -> Any:
    x = as_tensor_variable(x)
    return x if isinstance(x, LogicTerm) or x.type.dtype == "bool" else neq(x, 0)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether some element of `x` over `axis` is not zero."""
    return _reduce(scalar.or_, _as_bool(x), axis, keepdims)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether every element of `x` over `axis` is not zero."""
    return _reduce(scalar.and_, _as_bool(x), axis, keepdims)


def sum_like(g: Any, x: Any) -> Any:
    """Return `g`, which `x` was broadcast to the shape of, summed over the axes of that broadcast.

    These are the axes that `x` lacks on the left, and those that it is known to have length 1 on.
    """
    missing = g.type.ndim - x.type.ndim
    ones = [
        i + missing for i, n in enumerate(x.type.shape) if n == 1 and g.type.shape[i + missing] != 1
    ]
    if ones:
        g = restore_axes(sum(g, axis=ones), ones, g.type.ndim)
    return sum(g, axis=tuple(range(missing))) if missing else g
