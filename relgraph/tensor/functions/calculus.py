"""Evenly spaced numbers and grids; differences, integrals, interpolation, convolution; running
extremes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.type import number_kind, result_dtype
from relgraph.tensor.along_axes import accumulated, along, length, of_rank, part, weak
from relgraph.tensor.basic import (
    Tensor,
    TensorOp,
    as_argument,
    normalize_axis,
    static_int,
    total_length,
)
from relgraph.tensor.math import conjugated, inexact
from relgraph.tensor.shapes import greater, lengths, lesser


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`, along a new first axis.

    Parameters
    ----------
    start, stop
        The first number and the last one; tensors broadcast.
    num
        How many.
    endpoint
        Whether `stop` is one of them.
    dtype
        The dtype; None for that of a float.

    Examples
    --------
    >>> linspace(0.0, 1.0, 3).eval()
    array([0. , 0.5, 1. ])
    """
    start, stop = (weak(v, "linspace", i) for i, v in enumerate((start, stop)))
    begin, delta = start * 1.0, as_argument(stop * 1.0 - start, "linspace")
    ndim = delta.type.ndim
    steps = at.cast(at.arange(num), delta.type.dtype).dimshuffle(0, *["x"] * ndim)
    parts = num - 1 if endpoint else num
    found = begin + steps * (delta / parts) if parts > 0 else begin + steps * delta
    if endpoint and num > 1:
        found = at.set_subtensor(found[-1], at.second(found[-1], at.cast(stop, found.type.dtype)))
    return found if dtype is None else at.cast(found, dtype)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """Return `num` numbers from `start` to `stop` with a constant ratio, both of one sign.

    Parameters
    ----------
    start, stop
        The first number and the last one.
    num
        How many.
    endpoint
        Whether `stop` is one of them.

    Examples
    --------
    >>> geomspace(1.0, 8.0, 4).eval()
    array([1., 2., 4., 8.])
    """
    start, stop = (weak(v, "geomspace", i) for i, v in enumerate((start, stop)))
    ratio = as_argument(stop * 1.0 / start, "geomspace")
    exponents = at.cast(linspace(0.0, 1.0, num, endpoint), ratio.type.dtype)
    return start * at.pow(ratio, exponents.dimshuffle(0, *["x"] * ratio.type.ndim))


def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0) -> Any:
    """Return powers of `base`, of exponents evenly spaced from `start` to `stop`.

    Parameters
    ----------
    start, stop
        The first exponent and the last one.
    num
        How many.
    endpoint
        Whether `stop` is one of them.
    base
        The base.

    Examples
    --------
    >>> logspace(0.0, 2.0, 3).eval()
    array([  1.,  10., 100.])
    """
    return at.pow(base, linspace(start, stop, num, endpoint))


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of the elements of a vector as columns, the highest one first.

    Parameters
    ----------
    x
        The vector.
    N
        How many powers; None for as many as elements.
    increasing
        Whether the lowest stands first.

    Examples
    --------
    >>> vander([1, 2, 3]).eval()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    n = length(x, 0) if N is None else N
    if x.type.dtype == "bool":
        x = at.cast(x, "int64")
    columns = at.pow(x.dimshuffle(0, "x"), at.arange(n).dimshuffle("x", 0))
    return columns if increasing else at.flip(columns, 1)


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Any]:
    """Return vectors as coordinates of the points of a grid; see `numpy.meshgrid`.

    Parameters
    ----------
    xi
        The vectors.
    sparse
        Whether the results have axes of length 1.
    indexing
        ``xy`` if the first vector is along the second axis, ``ij`` along the first.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: the indexing is xy or ij, not {indexing!r}")
    xs = [at.flatten(as_argument(x, "meshgrid", i)) for i, x in enumerate(xi)]
    places = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        places[:2] = [1, 0]
    spread = [
        x.dimshuffle(*[0 if i == place else "x" for i in range(len(xs))])
        for x, place in zip(xs, places, strict=True)
    ]
    if sparse:
        return spread
    by_axis = dict(zip(places, xs, strict=True))
    shape = tuple(length(by_axis[i], 0) for i in range(len(xs)))
    return [at.broadcast_to(x, shape) for x in spread]


def ix_(*args: Any) -> tuple[Any, ...]:
    """Return index vectors along an axis each, which together pick rows, columns and so on.

    Parameters
    ----------
    args
        The vectors; one of booleans gives the places where it is true.
    """
    xs = [as_argument(x, "ix_", i) for i, x in enumerate(args)]
    chosen = [at.flatnonzero(x) if x.type.dtype == "bool" else x for x in xs]
    return tuple(meshgrid(*chosen, sparse=True, indexing="ij"))


def indices(dimensions: Sequence[Any], dtype: Any = "int64", sparse: bool = False) -> Any:
    """Return the coordinates of the elements of an array of some shape.

    Parameters
    ----------
    dimensions
        The shape.
    dtype
        The dtype of the result.
    sparse
        Whether the coordinates are returned one by one, with axes of length 1.

    Examples
    --------
    >>> indices((2,)).eval()
    array([[0, 1]])
    """
    grids = meshgrid(
        *[at.cast(at.arange(n), dtype) for n in dimensions], sparse=sparse, indexing="ij"
    )
    return tuple(grids) if sparse else at.stack(grids)


def diag_indices_from(arr: Tensor) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of `arr`.

    Parameters
    ----------
    arr
        A tensor whose axes have one length.
    """
    return (at.arange(length(arr, 0)),) * int(arr.type.ndim)


