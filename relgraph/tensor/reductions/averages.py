"""Means and variances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype, is_complex, is_discrete
from relgraph.tensor.axes import reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import cast, sqr, sqrt, true_div
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.shape import lengths, product


def _count(x: Any, axes: Sequence[int], less: int = 0) -> Any:
    """Return how many elements a reduction of `axes` takes together, less a correction."""
    every = lengths(x)
    total = product([every[axis] for axis in axes])
    return total - less if less else total


def _mean_dtype(x: Any, dtype: Any, what: str) -> tuple[str, str]:
    """Return the dtypes that a mean is computed in and given in (float16 is summed in float32)."""
    if isinstance(x, LogicTerm):
        raise TypeError(
            f"{what} of a logic variable depends on a shape: write it as a sum and a quotient"
        )
    given = check_dtype(dtype) if dtype is not None else x.type.dtype
    if dtype is None and is_discrete(given):
        given = "float64"
    return "float32" if given == "float16" else given, given


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
    inner, given = _mean_dtype(x, dtype, "mean")
    axes = reduced_axes(axis, x.type.ndim, "mean")
    total = sum_(cast(x, inner), axis=axes, keepdims=keepdims)
    return cast(true_div(total, _as_dtype(_count(x, axes), inner)), given)


def _as_dtype(count: Any, dtype: str) -> Any:
    return cast(count, dtype) if isinstance(count, Variable) else np.dtype(dtype).type(count)


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance of `x` over `axis`: the sum of squared distances from the mean, by
    ``count - ddof``.

    Parameters
    ----------
    axis, keepdims
        As in `sum`.
    dtype
        The dtype to compute in. The result has that one, or its real counterpart.
    ddof
        What to take off the count.
    """
    x = as_tensor_variable(x)
    inner, given = _mean_dtype(x, dtype, "var")
    axes = reduced_axes(axis, x.type.ndim, "var")
    x = cast(x, inner)
    off = x - mean(x, axis=axes, keepdims=True)
    square = sqr(abs_(off)) if is_complex(inner) else sqr(off)
    total = sum_(square, axis=axes, keepdims=keepdims)
    out = true_div(total, _as_dtype(_count(x, axes, ddof), total.type.dtype))
    return out if is_complex(given) else cast(out, given)


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation of `x` over `axis`: the root of `var` (same arguments)."""
    return sqrt(var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims))
