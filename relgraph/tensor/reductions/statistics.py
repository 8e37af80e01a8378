"""Means, variances and standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.scalar.dtypes import check_dtype, is_complex, is_discrete
from relgraph.tensor.axes import reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import cast, sqr, sqrt, true_div
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.shape import lengths, product


def _element_count(x: Any, axes: Sequence[int], ddof: int = 0) -> Any:
    """Return how many elements a reduction over `axes` combines, minus `ddof`."""
    all_lengths = lengths(x)
    total = product([all_lengths[axis] for axis in axes])
    return total - ddof if ddof else total


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


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the mean of `x` over `axis`: ``sum(x) / count``.

    Parameters
    ----------
    axis, keepdims
        As in `sum`.
    dtype
        The dtype to compute in and to return. None: that of `x`, or float64 for integers.
    """
    x = as_tensor_variable(x)
    inner, result = _mean_dtype(x, dtype, "mean")
    axes = reduced_axes(axis, x.type.ndim, "mean")
    total = sum_(cast(x, inner), axis=axes, keepdims=keepdims)
    # as NumPy divides it by an integer; a quotient of two complex numbers rounds on the way
    wide = "complex128" if inner == "complex64" else inner
    return cast(true_div(cast(total, wide), _as_dtype(_element_count(x, axes), wide)), result)


def _as_dtype(count: Any, dtype: str) -> Any:
    return cast(count, dtype) if isinstance(count, Variable) else np.dtype(dtype).type(count)


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
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
    """
    x = as_tensor_variable(x)
    inner, result = _mean_dtype(x, dtype, "var")
    axes = reduced_axes(axis, x.type.ndim, "var")
    x = cast(x, inner)
    deviation = x - mean(x, axis=axes, keepdims=True)
    square = sqr(abs_(deviation)) if is_complex(inner) else sqr(deviation)
    total = sum_(square, axis=axes, keepdims=keepdims)
    out = true_div(total, _as_dtype(_element_count(x, axes, ddof), total.type.dtype))
    return out if is_complex(result) else cast(out, result)


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation of `x` over `axis`: the square root of `var`.

    Parameters
    ----------
    x, axis, dtype, ddof, keepdims
        As those of `var`.

    >>> std([1.0, 3.0]).eval()
    array(1.)
    """
    return sqrt(var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims))
