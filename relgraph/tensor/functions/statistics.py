"""Averages, covariances, histograms, medians, quantiles, and reductions that ignore nan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant
from relgraph.scalar.type import is_complex, is_discrete, number_kind, result_dtype
from relgraph.tensor.along_axes import length, of_rank, part
from relgraph.tensor.basic import Tensor, as_argument, normalize_axes, static_int
from relgraph.tensor.math import conjugated, inexact
from relgraph.tensor.shapes import as_length, lengths, with_axes_joined


def average(
    a: Tensor, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
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

    Examples
    --------
    >>> average([1.0, 2.0], weights=[3.0, 1.0]).eval()
    array(1.25)
    """
    weights = as_argument(1 if weights is None else weights, "average", 1)
    dtype = result_dtype(inexact(a).type.dtype, weights.type.dtype)
    if weights.type.ndim == 0:
        dtype = inexact(a).type.dtype
    if weights.type.ndim == 1 and a.type.ndim != 1 and axis is not None:
        (place,) = normalize_axes(axis, a.type.ndim, "average")
        weights = of_rank(weights, a.type.ndim, place)
    a = at.cast(a, dtype)
    weights = at.fill(a, at.cast(weights, dtype))
    total = at.sum(weights, axis=axis, keepdims=keepdims)
    found = at.sum(a * weights, axis=axis, keepdims=keepdims) / total
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

    Examples
    --------
    >>> cov([[1.0, 2.0], [2.0, 1.0]]).eval()
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    x = _as_rows(m, rowvar)
    if y is not None:
        x = at.join(0, x, _as_rows(y, rowvar))
    x = at.cast(x, result_dtype(x.type.dtype, "float64"))
    x = x - at.mean(x, axis=1, keepdims=True)
    fewer = (0 if bias else 1) if ddof is None else ddof
    degrees = at.cast(at.maximum(length(x, 1) - fewer, 0), "float64")
    found = at.dot(x, conjugated(x).T) / degrees
    return found.squeeze() if found.type.shape == (1, 1) else found


def _as_rows(m: Any, rowvar: bool) -> Any:
    x = as_argument(m, "cov")
    if x.type.ndim > 2:
        raise ValueError(f"cov: the input is a {x.type}, neither a vector nor a matrix")
    if x.type.ndim < 2:
        return at.as_tensor_variable(x, ndim=2)
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

    Examples
    --------
    >>> corrcoef([[1.0, 2.0], [2.0, 1.0]]).eval()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar)
    if c.type.ndim == 0:
        return c / c
    deviations = at.sqrt(at.diag(c).real)
    c = c / deviations.dimshuffle(0, "x") / deviations.dimshuffle("x", 0)
    return c if is_complex(c.type.dtype) else at.clip(c, -1, 1)


def bincount(x: Tensor, weights: Any = None, minlength: Any = 0) -> Any:
    """Return how often each integer from 0 on occurs in a vector, or the sums of its weights.

    Parameters
    ----------
    x
        A vector of integers that are not negative.
    weights
        A vector as long as `x`, or None.
    minlength
        The least length of the result: an int or an integer variable.

    Examples
    --------
    >>> bincount([0, 2, 2]).eval()
    array([1, 0, 2])
    """
    if x.type.ndim != 1 or np.dtype(x.type.dtype).kind not in "iub":
        raise TypeError(f"bincount: input 0 is a {x.type}, not a vector of integers")
    least = as_length(minlength, "bincount")
    if isinstance(least, int) and least < 0:
        raise ValueError(f"bincount: minlength is {least}, less than 0")
    if x.type.dtype.startswith("int"):
        x = at.assert_(x, at.ge(x, 0), message="bincount: no integer may be less than 0")
    x = at.cast(x, "int64")
    count = at.max(at.join(0, x, at.stack([at.as_tensor_variable(least) - 1]))) + 1
    if weights is None:
        return at.inc_subtensor(at.getitem(at.zeros((count,), dtype="int64"), x), 1)
    weights = at.cast(as_argument(weights, "bincount", 1), "float64")
    return at.inc_subtensor(at.getitem(at.zeros((count,), dtype="float64"), x), weights)


