"""Ops and functions along one axis: cumulative sums, recurrences, repetition, shifts, sorting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply
from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.scalar.type import number_kind, result_dtype
from relgraph.tensor.assembly import arange, join, ones_like, zeros, zeros_like
from relgraph.tensor.basic import (
    AxisOp,
    TensorOp,
    as_argument,
    as_tensor_variable,
    merge_lengths,
    named_axis,
    normalize_axes,
    normalize_axis,
)
from relgraph.tensor.fortran import LETTERS, blas_function
from relgraph.tensor.indexing import getitem, inc_subtensor, index_along, take
from relgraph.tensor.math import (
    cast,
    check_one_shape,
    conjugated,
    exp,
    gt,
    lt,
    maximum,
    second,
    switch,
)
from relgraph.tensor.memory import in_order
from relgraph.tensor.reductions import reduced_dtype
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.shapes import as_length, as_lengths, flatten, lengths, reshape
from relgraph.tensor.type import TensorType


class OneAxis(AxisOp):
    """Base class of ops along an axis of a tensor that give one of its shape."""

    keeps_shape = True

    def output_types(self, x: TensorType) -> list[TensorType]:
        normalize_axis(self.axis, x.ndim, str(self))
        return super().output_types(x)


class Recurrence(TensorOp):
    """``s[t] = factors[t] * s[t - 1] + terms[t]`` along an axis, from ``s[0] = terms[0]``.

    The inputs are the factors, the first of which is not read, and the terms.
    """

    __props__ = ("axis",)
    nin = 2
    keeps_shape = True

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def output_types(self, x: TensorType, y: TensorType) -> list[TensorType]:
        if x.ndim != y.ndim or not 0 <= self.axis < x.ndim:
            raise TypeError(f"{self}: the inputs are {x} and {y}; wanted is one rank with the axis")
        pairs = enumerate(zip(x.shape, y.shape, strict=True))
        shape = [merge_lengths(pair, axis, str(self)) for axis, pair in pairs]
        return [TensorType(result_dtype(x.dtype, y.dtype), shape)]

    def check(self, node: Apply, *values: Any) -> None:
        check_one_shape(self, *values)

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        factors, terms = (np.asarray(x, node.outputs[0].type.numpy_dtype) for x in values)
        out = terms.copy()
        rows, given = np.moveaxis(out, self.axis, 0), np.moveaxis(factors, self.axis, 0)
        # a call of the BLAS takes as long as three additions of rows
        if 0 < 3 * rows.size <= len(rows) ** 2 and _in_blas(given, terms.dtype):
            for place in np.ndindex(rows.shape[1:]):
                vector = (slice(None), *place)
                rows[vector] = _solution(given[vector], rows[vector])
            return out
        for t in range(1, len(rows)):
            rows[t] += given[t] * rows[t - 1]
        return out

    def input_gradients(self, g: Any, out: Any, x: Any, *rest: Any) -> list[Any]:
        factors, s = conjugated(x), conjugated(out)
        by_terms = _from_the_end(factors, g, self.axis)
        return [by_terms * _after(zeros_like(s), s, self.axis), by_terms]


def _in_blas(factors: Any, dtype: Any) -> bool:
    """Return whether the BLAS solves the recurrence: it does not multiply 0 by an infinity."""
    return dtype.char in LETTERS and bool(np.isfinite(factors).all())


def _solution(factors: Any, terms: Any) -> Any:
    """Return the solution of the recurrence along two vectors: of a system with two diagonals."""
    bands = np.empty((2, len(terms)), terms.dtype, order="F")
    bands[1, :-1] = -factors[1:]
    return blas_function("tbsv", terms.dtype)(1, bands, terms, lower=1, diag=1)


def _after(first: Any, x: Any, axis: int) -> Any:
    """Return `x` moved on by one place, behind the first row of another tensor."""
    return join(axis, part(first, axis, slice(1)), part(x, axis, slice(-1)))


def _from_the_end(factors: Any, terms: Any, axis: int) -> Any:
    """Return what satisfies ``s[t] = factors[t + 1] * s[t + 1] + terms[t]``."""
    # the first factor of a recurrence is not read
    ahead = join(axis, part(factors, axis, slice(1, None)), part(factors, axis, slice(1)))
    return flip(Recurrence(axis)(flip(ahead, axis), flip(terms, axis)), axis)


class Cumulate(OneAxis):
    """What a scalar op makes of all elements up to each one along an axis.

    The dtype of the output is that of the reduction over the axis.

    Parameters
    ----------
    scalar_op
        The op that combines elements: ``relgraph.scalar.add``, ``mul``, ``maximum``, ``minimum`` or
        ``logaddexp``.
    axis
        The axis, in a node counted from the front.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: int) -> None:
        if scalar_op not in _GRADIENTS:
            known = ", ".join(map(str, _GRADIENTS))
            raise TypeError(f"Cumulate: the op is one of {known}, not {scalar_op}")
        super().__init__(axis)
        self.scalar_op = scalar_op
        self.name = scalar_op.accumulation

    def output_dtypes(self, *dtypes: str) -> list[str]:
        return [reduced_dtype(self.scalar_op.ufunc, dtypes[0])]

    def compute(self, node: Apply, x: Any) -> Any:
        x = in_order(x).astype(node.outputs[0].type.dtype, copy=False)
        return self.scalar_op.ufunc.accumulate(x, axis=self.axis)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_GRADIENTS[self.scalar_op](g, out, x, self.axis)]


