"""Averages, covariances, counts and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Constant
from relgraph.scalar.dtypes import is_complex, is_discrete, number_kind, result_dtype
from relgraph.tensor.assembly.creation import zeros
from relgraph.tensor.assembly.joining import join, stack
from relgraph.tensor.assertion import assert_
from relgraph.tensor.axes import normalize_axes, static_int
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.functions.parts import inexact, length, of_rank, part
from relgraph.tensor.functions.searching import searchsorted
from relgraph.tensor.functions.spacing import linspace
from relgraph.tensor.indexing.functions import diag, getitem, inc_subtensor
from relgraph.tensor.linalg.products import dot
from relgraph.tensor.math import (
    cast,
    clip,
    conj,
    eq,
    fill,
    ge,
    gt,
    invert,
    isnan,
    le,
    lt,
    minimum,
    sqrt,
    switch,
)
from relgraph.tensor.reductions.reduction import max as max_
from relgraph.tensor.reductions.reduction import min as min_
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.reductions.statistics import mean
from relgraph.tensor.shapes.reshaping import ravel
from relgraph.tensor.shapes.shape import as_length


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """Return the average of `a` over an axis, each element counted by its weight.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    weights
        A tensor that broadcasts to `a`, or a vector along `axis`; None for equal weights.
    returned
        Whether the sum of the weights is returned too.
    keepdims
        Whether the axes stay, with length 1.

    >>> average([1.0, 2.0], weights=[3.0, 1.0]).eval()
    array(1.25)
    """
    a = as_argument(a, "average")
    weights = as_argument(1 if weights is None else weights, "average", 1)
    dtype = result_dtype(inexact(a).type.dtype, weights.type.dtype)
    if weights.type.ndim == 0:
        dtype = inexact(a).type.dtype
    if weights.type.ndim == 1 and a.type.ndim != 1 and axis is not None:
        (place,) = normalize_axes(axis, a.type.ndim, "average")
        weights = of_rank(weights, a.type.ndim, place)
    a = cast(a, dtype)
    weights = fill(a, cast(weights, dtype))
    total = sum_(weights, axis=axis, keepdims=keepdims)
    found = sum_(a * weights, axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False,
        ddof: int | None = None) -> Any:  # fmt: skip
    """Return the covariances of the rows of a matrix, or of its columns.

    Parameters
    ----------
    m
        The matrix.
    y
        More rows, or columns.
    rowvar
        Whether each row is a variable, not each column.
    bias
        Whether to divide by the number of observations, not by one less.
    ddof
        What is subtracted from that number, in the place of what `bias` says.

    >>> cov([[1.0, 2.0], [2.0, 1.0]]).eval()
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    x = _as_rows(m, rowvar)
    if y is not None:
        x = join(0, x, _as_rows(y, rowvar))
    x = cast(x, result_dtype(x.type.dtype, "float64"))
    x = x - mean(x, axis=1, keepdims=True)
    degrees = cast(as_argument(_columns(x) - ((0 if bias else 1) if ddof is None else ddof), "cov"),
                   "float64")  # fmt: skip
    found = dot(x, conj(x).T if is_complex(x.type.dtype) else x.T) / cast(degrees, _real(x))
    return found.squeeze() if found.type.shape == (1, 1) else found


def _columns(x: Any) -> Any:
    n = x.type.shape[1]
    return x.shape[1] if n is None else n


def _real(x: Any) -> str:
    return str(np.zeros(0, x.type.dtype).real.dtype)


def _as_rows(m: Any, rowvar: bool) -> Any:
    x = as_argument(m, "cov")
    if x.type.ndim > 2:
        raise ValueError(f"cov: the input is a {x.type}, neither a vector nor a matrix")
    if x.type.ndim < 2:
        return x.dimshuffle(*["x"] * (2 - x.type.ndim), *range(x.type.ndim))
    return x if rowvar or x.type.shape[0] == 1 else x.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Return the coefficients of correlation of the rows of a matrix, or of its columns.

    Parameters
    ----------
    x
        The matrix.
    y
        More rows, or columns.
    rowvar
        Whether each row is a variable, not each column.

    >>> corrcoef([[1.0, 2.0], [2.0, 1.0]]).eval()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar)
    if c.type.ndim == 0:
        return c / c
    deviations = sqrt(diag(c).real)
    c = c / deviations.dimshuffle(0, "x") / deviations.dimshuffle("x", 0)
    return c if is_complex(c.type.dtype) else clip(c, -1, 1)


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """Return how often each integer from 0 on occurs in a vector, or the sums of its weights.

    Parameters
    ----------
    x
        A vector of integers that are not negative.
    weights
        A vector as long as `x`, or None.
    minlength
        The least length of the result: an int or an integer variable.

    >>> bincount([0, 2, 2]).eval()
    array([1, 0, 2])
    """
    x = as_argument(x, "bincount")
    if x.type.ndim != 1 or np.dtype(x.type.dtype).kind not in "iub":
        raise TypeError(f"bincount: input 0 is a {x.type}, not a vector of integers")
    least = as_length(minlength, "bincount")
    if isinstance(least, int) and least < 0:
        raise ValueError(f"bincount: minlength is {least}, less than 0")
    if x.type.dtype.startswith("int"):
        x = assert_(x, ge(x, 0), message="bincount: no integer may be less than 0")
    x = cast(x, "int64")
    count = max_(join(0, x, stack([as_tensor_variable(least) - 1]))) + 1
    if weights is None:
        return inc_subtensor(getitem(zeros((count,), dtype="int64"), x), 1)
    weights = cast(as_argument(weights, "bincount", 1), "float64")
    return inc_subtensor(getitem(zeros((count,), dtype="float64"), x), weights)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None) -> Any:
    """Return the edges of bins of one width; for a vector of edges that.

    For the parameters and errors see `histogram`.

    Parameters
    ----------
    a, bins, range
        As those of `histogram`.

    >>> histogram_bin_edges([0.0, 4.0], 2).eval()
    array([0., 2., 4.])
    """
    count = static_int(bins)
    if count is None:
        return _given_edges(bins)
    if count < 1:
        raise ValueError(f"histogram: {count} bins; there must be one at least")
    a = as_argument(a, "histogram")
    low, high = (min_(a), max_(a)) if range is None else range
    known = [number_kind(v) is not None or isinstance(v, np.generic) for v in (low, high)]
    if all(known) and not -np.inf < low <= high < np.inf:
        raise ValueError(f"histogram: the range is from {low} to {high}")
    low, high = (cast(as_tensor_variable(v), inexact(a).type.dtype) for v in (low, high))
    if not all(known):
        ordered = le(low, high) & lt(high, np.inf) & gt(low, -np.inf)
        low = assert_(low, ordered, message="histogram: the range must be finite and ascend")
    flat = eq(low, high)
    return linspace(switch(flat, low - 0.5, low), switch(flat, high + 0.5, high), count + 1)