def histogram_bin_edges(a: Tensor, bins: Any = 10, range: Any = None) -> Any:
    """Return the edges of bins of one width; for a vector of edges that.

    For the parameters and errors see `histogram`.

    Parameters
    ----------
    a, bins, range
        As those of `histogram`.

    Examples
    --------
    >>> histogram_bin_edges([0.0, 4.0], 2).eval()
    array([0., 2., 4.])
    """
    count = static_int(bins)
    if count is None:
        return _given_edges(bins)
    if count < 1:
        raise ValueError(f"histogram: {count} bins; there must be one at least")
    low, high = _range_of(a) if range is None else range
    known = [number_kind(v) is not None or isinstance(v, np.generic) for v in (low, high)]
    if all(known) and not -np.inf < low <= high < np.inf:
        raise ValueError(f"histogram: the range is from {low} to {high}")
    low, high = (at.cast(at.as_tensor_variable(v), inexact(a).type.dtype) for v in (low, high))
    if not all(known):
        ordered = at.le(low, high) & at.lt(high, np.inf) & at.gt(low, -np.inf)
        low = at.assert_(low, ordered, message="histogram: the range must be finite and ascend")
    flat = at.eq(low, high)
    return at.linspace(
        at.switch(flat, low - 0.5, low), at.switch(flat, high + 0.5, high), count + 1
    )


def _range_of(a: Any) -> tuple[Any, Any]:
    """Return the least and the greatest element of `a`; of nothing 0 and 1, as NumPy has it."""
    x = at.ravel(a)
    if not x.type.shape[0]:
        x = at.join(0, x, at.cast(at.arange(at.switch(at.eq(length(x, 0), 0), 2, 0)), x.type.dtype))
    return at.min(x), at.max(x)


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
    descends = at.gt(part(edges, 0, slice(None, -1)), part(edges, 0, slice(1, None)))
    return at.assert_(
        edges, at.invert(descends), message="histogram: the edges of bins must ascend"
    )