def _sums_from_the_end(g: Any, out: Any, x: Any, axis: int) -> Any:
    return flip(cumsum(flip(g, axis), axis), axis)


def _by_products(g: Any, out: Any, x: Any, axis: int) -> Any:
    """Return the gradient of running products. An element multiplies those before it; nothing is
    divided by it, so that it may be 0."""
    x = conjugated(x)
    before = Cumulate(scalar.mul, axis)(_after(ones_like(x), x, axis))
    return before * _from_the_end(x, g, axis)


def _of_extremes(passes: Any, g: Any, out: Any, x: Any, axis: int) -> Any:
    """Return the gradient of running extremes: each goes to the first element that reaches it.

    Parameters
    ----------
    passes
        Whether an element is a new extreme, beside the one before.
    """
    rises = passes(part(x, axis, slice(1, None)), part(out, axis, slice(None, -1)))
    first = second(part(x, axis, slice(1)), np.asarray(True))
    places = of_rank(arange(length(x, axis)), x.type.ndim, axis)
    reached = Cumulate(scalar.maximum, axis)(switch(join(axis, first, rises), places, 0))
    return inc_subtensor(getitem(zeros_like(x), places_along(x, reached, axis)), g)


def _shares_of_sums(g: Any, out: Any, x: Any, axis: int) -> Any:
    """Return ``sum(g[i] * exp(x[j] - out[i]) for i >= j)`` for each j, by factors of at most 1."""
    factors = exp(_after(out, out, axis) - out)
    return exp(x - out) * _from_the_end(factors, g, axis)


_GRADIENTS: dict[Any, Callable[[Any, Any, Any, int], Any]] = {
    scalar.add: _sums_from_the_end,
    scalar.mul: _by_products,
    scalar.maximum: partial(_of_extremes, gt),
    scalar.minimum: partial(_of_extremes, lt),
    scalar.logaddexp: _shares_of_sums,
}
"""From the scalar op of a `Cumulate` to the gradient by its input."""


def _apply(op: Callable[[Any], Any], x: Any, axis: int | None, what: str) -> Any:
    """Return what the op of an axis gives for `x`, which is flattened for None."""
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        return op(named_axis(axis, what))(x)
    x, axis = along(x, axis, what)
    return op(axis)(x)


