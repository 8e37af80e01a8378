"""Sums, products, extremes and their positions, means and variances, over axes."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import Applied
from relgraph.graph.op import Op, RelativeOp, Variables
from relgraph.graph.type import DisconnectedType
from relgraph.graph.utils import AsksForType, LogicTerm, MethodNotDefined
from relgraph.scalar.composite import Composite
from relgraph.scalar.op import FoldOp
from relgraph.scalar.type import check_dtype, is_complex, is_discrete
from relgraph.tensor.basic import (
    AlongAxes,
    as_argument,
    as_tensor_variable,
    normalize_axes,
    normalize_axis,
    reduced_axes,
    without_axes,
)
from relgraph.tensor.conditional import ifelse
from relgraph.tensor.elemwise import DimShuffle, Elemwise, summed_over_broadcast_axes, with_new_axes
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import as_bool, cast, conjugated, eq, second, sqr, sqrt, switch, true_div
from relgraph.tensor.memory import in_order
from relgraph.tensor.shapes import Shape_i, expand_dims, greater, lengths, product, with_axes_joined


@cache
def reduced_dtype(ufunc: Any, dtype: str) -> str:
    """Return the dtype in which a ufunc of NumPy reduces arrays of `dtype`."""
    return str(ufunc.reduce(np.ones(1, dtype)).dtype)


def factors_of_count(count: Variable) -> list[Variable]:
    """Return the variables of which a count is the product, whatever its dtype and rank."""
    found, stack = [], [count]
    while stack:
        var = stack.pop()
        done = var.head.scalar_op if isinstance(var.head, Elemwise) else var.head
        if var.owner is not None and (
            done is scalar.mul or isinstance(done, scalar.Cast | DimShuffle)
        ):
            stack += var.owner.inputs
        else:
            found.append(var)
    return found


def _is_number_of_elements(var: Variable, x: Variable, axes: Sequence[int]) -> bool:
    """Return whether a variable is the product of the lengths of the axes of `x`."""
    nodes = [v.owner for v in factors_of_count(var)]
    lengths_of_x = [node for node in nodes if node is not None and node.inputs[:1] == [x]]
    read = [node.op.i for node in lengths_of_x if isinstance(node.op, Shape_i)]
    return len(read) == len(nodes) and sorted(read) == list(axes)


class CAReduce(RelativeOp, AlongAxes):
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
        name = _name_of(self.scalar_op)
        return name if self.axis is None else f"{name}{{axis={self.axis}}}"

    @classmethod
    def head_with(cls, props: Sequence[str]) -> tuple[str, str]:
        name, axis = _name_of(getattr(scalar, props[0], props[0])), props[1]
        return name, "" if axis == "None" else f"axis={axis}"

    def with_axes_kept(self, arguments: Sequence[Any], order: Sequence[int | str]) -> Any:
        ndim = arguments[0].type.ndim
        axes = self.axes(ndim)
        if tuple(order) != with_new_axes(ndim - len(axes), axes):
            return None
        name, axis = self.head()
        return Applied(name, tuple(arguments), f"{axis}{', ' * bool(axis)}keepdims=True")

    def divided(self, arguments: Sequence[Any], divisor: Any) -> Any:
        (x,) = arguments
        axes = self.axes(x.type.ndim)
        if self.scalar_op is not scalar.add or not _is_number_of_elements(divisor, x, axes):
            return None
        return Applied("mean", (x,), self.head()[1])

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
        return CAReduce(self.scalar_op, None if len(axes) == ndim else axes)

    def for_inputs(self, inputs: Sequence[Any]) -> CAReduce:
        return self.for_rank(inputs[0].type.ndim)

    def output_dtypes(self, *dtypes: str) -> list[str]:
        return [reduced_dtype(self.ufunc, dtypes[0])]

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes that are reduced of an input of rank `ndim`, as a tuple."""
        return tuple(range(ndim)) if self.axis is None else self.axis

    def compute(self, node: Apply, x: Any) -> Any:
        if self.ufunc.identity is None:
            for axis in self.axes(x.ndim):
                if x.shape[axis] == 0 and x.size == 0 and _kept_size(x, self.axes(x.ndim)):
                    raise ValueError(
                        f"{self}: axis {axis} of {node.inputs[0]} has length 0 "
                        f"(its shape is {x.shape}), and of nothing there's no extreme"
                    )
        return np.asarray(self.ufunc.reduce(in_order(x), axis=self.axis))

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        gradient = _GRADIENTS.get(self.scalar_op)
        if gradient is None:
            raise MethodNotDefined(f"{self} has no gradient")
        return [gradient(self.axes(x.type.ndim), x, out, g)]


