"""Matrices from matrices: transposes, traces, Kronecker products, products of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.basic import as_argument
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.indexing import functions as indexing
from relgraph.tensor.linalg.functions.chains import cheapest_order, product_in_order
from relgraph.tensor.linalg.functions.kronecker import _kron
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.reductions.reduction import any as any_
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import reshape, swapaxes
from relgraph.tensor.shapes.shape import lengths


def matrix_transpose(x: Any) -> Any:
    """Return the transposes of the matrices in a stack: the last two axes change places.

    Parameters
    ----------
    x
        A matrix, or a stack of them.

    Examples
    --------
    >>> matrix_transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_argument(x, "matrix_transpose", 0)
    if not isinstance(x, LogicTerm) and x.type.ndim < 2:
        raise TypeError(f"matrix_transpose: the input is a {x.type}, not of two axes or more")
    return swapaxes(x, -1, -2)


def diagonal(x: Any, offset: int = 0) -> Any:
    """Return the diagonals of the matrices in a stack, as `numpy.linalg.diagonal` does.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    offset
        How far the diagonal is above the main one; below it if negative.

    >>> diagonal([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    return indexing.diagonal(x, offset, -2, -1)


def trace(x: Any, offset: int = 0) -> Any:
    """Return the sums of the diagonals of the matrices in a stack.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    offset
        How far the diagonal is above the main one; below it if negative.

    >>> trace([[1, 2], [3, 4]]).eval()
    array(5)
    """
    return indexing.trace(x, offset, -2, -1)


def vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    """Return the sums of the products of the conjugate of `x1` and `x2` along an axis.

    Parameters
    ----------
    x1, x2
        Tensors whose shapes broadcast.
    axis
        The axis.

    >>> vecdot([1, 2], [3, 4]).eval()
    array(11)
    """
    x1, x2 = as_argument(x1, "vecdot", 0), as_argument(x2, "vecdot", 1)
    products = conjugate(x1) * x2
    if isinstance(products, LogicTerm) or not is_discrete(products.type.dtype):
        return sum_(products, axis=axis)
    if products.type.dtype == "bool":
        return any_(products, axis=axis)
    return sum_(products, axis=axis, dtype=products.type.dtype)


def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product, as `numpy.kron` does: each element of `a` times `b`.

    The one of fewer axes gets axes of length 1 in front.
    """
    a, b = as_argument(a, "kron", 0), as_argument(b, "kron", 1)
    ndim = max(a.type.ndim, b.type.ndim)
    if ndim == 0:
        return a * b
    if a.type.ndim == b.type.ndim == 2:
        return _kron(a, b)
    a, b = (v.dimshuffle(*["x"] * (ndim - v.type.ndim), *range(v.type.ndim)) for v in (a, b))
    spread_a: list[Any] = []
    spread_b: list[Any] = []
    for i in range(ndim):
        spread_a += [i, "x"]
        spread_b += ["x", i]
    shape = [n * m for n, m in zip(lengths(a), lengths(b), strict=True)]
    return reshape(a.dimshuffle(*spread_a) * b.dimshuffle(*spread_b), shape)


def multi_dot(arrays: Sequence[Any]) -> Any:
    """Return the product of several matrices, as `numpy.linalg.multi_dot` does.

    Where all static lengths are known it is taken in the order with the fewest multiplications,
    else from the left.

    Parameters
    ----------
    arrays
        At least two matrices; the first and the last one may be vectors.

    Raises
    ------
    TypeError
        If another rank is among them.
    ValueError
        If there are less than two.
    """
    factors = [as_argument(v, "multi_dot", i) for i, v in enumerate(arrays)]
    if len(factors) < 2:
        raise ValueError(f"multi_dot takes at least 2 matrices, not {len(factors)}")
    for i, v in enumerate(factors):
        ends = i in (0, len(factors) - 1)
        if v.type.ndim != 2 and not (ends and v.type.ndim == 1):
            raise TypeError(f"multi_dot: input {i} is a {v.type}, not a matrix")
    shapes = [_as_matrix_shape(v.type.shape, first=i == 0) for i, v in enumerate(factors)]
    if any(None in shape for shape in shapes):
        made = factors[0]
        for v in factors[1:]:
            made = matmul(made, v)
        return made
    order, _ = cheapest_order(shapes)
    return product_in_order(order, factors, matmul)


def _as_matrix_shape(shape: tuple[Any, ...], first: bool) -> Any:
    if len(shape) == 2:
        return shape
    return (1, *shape) if first else (*shape, 1)