def _with_axis(x: Any) -> Any:
    """Return `x` as a tensor; one of rank 0 as a vector of one element, as NumPy takes it."""
    x = as_tensor_variable(x)
    return flatten(x) if not isinstance(x, LogicTerm) and x.type.ndim == 0 else x


def accumulated(scalar_op: Any, x: Any, axis: int | None, dtype: Any = None) -> Any:
    """Return the results of an op of all elements so far along an axis, computed in a dtype."""
    x = _with_axis(x) if dtype is None else cast(_with_axis(x), dtype)
    out = _apply(partial(Cumulate, scalar_op), x, axis, scalar_op.accumulation)
    return out if dtype is None else cast(out, dtype)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the cumulative sums of `x` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.
    dtype
        The dtype to compute in and to return.

    Examples
    --------
    >>> cumsum([1, 2, 3]).eval()
    array([1, 3, 6])
    """
    return accumulated(scalar.add, x, axis, dtype)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the cumulative products of `x` along `axis`; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.
    dtype
        The dtype to compute in and to return.

    Examples
    --------
    >>> cumprod([1, 2, 3]).eval()
    array([1, 2, 6])
    """
    return accumulated(scalar.mul, x, axis, dtype)


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return `x` with each element along `axis` repeated; for None, of the flattened `x`.

    Parameters
    ----------
    repeats
        How often each element occurs: an int or an integer variable of rank 0; or a vector with a
        number for each element along the axis.
    """
    x, axis = along(x, axis, "repeat")
    if np.ndim(repeats) == 1 or getattr(getattr(repeats, "type", None), "ndim", 0) == 1:
        counts = second(arange(lengths(x)[axis]), as_tensor_variable(repeats))
        total = sum_(counts)
        # the number of an element is that of the elements whose copies end before a place
        ended = inc_subtensor(getitem(zeros(total + 1, "int64"), cumsum(counts)), 1)
        return take(x, part(cumsum(ended), 0, slice(total)), axis)
    times = as_length(repeats, "repeat")
    if isinstance(times, int) and times < 0:
        raise ValueError(f"repeat: {times} times")
    return take(x, arange(lengths(x)[axis] * times) // times, axis)


def tile(x: Any, reps: Any) -> Any:
    """Return copies of `x`, joined along its axes.

    Parameters
    ----------
    x
        A tensor.
    reps
        The number of copies along the last axes: an int, an integer variable, or a sequence of
        these. If there are more than `x` has axes, `x` gets axes in front.
    """
    x = as_tensor_variable(x)
    times = as_lengths(reps, "tile")
    ndim = max(x.type.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    x = as_tensor_variable(x, ndim=ndim)
    for axis, n in enumerate(times):
        if not isinstance(n, int):
            length = lengths(x)[axis]
            x = take(x, arange(length * n) % maximum(length, 1), axis)
            continue
        if n < 0:
            raise ValueError(f"tile: {n} times along axis {axis}")
        if n != 1:
            x = join(axis, *[x] * n) if n else part(x, axis, slice(0, 0))
    return x


def flip(x: Any, axis: Any = None) -> Any:
    """Return `x` reversed along `axis`: an int, a sequence of ints, or None for all axes.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axes along which the order is reversed.

    Examples
    --------
    >>> flip([1, 2, 3]).eval()
    array([3, 2, 1])
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        if isinstance(axis, tuple | list):
            raise AsksForType("flip of a logic variable takes one axis: turn around one at a time")
        return getitem(x, index_along(named_axis(axis, "flip"), slice(None, None, -1)))
    axes = normalize_axes(axis, x.type.ndim, "flip")
    return getitem(
        x, tuple(slice(None, None, -1 if i in axes else None) for i in range(x.type.ndim))
    )


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return `x` with its elements shifted along `axis`; for None, in the flattened `x`.

    Elements that move past the end come in again at the front.

    Parameters
    ----------
    shift
        The number of positions: an int or an integer variable of rank 0. A tuple or list of them
        goes with the axes.
    axis
        An int, or a tuple or list of them: the elements are shifted along each.
    """
    x = as_tensor_variable(x)
    if isinstance(axis, tuple | list):
        shifts = shift if isinstance(shift, tuple | list) else [shift] * len(axis)
        axes = list(axis) * len(shifts) if len(axis) == 1 else axis
        if len(shifts) == 1:
            shifts = list(shifts) * len(axes)
        if len(shifts) != len(axes):
            raise ValueError(f"roll: {len(shifts)} shifts along {len(axes)} axes")
        for one, along in zip(shifts, axes, strict=True):
            x = roll(x, one, normalize_axis(along, x.type.ndim, "roll"))
        return x
    if axis is None:
        shape = lengths(x)
        return reshape(roll(flatten(x), shift, 0), shape) if x.type.ndim else x
    axis = normalize_axis(axis, x.type.ndim, "roll")
    n = lengths(x)[axis]
    if isinstance(n, int) and n == 0:
        return x
    start = -as_length(shift, "roll") % maximum(n, 1)
    return join(axis, part(x, axis, slice(start, None)), part(x, axis, slice(None, start)))


class Sort(OneAxis):
    """The elements along an axis in ascending order, nan last; equal elements keep their order.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    """

    cost = 10.0

    def compute(self, node: Apply, *values: Any) -> Any:
        return np.sort(values[0], axis=self.axis, stable=True)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        """Return the gradient, in the order of the input."""
        argsort_ = ArgSort(self.axis)
        inverse = argsort_(argsort_(x))
        return [getitem(g, places_along(g, inverse, self.axis))]


class ArgSort(OneAxis):
    """The indices that sort the elements along an axis, as int64.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    """

    cost = 10.0
    name = "argsort"
    fixed_dtype = "int64"

    def compute(self, node: Apply, x: Any) -> Any:
        return np.argsort(x, axis=self.axis, stable=True).astype("int64", copy=False)


def sort(x: Any, axis: int | None = -1, kind: str | None = None) -> Any:
    """Return the elements of `x` along `axis` in ascending order; for None, of the flattened `x`.

    nan come last; equal elements keep their order, whatever NumPy's `kind` of the algorithm.
    """
    return _apply(Sort, x, axis, "sort")


def argsort(x: Any, axis: int | None = -1, kind: str | None = None) -> Any:
    """Return the indices that sort `x` along `axis`, as int64; see `sort`, for `kind` too.

    As in NumPy, a tensor of rank 0 is taken for a vector of one element.
    """
    return _apply(ArgSort, _with_axis(x), axis, "argsort")


def part(x: Any, axis: int, key: Any) -> Any:
    """Return ``x[..., key, ...]`` along an axis counted from the front."""
    return getitem(x, index_along(axis, key))


def places_along(x: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """Return the index of the elements at `indices` along an axis, and at their places else."""
    ndim = x.type.ndim
    return tuple(
        indices if d == axis else of_rank(arange(length(x, d)), ndim, d) for d in range(ndim)
    )


def along(x: Any, axis: Any, what: str) -> tuple[Any, int]:
    """Return `x` as a tensor, and an axis counted from the front; for None `x` is flattened."""
    x = as_argument(x, what)
    if axis is None:
        return flatten(x), 0
    return x, normalize_axis(axis, x.type.ndim, what)


def length(x: Any, axis: int) -> Any:
    """Return the length of an axis: an int where it is known."""
    return lengths(x)[axis]


def weak(x: Any, what: str, position: int = 0) -> Any:
    """Return `x` as a tensor, but a Python number as it is: its dtype follows from the others."""
    return x if number_kind(x) is not None else as_argument(x, what, position)


def of_rank(x: Any, ndim: int, at: int = 0) -> Any:
    """Return a vector as a tensor of some rank, along the axis `at`."""
    order: list[Any] = ["x"] * ndim
    order[at] = 0
    return x.dimshuffle(*order)