def _kept_size(x: Any, axes: tuple[int, ...]) -> int:
    """Return the number of elements of `x` reduced over `axes`."""
    return int(np.prod(without_axes(x.shape, axes)))


def _sum_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    return second(x, expand_dims(g, axes))


def _prod_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """Return the gradient of a product: for each element the product of the others.

    With one zero among the factors only that element has a gradient, with more zeros none has. The
    terms with the sum of the zeros are zero themselves, and their derivatives are not: they make
    the second derivative right where elements are zero. The third one is not.
    """
    x = conjugated(x)
    is_zero = eq(x, 0)
    others = switch(is_zero, 1, x)
    product = expand_dims(prod(others, axis=axes), axes)
    zeros = expand_dims(sum(is_zero, axis=axes), axes)
    nothing = switch(is_zero, x, 0)
    all_zeros = expand_dims(sum(nothing, axis=axes), axes)
    other_zero = product * (all_zeros - nothing)
    at_zero = switch(eq(zeros, 1), product, switch(eq(zeros, 2), other_zero, 0))
    without = switch(eq(zeros, 0), product, switch(eq(zeros, 1), product * all_zeros, 0))
    elsewhere = without / others
    return expand_dims(g, axes) * switch(is_zero, at_zero, elsewhere)


def _extreme_gradient(axes: tuple[int, ...], x: Any, out: Any, g: Any) -> Any:
    """Return the gradient of an extreme: equal elements share it in equal parts.

    It is 0 where the extreme is nan.
    """
    extreme = eq(x, expand_dims(out, axes))
    share = g / cast(sum(extreme, axis=axes), x.type.dtype)
    return switch(extreme, expand_dims(share, axes), 0)


_GRADIENTS: dict[Any, Callable[[tuple[int, ...], Any, Any, Any], Any]] = {
    scalar.add: _sum_gradient,
    scalar.mul: _prod_gradient,
    scalar.maximum: _extreme_gradient,
    scalar.minimum: _extreme_gradient,
}


def _name_of(scalar_op: Any) -> str:
    return getattr(scalar_op, "reduction", None) or f"reduce_{scalar_op}"


def _reduce(
    scalar_op: Any,
    x: Any,
    axis: Any,
    keepdims: bool,
    dtype: Any = None,
    initial: Any = None,
    where: Any = None,
) -> Any:
    what = scalar_op.reduction
    x = as_argument(x, what)
    if initial is not None and isinstance(x, Variable):
        usual = reduced_dtype(scalar_op.ufunc, x.type.dtype)
        initial = _of_dtype(initial, usual if dtype is None else check_dtype(dtype))
    if where is not None:
        x = switch(where, x, _left_out(scalar_op, x, initial))
    if initial is not None:
        out = Elemwise(scalar_op)(_reduce(scalar_op, x, axis, keepdims, dtype), initial)
        if scalar_op.ufunc.identity is not None or not isinstance(x, Variable):
            return out
        return _or_initial(out, x, reduced_axes(axis, x.type.ndim, what), keepdims, initial)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return _reduce_term(scalar_op, x, axis, keepdims, dtype)
    if dtype is not None:
        x = cast(x, dtype)
    ndim = x.type.ndim
    axes = reduced_axes(axis, ndim, what)
    out = CAReduce(scalar_op, None if len(axes) == ndim else axes)(x)
    if keepdims:
        out = expand_dims(out, axes)
    return out if dtype is None else cast(out, dtype)


def _of_dtype(initial: Any, dtype: str) -> Any:
    """Return what a reduction starts with in its dtype: as `numpy.sum` has it, 3.5 of integers is
    3.

    Raises
    ------
    OverflowError
        If it is a number out of the range of the dtype.
    """
    return cast(initial if isinstance(initial, Variable) else np.array(initial, dtype), dtype)


def _or_initial(out: Any, x: Any, axes: Sequence[int], keepdims: bool, initial: Any) -> Any:
    """Return a reduction of `x` over some axes, or `initial` where these have no elements."""
    if not axes or builtins.all(x.type.shape[axis] for axis in axes):
        return out
    left = x._ops.full(without_axes(lengths(x), axes), initial)
    if keepdims:
        left = expand_dims(left, axes)
    return ifelse(eq(_element_count(x, axes), 0), left, out)


