"""Norms of vectors and matrices, and numbers made of singular values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relgraph.scalar.dtypes import is_complex
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_argument, constant
from relgraph.tensor.linalg.factors.singular_values import svdvals
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import cast, neq, sqr, sqrt
from relgraph.tensor.reductions.reduction import max as max_
from relgraph.tensor.reductions.reduction import min as min_
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import expand_dims, flatten, moveaxis


def _prepared(x: Any, what: str) -> Any:
    x = as_argument(x, what, 0)
    kind = np.dtype(x.type.dtype).kind
    return cast(x, "float64") if kind in "biu" else x


def _absolute_squares(x: Any) -> Any:
    return sqr(x.real) + sqr(x.imag) if is_complex(x.type.dtype) else sqr(x)


def vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False) -> Any:
    """Return norms of vectors along some axes, as `numpy.linalg.vector_norm` does.

    Parameters
    ----------
    x
        A tensor; integers count as float64.
    ord
        Any number p for ``sum(abs(x) ** p) ** (1 / p)``, inf and -inf for the largest and the
        smallest absolute value, 0 for how many elements are not zero.
    axis
        An axis or a tuple of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    >>> vector_norm([3.0, 4.0]).eval()
    array(5.)
    """
    x = _prepared(x, "vector_norm")
    if isinstance(ord, str) or ord is None:
        raise ValueError(f"vector_norm: the order is a number, not {ord!r}")
    if ord == np.inf:
        return max_(abs_(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return min_(abs_(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        counted = cast(neq(x, 0), abs_(x).type.dtype)
        return sum_(counted, axis=axis, keepdims=keepdims)
    if ord == 1:
        return sum_(abs_(x), axis=axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum_(_absolute_squares(x), axis=axis, keepdims=keepdims))
    size = abs_(x)
    power = constant(np.asarray(ord, size.type.dtype))
    root = constant(np.asarray(1 / ord, size.type.dtype))
    return sum_(size**power, axis=axis, keepdims=keepdims) ** root


_OF_SUMS: dict[Any, tuple[int, Callable[..., Any]]] = {
    1: (0, max_),
    -1: (0, min_),
    np.inf: (1, max_),
    -np.inf: (1, min_),
}
_OF_SINGULAR_VALUES: dict[Any, Callable[..., Any]] = {2: max_, -2: min_, "nuc": sum_}


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, int], keepdims: bool, what: str) -> Any:
    first, second = (normalize_axis(a, x.type.ndim, what) for a in axes)
    if first == second:
        raise ValueError(f"{what}: both axes are {first}")
    if ord == "fro":
        return sqrt(sum_(_absolute_squares(x), axis=(first, second), keepdims=keepdims))
    last = x.type.ndim - 1
    x = moveaxis(moveaxis(x, second, last), first - (first > second), last - 1)
    if ord in _OF_SUMS:
        summed, extreme = _OF_SUMS[ord]
        made = extreme(sum_(abs_(x), axis=x.type.ndim - 2 + summed), axis=-1)
    elif ord in _OF_SINGULAR_VALUES:
        made = _OF_SINGULAR_VALUES[ord](svdvals(x), axis=-1)
    else:
        raise ValueError(
            f"{what}: the order is one of fro, nuc, 1, -1, 2, -2, inf, -inf, not {ord!r}"
        )
    return expand_dims(made, tuple(sorted((first, second)))) if keepdims else made


def matrix_norm(x: Any, ord: Any = "fro", keepdims: bool = False) -> Any:
    """Return norms of matrices, as `numpy.linalg.matrix_norm` does; for the orders see `norm`.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    ord
        The order.
    keepdims
        Whether the axes stay, with length 1.

    >>> matrix_norm([[3.0, 0.0], [0.0, 4.0]]).eval()
    array(5.)
    """
    x = _prepared(x, "matrix_norm")
    return _matrix_norm(x, ord, (-2, -1), keepdims, "matrix_norm")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm of a vector or a matrix, as `numpy.linalg.norm` does.

    Parameters
    ----------
    x
        A tensor; integers count as float64.
    ord
        For vectors as for `vector_norm`; for matrices ``fro``, ``nuc``, 1, -1, inf, -inf (of sums
        of absolute values), 2, -2 (of singular values). None means the root of the sum of squares.
    axis
        One axis for vectors, two for matrices; None for all of a vector or matrix, or without an
        order for all elements of any tensor.
    keepdims
        Whether the axes stay, with length 1.

    Raises
    ------
    ValueError
        If there is no such norm.
    """
    x = _prepared(x, "norm")
    if axis is None and ord is None:
        made = vector_norm(flatten(x))
        return expand_dims(made, tuple(range(x.type.ndim))) if keepdims else made
    axes = tuple(range(x.type.ndim)) if axis is None else axis
    axes = tuple(axes) if isinstance(axes, tuple | list) else (axes,)
    if len(axes) == 1:
        return vector_norm(x, 2 if ord is None else ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, "fro" if ord is None else ord, axes, keepdims, "norm")
    raise ValueError(f"norm: {len(axes)} axes; a norm is one of vectors or matrices")


def cond(x: Any, p: Any = None) -> Any:
    """Return condition numbers with respect to the norm 2 (None, 2), or -2.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    p
        The order of the norm.

    >>> cond([[2.0, 0.0], [0.0, 4.0]]).eval()
    array(2.)
    """
    values = svdvals(_prepared(x, "cond"))
    if p not in (None, 2, -2):
        raise ValueError(f"cond: p is None, 2 or -2, not {p!r}; others are norm(x) * norm(inv(x))")
    largest, smallest = values[..., 0], values[..., -1]
    return smallest / largest if p == -2 else largest / smallest