def unravel_index(indices: Tensor, shape: Sequence[Any]) -> tuple[Any, ...]:
    """Return the coordinates of elements whose positions in C order are given.

    Parameters
    ----------
    indices
        The positions.
    shape
        The shape.
    """
    rest, found = at.cast(indices, "int64"), []
    for n in reversed(shape):
        found.append(rest % n)
        rest = rest // n
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Sequence[Any], dims: Sequence[Any]) -> Any:
    """Return the positions in C order of elements whose coordinates are given.

    Parameters
    ----------
    multi_index
        For each axis the coordinates along it.
    dims
        The shape.

    Examples
    --------
    >>> ravel_multi_index(([0, 1], [1, 1]), (2, 2)).eval()
    array([1, 3])
    """
    total: Any = 0
    for index, n in zip(multi_index, dims, strict=True):
        total = total * n + at.cast(as_argument(index, "ravel_multi_index"), "int64")
    return total


class _Grid:
    """What an index with slices is taken of; see `GRIDS`.

    Parameters
    ----------
    sparse
        Whether each axis is returned by itself.
    """

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        several = isinstance(key, tuple)
        axes = [self._axis(part) for part in (key if several else (key,))]
        if not several:
            return axes[0]
        dtype = result_dtype(*[v.type.dtype for v in axes])
        grids = meshgrid(*[at.cast(v, dtype) for v in axes], sparse=self._sparse, indexing="ij")
        return tuple(grids) if self._sparse else at.stack(grids)

    @staticmethod
    def _axis(key: Any) -> Any:
        start, step = 0 if key.start is None else key.start, 1 if key.step is None else key.step
        if isinstance(step, complex):
            return linspace(start, key.stop, int(abs(step)))
        return at.arange(start, key.stop, step)


GRIDS = {"mgrid": _Grid(sparse=False), "ogrid": _Grid(sparse=True)}
"""Coordinates of the points of a grid: ``mgrid[0:n, 0:1:5j]`` stacks them, as `numpy.mgrid` does,
and `ogrid` has a tuple with those of each axis. Bounds may be variables."""


def tril_indices(n: Any, k: int = 0, m: Any = None) -> tuple[Any, ...]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    n, m
        The lengths of its axes; by default the second is as long as the first.
    k
        How far its diagonal is above the main one.
    """
    return _triangle(np.tril_indices, n, k, m, lambda: at.tri(n, m, k))


def triu_indices(n: Any, k: int = 0, m: Any = None) -> tuple[Any, ...]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    n, m
        The lengths of its axes; by default the second is as long as the first.
    k
        How far its diagonal is above the main one.
    """
    return _triangle(np.triu_indices, n, k, m, lambda: at.eq(at.tri(n, m, k - 1), 0))


