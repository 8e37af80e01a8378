"""What laws about Kronecker products compute and ask."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.contraction import _dot
from relgraph.tensor.lawkit.matrices.determinants import are_square
from relgraph.tensor.linalg.systems.determinants import det, slogdet
from relgraph.tensor.linalg.systems.solving import solve
from relgraph.tensor.math import cast
from relgraph.tensor.shapes.reshaping import flatten, reshape, swapaxes
from relgraph.tensor.shapes.shape import lengths


def fit(x: Any, y: Any) -> bool:
    """Return whether the product of two matrices is known to be defined."""
    n = x.type.shape[1]
    return bool(n is not None and n == y.type.shape[0])


def product_with_vector(x: Any, y: Any, v: Any) -> Any:
    """Return ``kron(x, y) @ v``, for a vector, by two small products."""
    table = reshape(v, (lengths(x)[1], lengths(y)[1]))
    return flatten(_dot(_dot(x, table), swapaxes(y, 0, 1)))


def solution_for_vector(x: Any, y: Any, v: Any) -> Any:
    """Return ``solve(kron(x, y), v)``, for a vector, by two small systems; None unless the sides of
    the matrices are known."""
    if not are_square(x, y):
        return None
    table = reshape(v, (lengths(x)[0], lengths(y)[0]))
    return flatten(swapaxes(solve(y, swapaxes(solve(x, table), 0, 1)), 0, 1))


def _count(x: Any, dtype: str) -> Any:
    return cast(x.type.shape[0], dtype)


def determinant(x: Any, y: Any) -> Any:
    """Return ``det(kron(x, y))`` of two square matrices."""
    dtype = det(x).type.dtype
    return det(x) ** _count(y, dtype) * det(y) ** _count(x, dtype)


def log_determinant(x: Any, y: Any) -> Any:
    """Return the logarithm of the size of ``det(kron(x, y))`` of two square matrices."""
    first, second = slogdet(x)[1], slogdet(y)[1]
    return first * _count(y, first.type.dtype) + second * _count(x, first.type.dtype)


def trace(x: Any, y: Any, i: Any) -> Any:
    """Return ``trace(kron(x, y))``; None unless they are square, and `i` is as long as that has
    rows."""
    if not are_square(x, y) or i.type.shape[0] != x.type.shape[0] * y.type.shape[0]:
        return None
    return x.trace() * y.trace()
