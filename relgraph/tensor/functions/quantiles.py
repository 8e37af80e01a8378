"""Medians and quantiles, with nan seen or passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relgraph.scalar.dtypes import is_discrete, number_kind, result_dtype
from relgraph.tensor.along_axes.sorting import sort
from relgraph.tensor.axes import normalize_axes
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.functions.parts import inexact, length
from relgraph.tensor.functions.searching import take_along_axis
from relgraph.tensor.indexing.functions import getitem, take
from relgraph.tensor.math import cast, ceil, eq, floor, invert, isnan, maximum, switch
from relgraph.tensor.math import round as round_
from relgraph.tensor.reductions.reduction import any as any_
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import expand_dims, reshape, transpose
from relgraph.tensor.shapes.shape import lengths, product

_Place = tuple[Any, Any, Any]


def _linear(place: Any) -> _Place:
    return floor(place), ceil(place), place - floor(place)


def _whole(rounded: Callable[[Any], Any]) -> Callable[[Any], _Place]:
    return lambda place: (rounded(place), rounded(place), place * 0)


# Between which two elements of the sorted ones a quantile is, and how far from the first.
METHODS: dict[str, Callable[[Any], _Place]] = {
    "linear": _linear,
    "lower": _whole(floor),
    "higher": _whole(ceil),
    "midpoint": lambda place: (floor(place), ceil(place), place * 0 + 0.5),
    "nearest": _whole(round_),
}


_OF_ELEMENTS = ("lower", "higher", "nearest")


def quantile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return quantiles of `a` over some axes; those of several `q` stand along a new first axis.

    Parameters
    ----------
    a
        A tensor.
    q
        A number from 0 to 1, or a vector of them whose length is known.
    method
        ``linear``, ``lower``, ``higher``, ``midpoint`` or ``nearest``, as in `numpy.quantile`.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> quantile([1.0, 2.0, 4.0], 0.5).eval()
    array(2.)
    """
    return _quantiles(a, q, 1, axis, method, keepdims, passing_over=False)


def percentile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the quantiles of ``q / 100``.

    Parameters
    ----------
    a
        A tensor.
    q
        A number from 0 to 100, or a vector of them.
    axis
        An axis or a sequence of axes; None for all.
    method
        How a quantile between two elements is found, as in `quantile`.
    keepdims
        Whether the axes stay, with length 1.

    >>> percentile([1.0, 2.0, 4.0], 50).eval()
    array(2.)
    """
    return _quantiles(a, q, 100, axis, method, keepdims, passing_over=False)


def nanquantile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return quantiles of the elements that are not nan; see `quantile`.

    Parameters
    ----------
    a
        A tensor.
    q
        A number from 0 to 1, or a vector of them.
    axis
        An axis or a sequence of axes; None for all.
    method
        How a quantile between two elements is found, as in `quantile`.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanquantile([1.0, float('nan'), 3.0], 0.5).eval()
    array(2.)
    """
    return _quantiles(a, q, 1, axis, method, keepdims, passing_over=True)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the quantiles of ``q / 100`` of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    q
        A number from 0 to 100, or a vector of them.
    axis
        An axis or a sequence of axes; None for all.
    method
        How a quantile between two elements is found, as in `quantile`.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanpercentile([1.0, float('nan'), 3.0], 50).eval()
    array(2.)
    """
    return _quantiles(a, q, 100, axis, method, keepdims, passing_over=True)


def median(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the middle one of the sorted elements, or the mean of the middle two.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> median([3.0, 1.0, 2.0]).eval()
    array(2.)
    """
    return _quantiles(a, 0.5, 1, axis, "median", keepdims, passing_over=False)


def nanmedian(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the median of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanmedian([1.0, float('nan'), 3.0]).eval()
    array(2.)
    """
    return _quantiles(a, 0.5, 1, axis, "median", keepdims, passing_over=True)


def _quantiles(
    a: Any, q: Any, whole: int, axis: Any, method: str, keepdims: bool, passing_over: bool
) -> Any:
    if method not in METHODS and method != "median":
        raise ValueError(f"quantile: the method is one of {', '.join(METHODS)}, not {method!r}")
    a = as_argument(a, "quantile")
    a = a if method in _OF_ELEMENTS else inexact(a)
    axes = normalize_axes(axis, a.type.ndim, "quantile")
    ordered = _sorted_along_last(a, axes)
    last = ordered.type.ndim - 1
    weak = number_kind(q) is not None
    shares = as_argument(q, "quantile", 1)
    dtype = a.type.dtype
    if not weak and method not in _OF_ELEMENTS:
        dtype = result_dtype(dtype, inexact(shares).type.dtype)
    ordered = cast(ordered, dtype)
    shares = cast(shares, "float64") / whole
    count = sum_(cast(invert(isnan(ordered)), "int64"), axis=last) if passing_over else None
    found = [_at_share(ordered, s, method, count) for s in _elements(shares)]
    if not passing_over and not is_discrete(dtype):
        spoiled = any_(isnan(ordered), axis=last)
        found = [switch(spoiled, np.asarray(np.nan, dtype), v) for v in found]
    if keepdims:
        found = [expand_dims(v, axes) for v in found]
    return found[0] if shares.type.ndim == 0 else as_tensor_variable(found)


def _sorted_along_last(a: Any, axes: tuple[int, ...]) -> Any:
    """Return `a` with some axes put together as the last one, and sorted along it."""
    others = [i for i in range(a.type.ndim) if i not in axes]
    moved, shape = transpose(a, (*others, *axes)), lengths(a)
    count = product([shape[i] for i in axes])
    return sort(reshape(moved, (*[shape[i] for i in others], count)), axis=-1)


def _elements(q: Any) -> list[Any]:
    if q.type.ndim == 0:
        return [q]
    if q.type.ndim != 1 or q.type.shape[0] is None:
        raise TypeError(f"quantile: {q} is neither one number nor a vector of known length")
    return [q[i] for i in range(q.type.shape[0])]


def _at_share(ordered: Any, share: Any, method: str, count: Any) -> Any:
    """Return the quantile of vectors sorted along the last axis; of the first `count` elements."""
    n = as_tensor_variable(length(ordered, ordered.type.ndim - 1) if count is None else count)
    if method == "median":
        below, above = (_element(ordered, (n - i) // 2) for i in (1, 0))
        return switch(eq(n % 2, 1), below, (below + above) / 2)
    low, high, weight = METHODS[method](share * cast(n - 1, "float64"))
    below, above = (_element(ordered, cast(i, "int64")) for i in (low, high))
    if method in _OF_ELEMENTS:
        return below
    between = below + (above - below) * cast(weight, ordered.type.dtype)
    return switch(eq(weight, 0), below, between)


def _element(ordered: Any, position: Any) -> Any:
    """Return the elements at one position along the last axis, or at one for each vector."""
    last, position = ordered.type.ndim - 1, maximum(position, 0)
    if position.type.ndim == 0:
        return take(ordered, position, last)
    found = take_along_axis(ordered, expand_dims(position, last), last)
    return getitem(found, (*[slice(None)] * last, 0))


__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]
