"""The right sides of laws about updates of few rows and columns."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.assembly.creation import eye
from relgraph.tensor.linalg.functions.arrangements import matrix_transpose
from relgraph.tensor.linalg.products import dot
from relgraph.tensor.linalg.systems.determinants import det, slogdet
from relgraph.tensor.linalg.systems.solving import solve


def _inner_identity(u: Any) -> Any:
    """Return the identity matrix of as many rows as `u` has columns, which are known."""
    return eye(u.type.shape[1], dtype=u.type.dtype)


def _capacitance(d: Any, u: Any, v: Any) -> Any:
    """Return ``I + v @ inv(d) @ u``, of as many rows as `u` has columns."""
    return _inner_identity(u) + dot(v, solve(d, u))


def updated_solution(d: Any, u: Any, v: Any, b: Any) -> Any:
    """Return the solution for ``d + u @ v`` by way of those for `d` and a small matrix."""
    first = solve(d, b)
    return first - dot(solve(d, u), solve(_capacitance(d, u, v), dot(v, first)))


def updated_determinant(d: Any, u: Any, v: Any) -> Any:
    """Return ``det(d + u @ v)`` as the product of two others."""
    return det(_capacitance(d, u, v)) * det(d)


def updated_log_determinant(d: Any, u: Any, v: Any) -> Any:
    """Return ``slogdet(d + u @ v)[1]`` as the sum of two others."""
    return slogdet(_capacitance(d, u, v))[1] + slogdet(d)[1]


def pushed_through(u: Any, v: Any) -> Any:
    """Return ``u @ inv(I + v @ u)``."""
    inner = _inner_identity(u) + dot(v, u)
    return matrix_transpose(solve(matrix_transpose(inner), matrix_transpose(u)))


def small_determinant(u: Any, v: Any) -> Any:
    """Return ``det(I + v @ u)``."""
    return det(_inner_identity(u) + dot(v, u))


def small_log_determinant(u: Any, v: Any) -> Any:
    """Return ``slogdet(I + v @ u)[1]``."""
    return slogdet(_inner_identity(u) + dot(v, u))[1]
