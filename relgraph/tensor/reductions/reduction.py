"""`CAReduce`, and the reductions by it: sum, prod, max, min, any, all."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp
from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.op import FoldOp
from relgraph.tensor.axes import reduced_axes, without_axes
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.elemwise.relative_dimshuffle import RelativeDimShuffle
from relgraph.tensor.math import cast, eq, neq, second, switch
from relgraph.tensor.memory_layout import in_order
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


@cache
def reduced_dtype(ufunc: Any, dtype: str) -> str:
    """Return the dtype in which a ufunc of NumPy reduces arrays of `dtype`."""
    return str(ufunc.reduce(np.ones(1, dtype)).dtype)


class CAReduce(RelativeOp):
    """Reduces some axes of a tensor by a commutative and associative scalar op.

    The output lacks the reduced axes. It has the dtype that NumPy gives it: small integers are
    summed as int64, say.

    Parameters
    ----------
    scalar_op
        A `FoldOp` whose ufunc can reduce: ``relgraph.scalar.add``, say.
    axis
        The axes: an int, or several. The op of a node has None for all axes, or else a sorted tuple
        of ints counted from the front; see `for_rank`.

    Raises
    ------
    TypeError
        If `scalar_op` has no ufunc of two arguments, or the order in which it combines elements
        makes a difference.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: Any = None) -> None:
        if not isinstance(scalar_op.ufunc, np.ufunc) or scalar_op.ufunc.nin != 2:
            raise TypeError(f"CAReduce: no ufunc of two arguments reduces by {scalar_op}")
        if not isinstance(scalar_op, FoldOp):
            raise TypeError(
                f"CAReduce: {scalar_op} is no FoldOp, an op that is commutative and associative"
            )
        self.scalar_op = scalar_op
        self.ufunc: np.ufunc = scalar_op.ufunc
        if axis is not None:
            axis = tuple(axis) if isinstance(axis, Sequence) else (axis,)
        self.axis = axis
        # (0,) is all axes of a vector, which a node has as None
        self.relative = None if axis is None else CAReduce
        normalized = axis is None or (
            builtins.all(a >= 0 for a in axis) and list(axis) == sorted(set(axis))
        )
        # From this rank on, the axes of this op are normalized; None if they never are.
        self._least_ndim = (
            0 if axis is None else 1 + builtins.max((len(axis), *axis)) if normalized else None
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
        """Return the op with its axes normalized for an input of rank `ndim`.

        Raises
        ------
        ValueError
            If the input lacks an axis.
        """
        if self._least_ndim is not None and (self.axis is None or ndim >= self._least_ndim):
            return self
        axes = reduced_axes(self.axis, ndim, str(self))
        normalized = CAReduce(self.scalar_op, None if len(axes) == ndim else axes)
        assert isinstance(normalized, CAReduce)
        return normalized

    def for_inputs(self, inputs: Sequence[Any]) -> CAReduce:
        return self.for_rank(inputs[0].type.ndim)

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        axes = self.axes(x.ndim)
        shape = without_axes(x.shape, axes)
        return [TensorType(reduced_dtype(self.ufunc, x.dtype), shape)]

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes that are reduced of an input of rank `ndim`, as a tuple."""
        return tuple(range(ndim)) if self.axis is None else self.axis

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        (x,) = inputs
        if self.ufunc.identity is None:
            for axis in self.axes(x.ndim):
                if x.shape[axis] == 0 and x.size == 0 and _kept_size(x, self.axes(x.ndim)):
                    raise ValueError(
                        f"{self}: axis {axis} of {node.inputs[0]} has length 0 "
                        f"(its shape is {x.shape}), and of nothing there's no extreme"
                    )
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(self.ufunc.reduce(in_order(x), axis=self.axis))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        axes = self.axes(len(shapes[0]))
        return [without_axes(shapes[0], axes)]

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


def _kept_size(x: Any, axes: tuple[int, ...]) -> int:
    """Return the number of elements of `x` reduced over `axes`."""
    return int(np.prod(without_axes(x.shape, axes)))


def restore_axes(reduced: Any, axes: Sequence[int], ndim: int) -> Any:
    """Return a reduced tensor with axes of length 1 in place of the `axes` that were reduced.

    Parameters
    ----------
    ndim
        The rank before the reduction.
    """
    if not axes:
        return reduced
    kept = iter(range(ndim))
    return reduced.dimshuffle(*["x" if i in axes else next(kept) for i in range(ndim)])


def _sum_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    return second(x, restore_axes(g, axes, x.type.ndim))


def _prod_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """Return the gradient of a product: for each element the product of the others.

    With one zero among the factors only that element has a gradient, with more zeros none has. The
    terms with the sum of the zeros are zero themselves, and their derivatives are not: they make
    the second derivative right where elements are zero. The third one is not.
    """
    ndim = x.type.ndim
    x = conjugate(x)
    is_zero = eq(x, 0)
    others = switch(is_zero, 1, x)
    product = restore_axes(prod(others, axis=axes), axes, ndim)
    zeros = restore_axes(sum(is_zero, axis=axes), axes, ndim)
    nothing = switch(is_zero, x, 0)
    all_zeros = restore_axes(sum(nothing, axis=axes), axes, ndim)
    other_zero = product * (all_zeros - nothing)
    at_zero = switch(eq(zeros, 1), product, switch(eq(zeros, 2), other_zero, 0))
    without = switch(eq(zeros, 0), product, switch(eq(zeros, 1), product * all_zeros, 0))
    elsewhere = without / others
    return restore_axes(g, axes, ndim) * switch(is_zero, at_zero, elsewhere)


def _extreme_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """Return the gradient of an extreme: equal elements share it in equal parts.

    It is 0 where the extreme is nan.
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
        return _reduce_term(scalar_op, x, axis, keepdims, dtype)
    if dtype is not None:
        x = cast(x, dtype)
    ndim = x.type.ndim
    axes = reduced_axes(axis, ndim, what)
    out = CAReduce(scalar_op, None if len(axes) == ndim else axes)(x)
    if keepdims:
        out = restore_axes(out, axes, ndim)
    return out if dtype is None else cast(out, dtype)


def _reduce_term(scalar_op: Any, x: Any, axis: Any, keepdims: bool, dtype: Any) -> Any:
    """Return the term for a reduction in a law.

    Raises
    ------
    AsksForType
        If there is a `dtype`: whether that is a node depends on the dtype of `x`.
    """
    what = _NAMES[scalar_op]
    if dtype is not None:
        raise AsksForType(
            f"{what} of a logic variable takes no dtype: write cast({what}(...), {dtype!r})"
        )
    out = CAReduce(scalar_op, tuple(axis) if isinstance(axis, list) else axis)(x)
    return kept_axes(out, axis, what) if keepdims else out


def kept_axes(reduced: Any, axis: Any, what: str) -> Any:
    """Return the term for a reduction in a law that keeps its axes with length 1.

    Raises
    ------
    AsksForType
        If `axis` is None or a logic variable: how many axes there are is not known.
    """
    if axis is None or isinstance(axis, LogicTerm):
        raise AsksForType(
            f"{what} of a logic variable keeps axes that are named only, and axis is {axis}: "
            "write axis=..., or a DimShuffle of it"
        )
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    return RelativeDimShuffle("expand_dims", (axes,))(reduced)


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of `x` over `axis`.

    Parameters
    ----------
    axis
        An int, a sequence of ints, or None for all axes.
    dtype
        The dtype to sum in and to return; by default that of `numpy.sum`, which is int64 or uint64
        for smaller integers.
    keepdims
        Whether to keep the reduced axes, with length 1.
    """
    return _reduce(scalar.add, x, axis, keepdims, dtype)


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the product of `x` over `axis`; for the parameters see `sum`.

    Parameters
    ----------
    x, axis, dtype, keepdims
        As those of `sum`.

    >>> prod([2, 3]).eval()
    array(6)
    """
    return _reduce(scalar.mul, x, axis, keepdims, dtype)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest element of `x` over `axis`; nan if an element is nan.

    Equal greatest elements share the gradient in equal parts.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> max([1, 3, 2]).eval()
    array(3)
    """
    return _reduce(scalar.maximum, x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the least element of `x` over `axis`; nan if an element is nan.

    Equal least elements share the gradient in equal parts.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> min([3, 1, 2]).eval()
    array(1)
    """
    return _reduce(scalar.minimum, x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the difference of the greatest and the least element of `x` over `axis`.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> ptp([1, 3, 2]).eval()
    array(2)
    """
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def _as_bool(x: Any) -> Any:
    x = as_tensor_variable(x)
    return x if isinstance(x, LogicTerm) or x.type.dtype == "bool" else neq(x, 0)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element of `x` over `axis` is not zero, as bool.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> any([True, False]).eval()
    array(True)
    """
    return _reduce(scalar.or_, _as_bool(x), axis, keepdims)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether all elements of `x` over `axis` are not zero, as bool.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> all([True, False]).eval()
    array(False)
    """
    return _reduce(scalar.and_, _as_bool(x), axis, keepdims)


def sum_like(g: Any, x: Any) -> Any:
    """Return `g`, summed to the shape of `x`, which broadcasts to the shape of `g`.

    The sum is over the leading axes that `x` lacks, and those where its static length is 1.
    """
    missing = g.type.ndim - x.type.ndim
    ones = [
        i + missing for i, n in enumerate(x.type.shape) if n == 1 and g.type.shape[i + missing] != 1
    ]
    if ones:
        g = restore_axes(sum(g, axis=ones), ones, g.type.ndim)
    return sum(g, axis=tuple(range(missing))) if missing else g