def histogram(a: Tensor, bins: Any = 10, range: Any = None, density: bool = False,
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
    edges = histogram_bin_edges(a, bins, range)
    if edges.type.shape[0] in (0, 1):
        return at.zeros((0,), dtype="float64" if density or weights is not None else "int64"), edges
    x, n = at.ravel(a), length(edges, 0) - 1
    place = at.searchsorted(edges, x, side="right") - 1
    last, first = part(edges, 0, -1), part(edges, 0, 0)
    place = at.switch(at.eq(x, last), n - 1, place)
    inside = at.ge(x, first) & at.le(x, last)
    each = at.cast(inside, "int64") if weights is None else at.switch(inside, at.ravel(weights), 0)
    start = at.zeros((n,), dtype=each.type.dtype)
    place = at.minimum(at.switch(at.gt(place, 0), place, 0), n - 1)
    counts = at.inc_subtensor(at.getitem(start, place), each)
    if density:
        widths = part(edges, 0, slice(1, None)) - part(edges, 0, slice(None, -1))
        counts = counts / widths / at.sum(counts)
    return counts, edges


def nan_to_num(x: Tensor, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Return `x` with numbers in the places of nan and of infinities: by default the extremes.

    Parameters
    ----------
    x
        A tensor.
    nan
        The number in the place of nan.
    posinf, neginf
        Those of the infinities; None for the extremes of the dtype.

    Examples
    --------
    >>> nan_to_num([1.0, float('nan'), 3.0]).eval()
    array([1., 0., 3.])
    """
    if is_discrete(x.type.dtype):
        return x
    if is_complex(x.type.dtype):
        parts = [nan_to_num(part, nan, posinf, neginf) for part in (x.real, x.imag)]
        return parts[0] + np.asarray(1j, x.type.dtype) * parts[1]
    dtype = np.dtype(x.type.dtype)
    high = np.finfo(dtype).max if posinf is None else posinf
    low = np.finfo(dtype).min if neginf is None else neginf
    for value, is_it in ((high, at.eq(x, np.inf)), (low, at.eq(x, -np.inf)), (nan, at.isnan(x))):
        x = at.switch(is_it, np.asarray(value, dtype), x)
    return x


_Place = tuple[Any, Any, Any]


def _linear(share: Any, last: Any) -> _Place:
    place = share * last
    return at.floor(place), at.ceil(place), place - at.floor(place)


def _whole(rounded: Callable[[Any], Any]) -> Callable[[Any, Any], _Place]:
    def at_element(share: Any, last: Any) -> _Place:
        place = rounded(share * last)
        return place, place, place * 0

    return at_element


def _midpoint(share: Any, last: Any) -> _Place:
    low, high, _ = _linear(share, last)
    return low, high, low * 0 + 0.5


def _between(alpha: float, beta: float) -> Callable[[Any, Any], _Place]:
    """Return where quantiles are by two plotting positions.

    Hyndman and Fan, Sample quantiles in statistical packages (1996).
    """

    def place_of(share: Any, last: Any) -> _Place:
        place = (last + 1) * share + (alpha + share * (1 - alpha - beta)) - 1
        place = at.minimum(at.maximum(place, 0.0), last)
        return at.floor(place), at.minimum(at.floor(place) + 1, last), place - at.floor(place)

    return place_of


def _by_counting(share: Any, last: Any) -> _Place:
    place = at.ceil((last + 1) * share) - 1
    return place, place, place * 0


def _by_counting_between(share: Any, last: Any) -> _Place:
    place = (last + 1) * share - 1
    is_whole = at.eq(place, at.floor(place))
    low = at.switch(is_whole, place, at.floor(place) + 1)
    return low, at.minimum(at.floor(place) + 1, last), at.switch(is_whole, 0.5, 0.0)


def _by_counting_to_even(share: Any, last: Any) -> _Place:
    place = (last + 1) * share - 1.5
    # between two elements the one with an odd index is taken, the even one as they are counted
    first = at.invert(at.eq(place, at.floor(place))) | at.eq(at.floor(place) % 2, 0)
    place = at.floor(place) + at.switch(first, 1.0, 0.0)
    return place, place, place * 0


# Between which two elements of the sorted ones a share is, and how far from the first; by the index
# of the last element.
METHODS: dict[str, Callable[[Any, Any], _Place]] = {
    "linear": _linear,
    "lower": _whole(at.floor),
    "higher": _whole(at.ceil),
    "midpoint": _midpoint,
    "nearest": _whole(at.round_half_to_even),
    "inverted_cdf": _by_counting,
    "averaged_inverted_cdf": _by_counting_between,
    "closest_observation": _by_counting_to_even,
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "median_unbiased": _between(1 / 3, 1 / 3),
    "normal_unbiased": _between(3 / 8, 3 / 8),
}


_OF_ELEMENTS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def quantile(
    a: Tensor, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return quantiles of `a` over some axes; those of several `q` stand along a new first axis.

    Parameters
    ----------
    a
        A tensor.
    q
        A number from 0 to 1, or a vector of them whose length is known.
    method
        How a quantile between two elements is found, as in `numpy.quantile`.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> quantile([1.0, 2.0, 4.0], 0.5).eval()
    array(2.)
    """
    return _quantiles(a, q, 1, axis, method, keepdims, passing_over=False)


def percentile(
    a: Tensor, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
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

    Examples
    --------
    >>> percentile([1.0, 2.0, 4.0], 50).eval()
    array(2.)
    """
    return _quantiles(a, q, 100, axis, method, keepdims, passing_over=False)


def nanquantile(
    a: Tensor, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
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

    Examples
    --------
    >>> nanquantile([1.0, float('nan'), 3.0], 0.5).eval()
    array(2.)
    """
    return _quantiles(a, q, 1, axis, method, keepdims, passing_over=True)


def nanpercentile(
    a: Tensor, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
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

    Examples
    --------
    >>> nanpercentile([1.0, float('nan'), 3.0], 50).eval()
    array(2.)
    """
    return _quantiles(a, q, 100, axis, method, keepdims, passing_over=True)


def median(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the middle one of the sorted elements, or the mean of the middle two.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> median([3.0, 1.0, 2.0]).eval()
    array(2.)
    """
    return _quantiles(a, 0.5, 1, axis, "median", keepdims, passing_over=False)


def nanmedian(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the median of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> nanmedian([1.0, float('nan'), 3.0]).eval()
    array(2.)
    """
    return _quantiles(a, 0.5, 1, axis, "median", keepdims, passing_over=True)


def _quantiles(
    a: Any, q: Any, whole: int, axis: Any, method: str, keepdims: bool, passing_over: bool
) -> Any:
    if method not in METHODS and method != "median":
        raise ValueError(f"quantile: the method is one of {', '.join(METHODS)}, not {method!r}")
    a = a if method in _OF_ELEMENTS else inexact(a)
    axes = normalize_axes(axis, a.type.ndim, "quantile")
    ordered = at.sort(with_axes_joined(a, axes), axis=-1)
    last = ordered.type.ndim - 1
    weak = number_kind(q) is not None
    shares = as_argument(q, "quantile", 1)
    dtype = a.type.dtype
    if not weak and method not in _OF_ELEMENTS:
        dtype = result_dtype(dtype, inexact(shares).type.dtype)
    ordered = at.cast(ordered, dtype)
    shares = at.cast(shares, "float64") / whole
    count = length(ordered, last)
    if passing_over:
        count = at.sum(at.cast(at.invert(at.isnan(ordered)), "int64"), axis=last)
    padded = _and_nan(ordered, last) if passing_over else ordered
    found = [_at_share(padded, s, method, count) for s in _elements(shares)]
    if not passing_over and not is_discrete(dtype):
        spoiled = at.any(at.isnan(ordered), axis=last)
        found = [at.switch(spoiled, np.asarray(np.nan, dtype), v) for v in found]
    if keepdims:
        found = [at.expand_dims(v, axes) for v in found]
    return found[0] if shares.type.ndim == 0 else at.as_tensor_variable(found)


def _and_nan(ordered: Any, last: int) -> Any:
    """Return sorted elements with a nan behind them, the quantile of nothing, where n may be 0."""
    n = ordered.type.shape[last]
    if is_discrete(ordered.type.dtype) or (n is not None and n > 0):
        return ordered
    lone = at.full((*lengths(ordered)[:last], 1), np.asarray(np.nan, ordered.type.dtype))
    return at.join(last, ordered, lone)


def _elements(q: Any) -> list[Any]:
    if q.type.ndim == 0:
        return [q]
    if q.type.ndim != 1 or q.type.shape[0] is None:
        raise TypeError(f"quantile: {q} is neither one number nor a vector of known length")
    return [q[i] for i in range(q.type.shape[0])]


def _at_share(ordered: Any, share: Any, method: str, count: Any) -> Any:
    """Return the quantile of vectors sorted along the last axis; of the first `count` elements."""
    n = at.as_tensor_variable(count)
    if method == "median" and n.type.ndim == 0:
        middle = slice(at.maximum((n - 1) // 2, 0), n // 2 + 1)
        return at.mean(ordered[..., middle], axis=-1)
    if method == "median":
        below, above = (_element(ordered, (n - i) // 2) for i in (1, 0))
        return at.switch(at.eq(n % 2, 1), below, (below + above) / 2)
    low, high, weight = METHODS[method](share, at.cast(n - 1, "float64"))
    below, above = (_element(ordered, at.cast(i, "int64")) for i in (low, high))
    if method in _OF_ELEMENTS:
        return below
    between = below + (above - below) * at.cast(weight, ordered.type.dtype)
    return at.switch(at.eq(weight, 0), below, between)


def _element(ordered: Any, position: Any) -> Any:
    """Return the elements at one position along the last axis, or at one for each vector."""
    last, position = ordered.type.ndim - 1, at.maximum(position, 0)
    if position.type.ndim == 0:
        return at.take(ordered, position, last)
    found = at.take_along_axis(ordered, at.expand_dims(position, last), last)
    return part(found, last, 0)


def _numbers(a: Any, filling: float) -> tuple[Any, Any]:
    """Return `a` with a number in the place of nan, and where it is none."""
    if is_discrete(a.type.dtype):
        return a, at.fill(a, np.asarray(True))
    missing = at.isnan(a)
    return at.switch(missing, np.asarray(filling, a.type.dtype), a), at.invert(missing)


def nansum(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
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

    Examples
    --------
    >>> nansum([1.0, float('nan'), 3.0]).eval()
    array(4.)
    """
    return at.sum(_numbers(a, 0)[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
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

    Examples
    --------
    >>> nanprod([1.0, float('nan'), 3.0]).eval()
    array(3.)
    """
    return at.prod(_numbers(a, 1)[0], axis=axis, dtype=dtype, keepdims=keepdims)


def nancumsum(a: Tensor, axis: int | None = None) -> Any:
    """Return the cumulative sums, nan taken for 0.

    Parameters
    ----------
    a
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> nancumsum([1.0, float('nan'), 3.0]).eval()
    array([1., 1., 4.])
    """
    return at.cumsum(_numbers(a, 0)[0], axis)


def nancumprod(a: Tensor, axis: int | None = None) -> Any:
    """Return the cumulative products, nan taken for 1.

    Parameters
    ----------
    a
        A tensor.
    axis
        The axis; None for the flattened tensor.

    Examples
    --------
    >>> nancumprod([1.0, float('nan'), 3.0]).eval()
    array([1., 1., 3.])
    """
    return at.cumprod(_numbers(a, 1)[0], axis)


def _nan_extreme(a: Any, axis: Any, keepdims: bool, filling: float, extreme: Any) -> Any:
    found, known = _numbers(a, filling)
    largest = extreme(found, axis=axis, keepdims=keepdims)
    if is_discrete(found.type.dtype):
        return largest
    none = at.all(at.invert(known), axis=axis, keepdims=keepdims)
    return at.switch(none, np.asarray(np.nan, found.type.dtype), largest)


def nanmax(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest of the elements that are not nan; nan if there is none.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> nanmax([1.0, float('nan'), 3.0]).eval()
    array(3.)
    """
    return _nan_extreme(a, axis, keepdims, -np.inf, at.max)


def nanmin(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the least of the elements that are not nan; nan if there is none.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> nanmin([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    return _nan_extreme(a, axis, keepdims, np.inf, at.min)


def nanargmax(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the greatest of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> nanargmax([1.0, float('nan'), 3.0]).eval()
    array(2)
    """
    return at.argmax(_numbers(a, -np.inf)[0], axis=axis, keepdims=keepdims)


def nanargmin(a: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the index of the least of the elements that are not nan.

    Parameters
    ----------
    a
        A tensor.
    axis
        An axis or a sequence of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> nanargmin([1.0, float('nan'), 3.0]).eval()
    array(0)
    """
    return at.argmin(_numbers(a, np.inf)[0], axis=axis, keepdims=keepdims)


def nanmean(a: Tensor, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
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

    Examples
    --------
    >>> nanmean([1.0, float('nan'), 3.0]).eval()
    array(2.)
    """
    found, known = _numbers(a, 0)
    where = None if is_discrete(found.type.dtype) else known
    return at.mean(found, axis, dtype, keepdims, where)


def nanvar(a: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
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

    Examples
    --------
    >>> nanvar([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    found, known = _numbers(a, 0)
    if is_discrete(found.type.dtype):
        return at.var(found, axis=axis, ddof=ddof, keepdims=keepdims)
    deviation = found - nanmean(a, axis=axis, keepdims=True)
    square = at.sqr(at.abs(deviation)) if is_complex(found.type.dtype) else at.sqr(deviation)
    count = at.sum(at.cast(known, "int64"), axis=axis, keepdims=keepdims) - ddof
    total = at.sum(at.switch(known, square, 0), axis=axis, keepdims=keepdims)
    enough = at.switch(
        count > 0, at.cast(count, total.type.dtype), np.asarray(np.nan, total.type.dtype)
    )
    return total / enough


def nanstd(a: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
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

    Examples
    --------
    >>> nanstd([1.0, float('nan'), 3.0]).eval()
    array(1.)
    """
    return at.sqrt(nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))