def _triangle(known: Any, n: Any, k: int, m: Any, mask: Callable[[], Any]) -> tuple[Any, ...]:
    """Return the indices where a mask is true: constants, if the lengths of its axes are known."""
    columns = n if m is None else m
    if all(isinstance(value, int | np.integer) for value in (n, k, columns)):
        return tuple(map(at.constant, known(n, k, columns)))
    found: tuple[Any, ...] = at.nonzero(mask())
    return found


def tril_indices_from(arr: Tensor, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    arr
        The matrix.
    k
        How far its diagonal is above the main one.
    """
    rows, columns = lengths(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Tensor, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    arr
        The matrix.
    k
        How far its diagonal is above the main one.
    """
    rows, columns = lengths(arr)
    return triu_indices(rows, k, columns)


def diff(a: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours along an axis, taken `n` times.

    Parameters
    ----------
    a
        A tensor.
    n
        How often.
    axis
        The axis.
    prepend, append
        What stands before and after the elements of `a` for the purpose; None for nothing.

    Examples
    --------
    >>> diff([1, 2, 4]).eval()
    array([1, 2])
    """
    axis = normalize_axis(axis, a.type.ndim, "diff")
    ends = [None if v is None else _end(v, a, axis) for v in (prepend, append)]
    joined = [v for v in (ends[0], a, ends[1]) if v is not None]
    a = at.join(axis, *joined) if len(joined) > 1 else a
    less = at.neq if a.type.dtype == "bool" else None
    for _ in range(n):
        later, earlier = part(a, axis, slice(1, None)), part(a, axis, slice(None, -1))
        a = later - earlier if less is None else less(later, earlier)
    return a


def _end(value: Any, a: Any, axis: int) -> Any:
    value = as_argument(value, "diff")
    return at.second(part(a, axis, slice(None, 1)), value) if value.type.ndim == 0 else value


def ediff1d(ary: Tensor, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbours in the flattened `ary`, with more at the ends.

    Parameters
    ----------
    ary
        A tensor.
    to_end, to_begin
        What stands after and before the differences.

    Examples
    --------
    >>> ediff1d([1, 2, 4]).eval()
    array([1, 2])
    """
    ary = at.flatten(ary)
    more = [None if v is None else at.cast(at.flatten(as_argument(v, "ediff1d")), ary.type.dtype)
            for v in (to_begin, to_end)]  # fmt: skip
    parts = [v for v in (more[0], diff(ary), more[1]) if v is not None]
    return at.join(0, *parts)


def gradient(f: Tensor, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return slopes by central differences, and one-sided ones at the ends; see `numpy.gradient`.

    Parameters
    ----------
    f
        A tensor.
    varargs
        The distance of neighbours, or their coordinates as a vector: one for all axes, or for each.
    axis
        One axis or several; None for all.
    edge_order
        The order of the slopes at the ends, 1 or 2.

    Examples
    --------
    >>> gradient([1.0, 2.0, 4.0]).eval()
    array([1. , 1.5, 2. ])
    """
    f = inexact(f)
    several = axis if isinstance(axis, tuple | list) else (axis,)
    named = range(f.type.ndim) if axis is None else several
    axes = [normalize_axis(a, f.type.ndim, "gradient") for a in named]
    if len({*axes}) < len(axes):
        raise ValueError(f"gradient: axis {axis!r} names an axis twice")
    given = list(varargs) or [1.0]
    steps = given * len(axes) if len(given) == 1 else given
    if len(steps) != len(axes):
        raise TypeError(f"gradient: {len(steps)} distances for {len(axes)} axes")
    if edge_order != 1:
        raise ValueError("gradient: only edge_order=1")
    found = [_slopes(f, weak(h, "gradient"), a) for h, a in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(f: Any, h: Any, axis: int) -> Any:
    if not isinstance(h, Variable) or h.type.ndim == 0:
        inner = (part(f, axis, slice(2, None)) - part(f, axis, slice(None, -2))) / (2.0 * h)
        first, last = h, h
    else:
        widths = of_rank(diff(h), f.type.ndim, axis)
        before, after = part(widths, axis, slice(None, -1)), part(widths, axis, slice(1, None))
        low, mid, high = (part(f, axis, slice(i, n)) for i, n in ((None, -2), (1, -1), (2, None)))
        inner = (
            -(after / (before * (before + after))) * low
            + (after - before) / (before * after) * mid
            + before / (after * (before + after)) * high
        )
        first, last = part(widths, axis, slice(None, 1)), part(widths, axis, slice(-1, None))
    ends = [part(f, axis, slice(i, n)) for i, n in ((None, 1), (1, 2), (-2, -1), (-1, None))]
    found = at.join(axis, (ends[1] - ends[0]) / first, inner, (ends[3] - ends[2]) / last)
    return at.cast(found, f.type.dtype)


def trapezoid(y: Tensor, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y
        The values of a function.
    x
        Where; None if neighbours are at a distance of `dx`.
    dx
        That distance.
    axis
        The axis.

    Examples
    --------
    >>> trapezoid([1.0, 2.0, 4.0]).eval()
    array(4.5)
    """
    axis = normalize_axis(axis, y.type.ndim, "trapezoid")
    if x is None:
        width = dx
    else:
        x = as_argument(x, "trapezoid", 1)
        width = of_rank(diff(x), y.type.ndim, axis) if x.type.ndim == 1 else diff(x, axis=axis)
    heights = part(y, axis, slice(1, None)) + part(y, axis, slice(None, -1))
    return at.sum(width * heights / 2.0, axis=axis)


def interp(
    x: Tensor, xp: Tensor, fp: Tensor, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Return the values at `x` of the piecewise linear function through points.

    Parameters
    ----------
    xp, fp
        The points: two vectors of one length. `xp` ascends, unless there is a period.
    left, right
        The values before the first point and after the last one; by default those of the points.
    period
        After which the values repeat: a number that is not 0. Then there is no end.
    """
    if xp.type.ndim != 1 or fp.type.ndim != 1:
        raise TypeError(f"interp: the points are a {xp.type} and a {fp.type}, not two vectors")
    if xp.type.shape[0] == 0:
        raise ValueError("interp: there is no point")
    x, xp, fp = at.cast(x, "float64"), at.cast(xp, "float64"), inexact(fp)
    # a fill raises an error if the lengths differ
    fp = at.cast(at.second(xp, fp), fp.type.dtype)
    if period is not None:
        if static_int(period) == 0 or (number_kind(period) is not None and period == 0):
            raise ValueError("interp: the period is 0")
        left = right = None
        period = at.abs(as_argument(period, "interp", 5))
        x, xp = at.mod(x, period), at.mod(xp, period)
        order = at.argsort(xp, 0)
        xp, fp = at.take(xp, order, 0), at.take(fp, order, 0)
        xp = at.join(
            0, part(xp, 0, slice(-1, None)) - period, xp, part(xp, 0, slice(0, 1)) + period
        )
        fp = at.join(0, part(fp, 0, slice(-1, None)), fp, part(fp, 0, slice(0, 1)))
    last = length(xp, 0) - 1
    i = at.clip(at.searchsorted(xp, x, side="right") - 1, 0, last - 1)
    low, high = at.take(xp, i, 0), at.take(xp, i + 1, 0)
    f_low, f_high = at.take(fp, i, 0), at.take(fp, i + 1, 0)
    slope = (f_high - f_low) / (high - low)
    found = f_low + slope * (x - low)
    # between two values one of which is infinite it is that one, and at a point the other
    found = at.switch(at.isnan(found), f_high - slope * (high - x), found)
    found = at.switch(at.eq(x, high), f_high, at.switch(at.eq(x, low), f_low, found))
    found = at.switch(at.lt(x, xp[0]), fp[0] if left is None else left, found)
    return at.switch(at.gt(x, xp[-1]), fp[-1] if right is None else right, found)


def unwrap(p: Any, discont: Any = None, axis: int = -1, period: Any = 2 * np.pi) -> Any:
    """Return angles without jumps of more than half a period along an axis.

    Parameters
    ----------
    p
        Angles.
    discont
        The least jump that is removed; None for half a period.
    axis
        The axis.
    period
        The period.

    Examples
    --------
    >>> unwrap([0.0, 6.0]).eval()
    array([ 0.        , -0.28318531])
    """
    p, axis = along(p, axis, "unwrap")
    steps = diff(p, axis=axis)
    steps, p = at.cast(steps, inexact(p).type.dtype), inexact(p)
    half = period / 2
    folded = at.mod(steps + half, period) - half
    folded = at.switch(at.eq(folded, -half) & at.gt(steps, 0), half, folded)
    change = at.switch(
        at.lt(at.abs(steps), half if discont is None else discont), 0, folded - steps
    )
    later = part(p, axis, slice(1, None)) + at.cumsum(change, axis)
    return at.join(axis, part(p, axis, slice(None, 1)), later)


class Convolve(TensorOp):
    """The convolution of two vectors, neither of which is empty: all places where they overlap."""

    nin = 2
    ranks = (1,)

    def compute(self, node: Apply, a: Any, v: Any) -> Any:
        return np.convolve(a, v)

    def output_shapes(self, a: Any, v: Any) -> list[Any]:
        return [(total_length([a[0], v[0], -1]),)]

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        return [self._slope(g, *pair) for pair in (inputs, inputs[::-1])]

    def _slope(self, g: Any, x: Any, other: Any) -> Any:
        turned = at.flip(conjugated(other), 0)
        found = self(g, turned)
        start = length(other, 0) - 1
        return at.getitem(found, slice(start, start + length(x, 0)))


def convolve(a: Tensor, v: Tensor, mode: str = "full") -> Any:
    """Return the convolution of two vectors: ``full``, ``same`` or ``valid`` as in NumPy.

    Parameters
    ----------
    a, v
        Vectors.
    mode
        Whether all shifts count, as many as the longer vector has elements, or those at which
        the vectors overlap completely.

    Examples
    --------
    >>> convolve([1, 2, 3], [1, 1]).eval()
    array([1, 3, 5, 3])
    """
    a, v = at.flatten(a), at.flatten(v)
    n, m = length(a, 0), length(v, 0)
    return _overlap(Convolve()(a, v), n, m, mode, "convolve")


def _overlap(full: Any, n: Any, m: Any, mode: str, what: str) -> Any:
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError(f"{what}: the mode is full, same or valid, not {mode!r}")
    longer, shorter = greater(n, m), lesser(n, m)
    if mode == "same":
        start = (shorter - 1) // 2
        return at.getitem(full, slice(start, start + longer))
    return at.getitem(full, slice(shorter - 1, longer))


def correlate(a: Tensor, v: Tensor, mode: str = "valid") -> Any:
    """Return the sums of the products of `a` with the conjugate of `v`, shifted.

    Parameters
    ----------
    a, v
        Vectors.
    mode
        As in `convolve`.

    Examples
    --------
    >>> correlate([1, 2, 3], [1, 1]).eval()
    array([3, 5])
    """
    n, m = length(a, 0), length(v, 0)
    full = Convolve()(a, at.flip(conjugated(v), 0))
    if mode == "same" and not (isinstance(n, int) and isinstance(m, int) and n >= m):
        # which of two middle places is meant depends on which vector is longer
        longer, shorter = greater(n, m), lesser(n, m)
        start = at.switch(at.lt(n, m), shorter // 2, (shorter - 1) // 2)
        return at.getitem(full, slice(start, start + longer))
    return _overlap(full, n, m, mode, "correlate")


def cummax(x: Any, axis: int | None = None) -> Any:
    """Return the greatest elements so far along an axis; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> cummax([1, 3, 2]).eval()
    array([1, 3, 3])
    """
    return accumulated(scalar.maximum, x, axis)


def cummin(x: Any, axis: int | None = None) -> Any:
    """Return the least elements so far along an axis; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> cummin([3, 1, 2]).eval()
    array([3, 1, 1])
    """
    return accumulated(scalar.minimum, x, axis)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """Return ``log(cumsum(exp(x)))``, without overflow.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> logcumsumexp([0.0, 0.0]).eval()
    array([0.        , 0.69314718])
    """
    return accumulated(scalar.logaddexp, x, axis)
