"""Reductions and cumulative sums that pass over nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.tensor.along_axes.cumulative import cumprod, cumsum
from relgraph.tensor.basic import as_argument
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import (
    cast,
    fill,
    invert,
    isnan,
    sqr,
    sqrt,
    switch,
)
from relgraph.tensor.reductions.argmax import argmax, argmin
from relgraph.tensor.reductions.reduction import all as all_
from relgraph.tensor.reductions.reduction import max as max_
from relgraph.tensor.reductions.reduction import min as min_
from relgraph.tensor.reductions.reduction import prod
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.reductions.statistics import mean, std, var


def _numbers(a: Any, filling: float, what: str) -> tuple[Any, Any]:
    """Return `a` with a number in the place of nan, and where it is none."""
    a = as_argument(a, what)
    if is_discrete(a.type.dtype):
        return a, fill(a, np.asarray(True))
    missing = isnan(a)
    return switch(missing, np.asarray(filling, a.type.dtype), a), invert(missing)


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    dtype
        In which elements are taken and added up; None for that of the elements.
    keepdims
        Whether the axes stay, with length 1.

    >>> nansum([1.0, float('nan'), 3.0]).eval()
    array(4.)
    """
    return sum_(_numbers(a, 0, "nansum")[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the product of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    dtype
        In which elements are taken and added up; None for that of the elements.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanprod([1.0, float('nan'), 3.0]).eval()
    array(3.)
    """
    return prod(_numbers(a, 1, "nanprod")[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nancumsum(a: Any, axis: int | None = None) -> Any:
    """Return the cumulative sums, nan taken for 0.

    Parameters
    ----------
    a
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> nancumsum([1.0, float('nan'), 3.0]).eval()
    array([1., 1., 4.])
    """
    return cumsum(_numbers(a, 0, "nancumsum")[0], axis)


def nancumprod(a: Any, axis: int | None = None) -> Any:
    """Return the cumulative products, nan taken for 1.

    Parameters
    ----------
    a
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> nancumprod([1.0, float('nan'), 3.0]).eval()
    array([1., 1., 3.])
    """
    return cumprod(_numbers(a, 1, "nancumprod")[0], axis)


def _nan_extreme(a: Any, axis: Any, keepdims: bool, filling: float, extreme: Any) -> Any:
    found, known = _numbers(a, filling, "nanmax")
    largest = extreme(found, axis=axis, keepdims=keepdims)
    if is_discrete(found.type.dtype):
        return largest
    none = all_(invert(known), axis=axis, keepdims=keepdims)
    return switch(none, np.asarray(np.nan, found.type.dtype), largest)


def nanmax(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest of the elements that are not nan; nan if there is none.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanmax([1.0, float('nan'), 3.0]).eval()
    array(3.)
    """
    return _nan_extreme(a, axis, keepdims, -np.inf, max_)


def nanmin(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the least of the elements that are not nan; nan if there is none.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanmin([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    return _nan_extreme(a, axis, keepdims, np.inf, min_)


def nanargmax(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the greatest of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanargmax([1.0, float('nan'), 3.0]).eval()
    array(2)
    """
    return argmax(_numbers(a, -np.inf, "nanargmax")[0], axis=axis, keepdims=keepdims)


def nanargmin(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the least of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanargmin([1.0, float('nan'), 3.0]).eval()
    array(0)
    """
    return argmin(_numbers(a, np.inf, "nanargmin")[0], axis=axis, keepdims=keepdims)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the mean of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    dtype
        In which elements are taken and added up; None for that of the elements.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanmean([1.0, float('nan'), 3.0]).eval()
    array(2.)
    """
    found, known = _numbers(a, 0, "nanmean")
    if is_discrete(found.type.dtype):
        return mean(found, axis=axis, dtype=dtype, keepdims=keepdims)
    dtype = found.type.dtype if dtype is None else dtype
    wide = "float32" if dtype == "float16" else dtype
    count = cast(sum_(cast(known, "int64"), axis=axis, keepdims=keepdims), wide)
    return cast(sum_(cast(found, wide), axis=axis, keepdims=keepdims) / count, dtype)


def nanvar(a: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance of the elements that are not nan; nan if there are not enough.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    ddof
        What is subtracted from the number of elements by which it divides.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanvar([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    found, known = _numbers(a, 0, "nanvar")
    if is_discrete(found.type.dtype):
        return var(found, axis=axis, ddof=ddof, keepdims=keepdims)
    deviation = found - nanmean(a, axis=axis, keepdims=True)
    square = sqr(abs_(deviation)) if is_complex(found.type.dtype) else sqr(deviation)
    count = sum_(cast(known, "int64"), axis=axis, keepdims=keepdims) - ddof
    total = sum_(switch(known, square, 0), axis=axis, keepdims=keepdims)
    enough = switch(count > 0, cast(count, total.type.dtype), np.asarray(np.nan, total.type.dtype))
    return total / enough


def nanstd(a: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    ddof
        What is subtracted from the number of elements by which it divides.
    keepdims
        Whether the axes stay, with length 1.

    >>> nanstd([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    a = as_argument(a, "nanstd")
    if is_discrete(a.type.dtype):
        return std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return sqrt(nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


__all__ = [
    *("nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin"),
    *("nanprod", "nanstd", "nansum", "nanvar"),
]
