"""Differences, integrals, interpolation and convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.scalar.dtypes import is_discrete, number_kind, result_dtype
from relgraph.tensor.along_axes.cumulative import cumsum
from relgraph.tensor.along_axes.rearranging import flip
from relgraph.tensor.along_axes.sorting import argsort
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.axes import normalize_axis, static_int
from relgraph.tensor.basic import as_argument
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.functions.parts import along, inexact, length, of_rank, part, weak
from relgraph.tensor.functions.searching import searchsorted
from relgraph.tensor.indexing.functions import getitem, take
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import cast, clip, eq, gt, isnan, lt, mod, neq, second, switch
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import flatten
from relgraph.tensor.type import TensorType


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
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

    >>> diff([1, 2, 4]).eval()
    array([1, 2])
    """
    a = as_argument(a, "diff")
    axis = normalize_axis(axis, a.type.ndim, "diff")
    ends = [None if v is None else _end(v, a, axis) for v in (prepend, append)]
    joined = [v for v in (ends[0], a, ends[1]) if v is not None]
    a = join(axis, *joined) if len(joined) > 1 else a
    less = neq if a.type.dtype == "bool" else None
    for _ in range(n):
        later, earlier = part(a, axis, slice(1, None)), part(a, axis, slice(None, -1))
        a = later - earlier if less is None else less(later, earlier)
    return a


def _end(value: Any, a: Any, axis: int) -> Any:
    value = as_argument(value, "diff")
    return second(part(a, axis, slice(None, 1)), value) if value.type.ndim == 0 else value


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbours in the flattened `ary`, with more at the ends.

    Parameters
    ----------
    ary
        A tensor.
    to_end, to_begin
        What stands after and before the differences.

    >>> ediff1d([1, 2, 4]).eval()
    array([1, 2])
    """
    ary = flatten(as_argument(ary, "ediff1d"))
    more = [None if v is None else cast(flatten(as_argument(v, "ediff1d")), ary.type.dtype)
            for v in (to_begin, to_end)]  # fmt: skip
    parts = [v for v in (more[0], diff(ary), more[1]) if v is not None]
    return join(0, *parts)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
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

    >>> gradient([1.0, 2.0, 4.0]).eval()
    array([1. , 1.5, 2. ])
    """
    f = inexact(as_argument(f, "gradient"))
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
    found = join(axis, (ends[1] - ends[0]) / first, inner, (ends[3] - ends[2]) / last)
    return cast(found, f.type.dtype)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
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

    >>> trapezoid([1.0, 2.0, 4.0]).eval()
    array(4.5)
    """
    y = as_argument(y, "trapezoid")
    axis = normalize_axis(axis, y.type.ndim, "trapezoid")
    if x is None:
        width = dx
    else:
        x = as_argument(x, "trapezoid", 1)
        width = of_rank(diff(x), y.type.ndim, axis) if x.type.ndim == 1 else diff(x, axis=axis)
    heights = part(y, axis, slice(1, None)) + part(y, axis, slice(None, -1))
    return sum_(width * heights / 2.0, axis=axis)


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
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
    x, xp, fp = (as_argument(v, "interp", i) for i, v in enumerate((x, xp, fp)))
    if xp.type.ndim != 1 or fp.type.ndim != 1:
        raise TypeError(f"interp: the points are a {xp.type} and a {fp.type}, not two vectors")
    if xp.type.shape[0] == 0:
        raise ValueError("interp: there is no point")
    x, xp, fp = cast(x, "float64"), cast(xp, "float64"), inexact(fp)
    # a fill raises an error if the lengths differ
    fp = cast(second(xp, fp), fp.type.dtype)
    if period is not None:
        if static_int(period) == 0 or (number_kind(period) is not None and period == 0):
            raise ValueError("interp: the period is 0")
        left = right = None
        period = abs_(as_argument(period, "interp", 5))
        x, xp = mod(x, period), mod(xp, period)
        order = argsort(xp, 0)
        xp, fp = take(xp, order, 0), take(fp, order, 0)
        xp = join(0, part(xp, 0, slice(-1, None)) - period, xp, part(xp, 0, slice(0, 1)) + period)
        fp = join(0, part(fp, 0, slice(-1, None)), fp, part(fp, 0, slice(0, 1)))
    last = length(xp, 0) - 1
    i = clip(searchsorted(xp, x, side="right") - 1, 0, last - 1)
    low, high = take(xp, i, 0), take(xp, i + 1, 0)
    f_low, f_high = take(fp, i, 0), take(fp, i + 1, 0)
    slope = (f_high - f_low) / (high - low)
    found = f_low + slope * (x - low)
    # between two values one of which is infinite it is that one, and at a point the other
    found = switch(isnan(found), f_high - slope * (high - x), found)
    found = switch(eq(x, high), f_high, switch(eq(x, low), f_low, found))
    found = switch(lt(x, xp[0]), fp[0] if left is None else left, found)
    return switch(gt(x, xp[-1]), fp[-1] if right is None else right, found)


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

    >>> unwrap([0.0, 6.0]).eval()
    array([ 0.        , -0.28318531])
    """
    p, axis = along(p, axis, "unwrap")
    steps = diff(p, axis=axis)
    steps, p = cast(steps, inexact(p).type.dtype), inexact(p)
    half = period / 2
    folded = mod(steps + half, period) - half
    folded = switch(eq(folded, -half) & gt(steps, 0), half, folded)
    change = switch(lt(abs_(steps), half if discont is None else discont), 0, folded - steps)
    later = part(p, axis, slice(1, None)) + cumsum(change, axis)
    return join(axis, part(p, axis, slice(None, 1)), later)