def _given_edges(bins: Any) -> Any:
    """Return the edges of bins as a vector that is checked to ascend."""
    if isinstance(bins, str):
        raise TypeError(
            f"histogram: bins is {bins!r}, and not their number or their edges: how many there are "
            "must not depend on values"
        )
    edges = as_argument(bins, "histogram", 1)
    if edges.type.ndim != 1:
        raise TypeError(
            f"histogram: bins is a {edges.type}, not a vector of edges or a number that is known"
        )
    if isinstance(edges, Constant):
        if (edges.data[:-1] > edges.data[1:]).any():
            raise ValueError(f"histogram: the edges of bins must ascend: {edges.data}")
        return edges
    descends = gt(part(edges, 0, slice(None, -1)), part(edges, 0, slice(1, None)))
    return assert_(edges, invert(descends), message="histogram: the edges of bins must ascend")


def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool = False,
              weights: Any = None) -> Any:  # fmt: skip
    """Return how many elements are in each bin, and the edges of the bins.

    Parameters
    ----------
    bins
        The number of bins, or their ascending edges. The last bin holds its upper edge.
    range
        The least and the greatest edge, if a number of bins is given; by default those of `a`.
    density
        Whether the counts are divided by their sum and by the widths.
    weights
        For each element what it adds.

    Raises
    ------
    TypeError
        If `bins` is neither a known number nor a vector.
    ValueError
        If there is no bin, the edges do not ascend, or the range is not finite. What is known at
        run time alone raises an AssertionError.
    """
    a = as_argument(a, "histogram")
    edges = histogram_bin_edges(a, bins, range)
    if edges.type.shape[0] in (0, 1):
        return zeros((0,), dtype="float64" if density or weights is not None else "int64"), edges
    x, n = ravel(a), length(edges, 0) - 1
    place = searchsorted(edges, x, side="right") - 1
    last, first = part(edges, 0, -1), part(edges, 0, 0)
    place = switch(eq(x, last), n - 1, place)
    inside = ge(x, first) & le(x, last)
    each = cast(inside, "int64") if weights is None else switch(inside, ravel(weights), 0)
    start = zeros((n,), dtype=each.type.dtype)
    place = minimum(switch(gt(place, 0), place, 0), n - 1)
    counts = inc_subtensor(getitem(start, place), each)
    if density:
        widths = part(edges, 0, slice(1, None)) - part(edges, 0, slice(None, -1))
        counts = counts / widths / sum_(counts)
    return counts, edges


def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Return `x` with numbers in the places of nan and of infinities: by default the extremes.

    Parameters
    ----------
    x
        A tensor.
    nan
        The number in the place of nan.
    posinf, neginf
        Those of the infinities; None for the extremes of the dtype.

    >>> nan_to_num([1.0, float('nan'), 3.0]).eval()
    array([1., 0., 3.])
    """
    x = as_argument(x, "nan_to_num")
    if is_discrete(x.type.dtype):
        return x
    if is_complex(x.type.dtype):
        parts = [nan_to_num(part, nan, posinf, neginf) for part in (x.real, x.imag)]
        return parts[0] + np.asarray(1j, x.type.dtype) * parts[1]
    dtype = np.dtype(x.type.dtype)
    high = np.finfo(dtype).max if posinf is None else posinf
    low = np.finfo(dtype).min if neginf is None else neginf
    for value, is_it in ((high, eq(x, np.inf)), (low, eq(x, -np.inf)), (nan, isnan(x))):
        x = switch(is_it, np.asarray(value, dtype), x)
    return x


__all__ = [
    *("average", "bincount", "corrcoef", "cov", "histogram", "histogram_bin_edges"),
    *("nan_to_num",),
]