def _left_out(scalar_op: Any, x: Any, initial: Any) -> Any:
    """Return what a reduction takes in place of an element that is left out."""
    identity = scalar_op.ufunc.identity
    if identity is not None:
        return cast(identity, x.type.dtype)
    if initial is None:
        raise ValueError(f"numpy.{scalar_op.reduction} with `where` needs `initial`")
    return initial


def _reduce_term(scalar_op: Any, x: Any, axis: Any, keepdims: bool, dtype: Any) -> Any:
    """Return the term for a reduction in a law.

    Raises
    ------
    AsksForType
        If there is a `dtype`: whether that is a node depends on the dtype of `x`.
    """
    what = scalar_op.reduction
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
    return expand_dims(reduced, axis)


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
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
    initial
        A number of the dtype of the sum, to which that is added.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.
    """
    return _reduce(scalar.add, x, axis, keepdims, dtype, initial, where)


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
         where: Any = None) -> Any:  # fmt: skip
    """Return the product of `x` over `axis`; for the parameters see `sum`.

    Parameters
    ----------
    x, axis, dtype, keepdims, initial, where
        As those of `sum`.

    Examples
    --------
    >>> prod([2, 3]).eval()
    array(6)
    """
    return _reduce(scalar.mul, x, axis, keepdims, dtype, initial, where)


def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
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
    initial
        A number that is compared too; needed beside `where`, and of no elements.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.

    Examples
    --------
    >>> max([1, 3, 2]).eval()
    array(3)
    """
    return _reduce(scalar.maximum, x, axis, keepdims, None, initial, where)


def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None) -> Any:  # fmt: skip
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
    initial
        A number that is compared too; needed beside `where`, and of no elements.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.

    Examples
    --------
    >>> min([3, 1, 2]).eval()
    array(1)
    """
    return _reduce(scalar.minimum, x, axis, keepdims, None, initial, where)


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

    Examples
    --------
    >>> ptp([1, 3, 2]).eval()
    array(2)
    """
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def _truth_of(x: Any) -> Any:
    """Return `as_bool` of `x`, or a term itself: in laws, what is reduced so is of dtype bool."""
    return x if isinstance(x, LogicTerm) else as_bool(x)


def any(x: Any, axis: Any = None, keepdims: bool = False, where: Any = None) -> Any:
    """Return whether any element of `x` over `axis` is not zero, as bool.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.

    Examples
    --------
    >>> any([True, False]).eval()
    array(True)
    """
    return _reduce(scalar.or_, _truth_of(x), axis, keepdims, where=where)


def all(x: Any, axis: Any = None, keepdims: bool = False, where: Any = None) -> Any:
    """Return whether all elements of `x` over `axis` are not zero, as bool.

    Parameters
    ----------
    x
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.

    Examples
    --------
    >>> all([True, False]).eval()
    array(False)
    """
    return _reduce(scalar.and_, _truth_of(x), axis, keepdims, where=where)


def sum_like(g: Any, x: Any) -> Any:
    """Return `g`, summed to the shape of `x`, which broadcasts to the shape of `g`.

    The sum is over the leading axes that `x` lacks, and those where its static length is 1.
    """
    missing = g.type.ndim - x.type.ndim
    g = sum(g, axis=tuple(range(missing))) if missing else g
    return summed_over_broadcast_axes(g, x)


def _element_count(x: Any, axes: Sequence[int], ddof: int = 0) -> Any:
    """Return how many elements a reduction over `axes` combines, minus `ddof`, but at least 0."""
    all_lengths = lengths(x)
    total = product([all_lengths[axis] for axis in axes])
    return greater(total - ddof, 0) if ddof else total


def _mean_dtype(x: Any, dtype: Any, what: str) -> tuple[str, str]:
    """Return the dtypes that a mean is computed in and returned in: float32 for float16."""
    if isinstance(x, LogicTerm):
        raise AsksForType(
            f"{what} of a logic variable depends on a shape: write it as a sum and a quotient"
        )
    result = check_dtype(dtype) if dtype is not None else x.type.dtype
    if dtype is None and is_discrete(result):
        result = "float64"
    return "float32" if result == "float16" else result, result


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False,
         where: Any = None) -> Any:  # fmt: skip
    """Return the mean of `x` over `axis`: ``sum(x) / count``.

    Parameters
    ----------
    axis, keepdims
        As in `sum`.
    dtype
        The dtype to compute in and to return. None: that of `x`, or float64 for integers.
    where
        A condition that broadcasts to `x`: elements where it is false are left out.
    """
    x = as_tensor_variable(x)
    inner, result = _mean_dtype(x, dtype, "mean")
    axes = reduced_axes(axis, x.type.ndim, "mean")
    total = sum(cast(x, inner), axis=axes, keepdims=keepdims, where=where)
    if where is None:
        count = _element_count(x, axes)
    else:
        count = sum(second(x, where), axis=axes, keepdims=keepdims)
    # as NumPy divides it by an integer; a quotient of two complex numbers rounds on the way
    wide = "complex128" if inner == "complex64" else inner
    return cast(true_div(cast(total, wide), _as_dtype(count, wide)), result)