class Convolve(TypedOp):
    """The convolution of two vectors, neither of which is empty: all places where they overlap."""

    __props__ = ()

    def __str__(self) -> str:
        return "convolve"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_argument(x, self, i) for i, x in enumerate(inputs)]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        a, v = input_types
        for i, t in enumerate(input_types):
            if t.ndim != 1:
                raise TypeError(f"convolve: input {i} is a {t}, not a vector")
        lengths = (a.shape[0], v.shape[0])
        n = None if None in lengths else sum(lengths) - 1  # type: ignore[arg-type]
        return [TensorType(result_dtype(a.dtype, v.dtype), (n,))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.convolve(*inputs)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[0][0] + shapes[1][0] - 1,)]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        return [self._slope(output_grads[0], *pair) for pair in (inputs, inputs[::-1])]

    def _slope(self, g: Any, x: Any, other: Any) -> Any:
        turned = flip(conjugate(other), 0)
        found = self(g, turned)
        start = length(other, 0) - 1
        found = getitem(found, slice(start, start + length(x, 0)))
        return found if is_discrete(x.type.dtype) else cast(_of_kind(found, x), x.type.dtype)


def _of_kind(g: Any, x: Any) -> Any:
    wanted, given = (np.dtype(v.type.dtype).kind for v in (x, g))
    return g.real if given == "c" and wanted != "c" else g


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Return the convolution of two vectors: ``full``, ``same`` or ``valid`` as in NumPy.

    Parameters
    ----------
    a, v
        Vectors.
    mode
        Whether all shifts count, as many as the longer vector has elements, or those at which
        the vectors overlap completely.

    >>> convolve([1, 2, 3], [1, 1]).eval()
    array([1, 3, 5, 3])
    """
    a, v = (flatten(as_argument(x, "convolve", i)) for i, x in enumerate((a, v)))
    n, m = length(a, 0), length(v, 0)
    return _overlap(Convolve()(a, v), n, m, mode, "convolve")


def _overlap(full: Any, n: Any, m: Any, mode: str, what: str) -> Any:
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError(f"{what}: the mode is full, same or valid, not {mode!r}")
    longer, shorter = _ordered(n, m)
    if mode == "same":
        start = (shorter - 1) // 2
        return getitem(full, slice(start, start + longer))
    return getitem(full, slice(shorter - 1, longer))


def _ordered(n: Any, m: Any) -> tuple[Any, Any]:
    if isinstance(n, int) and isinstance(m, int):
        return max(n, m), min(n, m)
    return switch(gt(n, m), n, m), switch(gt(n, m), m, n)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Return the sums of the products of `a` with the conjugate of `v`, shifted.

    Parameters
    ----------
    a, v
        Vectors.
    mode
        As in `convolve`.

    >>> correlate([1, 2, 3], [1, 1]).eval()
    array([3, 5])
    """
    a, v = (as_argument(x, "correlate", i) for i, x in enumerate((a, v)))
    n, m = length(a, 0), length(v, 0)
    full = Convolve()(a, flip(conjugate(v), 0))
    if mode == "same" and not (isinstance(n, int) and isinstance(m, int) and n >= m):
        # which of two middle places is meant depends on which vector is longer
        longer, shorter = _ordered(n, m)
        start = switch(lt(n, m), shorter // 2, (shorter - 1) // 2)
        return getitem(full, slice(start, start + longer))
    return _overlap(full, n, m, mode, "correlate")


__all__ = ["convolve", "correlate", "diff", "ediff1d", "gradient", "interp", "trapezoid", "unwrap"]