def _as_dtype(count: Any, dtype: str) -> Any:
    return cast(count, dtype) if isinstance(count, Variable) else np.dtype(dtype).type(count)


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False,
        corrected: bool = False) -> Any:  # fmt: skip
    """Return the variance of `x` over `axis`.

    It is the sum of the squared deviations from the mean, divided by ``count - ddof``.

    Parameters
    ----------
    axis, keepdims
        As in `sum`.
    dtype
        The dtype to compute in. The result has that dtype, or the real one for a complex dtype.
    ddof
        The degrees of freedom that are subtracted from the count.
    corrected
        Whether to take away what the rounding of the mean adds: the square of the sum of the
        deviations, divided by the count. Chan, Golub and LeVeque (1983).
    """
    x = as_tensor_variable(x)
    inner, result = _mean_dtype(x, dtype, "var")
    axes = reduced_axes(axis, x.type.ndim, "var")
    x = cast(x, inner)
    deviation = x - mean(x, axis=axes, keepdims=True)
    square = sqr(abs_(deviation)) if is_complex(inner) else sqr(deviation)
    total = sum(square, axis=axes, keepdims=keepdims)
    if corrected:
        left = sum(deviation, axis=axes, keepdims=keepdims)
        left = sqr(abs_(left)) if is_complex(inner) else sqr(left)
        total = total - true_div(left, _as_dtype(_element_count(x, axes), total.type.dtype))
    out = true_div(total, _as_dtype(_element_count(x, axes, ddof), total.type.dtype))
    return out if is_complex(result) else cast(out, result)


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False,
        corrected: bool = False) -> Any:  # fmt: skip
    """Return the standard deviation of `x` over `axis`: the square root of `var`.

    Parameters
    ----------
    x, axis, dtype, ddof, keepdims, corrected
        As those of `var`.

    Examples
    --------
    >>> std([1.0, 3.0]).eval()
    array(1.)
    """
    x = as_tensor_variable(x)
    axes = reduced_axes(axis, x.type.ndim, "std")
    return sqrt(var(x, axes, dtype, ddof, keepdims, corrected))


class _ArgExtreme(RelativeOp, AlongAxes):
    """The position of the first extreme along an axis, as int64; a nan counts as an extreme.

    Parameters
    ----------
    axis
        The axis, in a node counted from the front; None for the position in the flattened input.
    """

    fixed_dtype = "int64"

    def __init__(self, axis: int | None = None) -> None:
        super().__init__(axis)
        self.relative = None if axis is None else type(self)

    def for_inputs(self, inputs: Sequence[Any]) -> _ArgExtreme:
        ndim = inputs[0].type.ndim
        if self.axis is not None and reduced_axes((self.axis,), ndim, self.name) == ():
            return type(self)(None)
        return type(self)(normalize_axis(self.axis, ndim, self.name))

    def compute(self, node: Apply, x: Any) -> Any:
        length = x.size if self.axis is None else x.shape[self.axis]
        if length == 0:
            which = "an empty input" if self.axis is None else f"axis {self.axis} of length 0"
            raise ValueError(f"{self}: {node.inputs[0]} has shape {x.shape}: no extreme of {which}")
        return np.asarray(getattr(np, self.name)(x, axis=self.axis), dtype="int64")


class Argmax(_ArgExtreme):
    """The position of the first greatest element along an axis; see `argmax`."""


class Argmin(_ArgExtreme):
    """The position of the first least element along an axis; see `argmin`."""


def _arg_reduce(op: type[_ArgExtreme], x: Any, axis: Any, keepdims: bool) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        out = op(axis)(x)
        return kept_axes(out, axis, op.name) if keepdims else out
    ndim = x.type.ndim
    if ndim == 0:
        return op(axis)(x)
    axes = normalize_axes(axis, ndim, op.name)
    out = op(None)(x) if axis is None else _over_axes(op, x, axes)
    return expand_dims(out, axes) if keepdims else out


def _over_axes(op: type[_ArgExtreme], x: Any, axes: tuple[int, ...]) -> Any:
    """Return the positions of extremes among the elements along some axes."""
    if not axes:
        raise ValueError(f"{op.name}: there is no axis, and no position along none")
    if len(axes) == 1:
        return op(axes[0])(x)
    if len(axes) == x.type.ndim:
        return op(None)(x)
    return op(x.type.ndim - len(axes))(with_axes_joined(x, axes))


def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first greatest element of `x` along `axis`, as int64.

    Parameters
    ----------
    x
        A tensor.
    axis
        An int, a tuple or list of ints, or None for all axes. Of several axes the position is that
        among the elements along them, flattened: the last axis goes fastest.
    keepdims
        Whether to keep the axes, with length 1.
    """
    return _arg_reduce(Argmax, x, axis, keepdims)


def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first least element of `x` along `axis`; see `argmax`.

    Parameters
    ----------
    x, axis, keepdims
        As those of `argmax`.

    Examples
    --------
    >>> argmin([3, 1, 2]).eval()
    array(1)
    """
    return _arg_reduce(Argmin, x, axis, keepdims)


class FusedReduction(Op):
    """An elementwise op some of whose outputs are reduced over all axes.

    What is reduced is never there as a whole.

    Parameters
    ----------
    elemwise
        The elementwise op, whose scalar op is a Composite.
    reductions
        For each of its outputs the `CAReduce` that reduces it; None if it is not reduced.

    Raises
    ------
    TypeError
        If the scalar op is not a Composite, or it has another number of outputs.
    ValueError
        If a reduction is not over all axes.
    """

    __props__ = ("elemwise", "reductions")

    def __init__(self, elemwise: Elemwise, reductions: Sequence[CAReduce | None]) -> None:
        self.elemwise = elemwise
        self.reductions = tuple(reductions)
        self.nout = len(self.reductions)
        if not isinstance(elemwise.scalar_op, Composite) or elemwise.inplace_pattern:
            raise TypeError(f"FusedReduction: {elemwise} is not a Composite on its own")
        if elemwise.nout != len(self.reductions):
            raise TypeError(
                f"FusedReduction: {len(self.reductions)} reductions of the {elemwise.nout} outputs "
                f"of {elemwise}"
            )
        for op in self.reductions:
            if op is not None and op.axis is not None:
                raise ValueError(f"FusedReduction: {op} does not reduce all axes")
        # what computes nodes, by how their inputs broadcast
        self.kernels: dict[tuple[tuple[bool, ...], ...], Any] = {}

    def __str__(self) -> str:
        around = ["" if op is None else str(op) for op in self.reductions]
        composite: Any = self.elemwise.scalar_op
        return f"Fused{{{composite.described(around)}}}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.elemwise, self.reductions)

    def make_node(self, *inputs: Any) -> Apply:
        elementwise = self.elemwise.make_node(*inputs)
        outputs = [
            out if op is None else op.make_node(out).outputs[0]
            for out, op in zip(elementwise.outputs, self.reductions, strict=True)
        ]
        return Apply(self, elementwise.inputs, [out.type.make_variable() for out in outputs])

    def compute(self, node: Apply, *values: Any) -> Any:
        shape = self.elemwise.checked_shape(node, values)
        for op in self.reductions:
            if op is not None and op.ufunc.identity is None and 0 in shape:
                raise ValueError(f"{self}: {op} of an array of shape {shape}, which has no extreme")
        results = self.separately(values, shape)
        return results if len(results) > 1 else results[0]

    def separately(self, values: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
        """Return the outputs for arrays that broadcast to a shape, computed one op after the
        other."""
        pairs = zip(self.elemwise.separately(values, shape), self.reductions, strict=True)
        return [
            x if op is None else np.asarray(op.ufunc.reduce(in_order(x), axis=None))
            for x, op in pairs
        ]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        elementwise = self.elemwise.make_node(*node.inputs)
        found = self.elemwise.infer_shape(fgraph, elementwise, shapes)
        return [
            shape if op is None else () for shape, op in zip(found, self.reductions, strict=True)
        ]

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        return self.elemwise.required_lengths(node, shapes)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return self.elemwise.connection_pattern(node)

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients of the elementwise op, each reduction's gradient put in."""
        values = self.elemwise.make_node(*inputs).outputs
        grads = [
            g
            if op is None or isinstance(g.type, DisconnectedType)
            else op.L_op([value], [out], [g])[0]
            for op, value, out, g in zip(
                self.reductions, values, outputs, output_grads, strict=True
            )
        ]
        return self.elemwise.L_op(inputs, values, grads)
