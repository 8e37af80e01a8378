"""The true values of ops on matrices, by elimination in mpmath's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.tensor.linalg.factors.cholesky import Cholesky
from relgraph.tensor.linalg.stacks import MatrixOp
from relgraph.tensor.linalg.systems.determinants import Cofactors, Det, SLogDet
from relgraph.tensor.linalg.systems.inverses import Inverse
from relgraph.tensor.linalg.systems.solving import (
    CholeskySolve,
    LinearSolve,
    SolveTriangular,
)
from relgraph.testing.judge.true_values.mpmath_support import mp

Array = np.ndarray[Any, Any]


def matrix_values(op: MatrixOp, inputs: Sequence[Array]) -> list[Array] | None:
    """Return the true values of the outputs of an op on matrices; None if there is no rule for it.

    Parameters
    ----------
    inputs
        Arrays of mpmath's numbers or of integers.
    """
    given = [np.asarray(x).astype(object) for x in inputs]
    if isinstance(op, LinearSolve):
        return [_solved(op, *given)]
    if isinstance(op, Inverse):
        return [_each(given[0], lambda a: _solution(a, _identity(len(a))), 2)]
    if isinstance(op, Cholesky):
        return [_each(given[0], lambda a: _factor(a, op.lower), 2)]
    if isinstance(op, Det):
        return [_each(given[0], _determinant, 0)]
    if isinstance(op, Cofactors):
        return [_each(given[0], _cofactors, 2)]
    if isinstance(op, SLogDet):
        return [
            _each(given[0], lambda a: _sign(_determinant(a)), 0),
            _each(given[0], lambda a: _logarithm(_determinant(a)), 0),
        ]
    return None


def _each(a: Array, function: Callable[[Array], Any], ndim: int) -> Array:
    """Return an array of what a function makes of each matrix: numbers, or matrices (`ndim` 2)."""
    batch = a.shape[:-2]
    out = np.empty(batch + a.shape[-2:] if ndim else batch, dtype=object)
    for index in np.ndindex(*batch):
        matrix = a[index]
        out[index] = function(matrix) if _is_finite(matrix) else _nan_like(matrix, ndim)
    return out


def _nan_like(matrix: Array, ndim: int) -> Any:
    return np.full(matrix.shape, mp.nan, dtype=object) if ndim else mp.nan


def _is_finite(x: Array) -> bool:
    return all(mp.isfinite(v) for v in x.flat)


def _identity(n: int) -> Array:
    made = np.full((n, n), mp.mpf(0), dtype=object)
    for k in range(n):
        made[k, k] = mp.mpf(1)
    return made


def _adjoint(a: Array) -> Array:
    return np.asarray(np.frompyfunc(mp.conj, 1, 1)(a.T)) if a.size else a.T


def _solved(op: LinearSolve, a: Array, b: Array) -> Array:
    columns = b[:, None] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    matrices = np.broadcast_to(a, batch + a.shape[-2:])
    right = np.broadcast_to(columns, batch + columns.shape[-2:])
    out = np.empty(right.shape, dtype=object)
    for index in np.ndindex(*batch):
        matrix = matrices[index]
        if not _is_finite(matrix):
            out[index] = _nan_like(out[index], 2)
            continue
        inverse = _solution(_matrix_of(op, matrix), _identity(len(matrix)))
        out[index] = np.matmul(inverse, right[index]) if inverse.size else right[index]
    return out[..., 0] if b.ndim == 1 else out


def _matrix_of(op: Any, a: Array) -> Array:
    """Return the matrix of the system that an op solves."""
    zero = mp.mpf(0)
    below = np.tri(len(a), dtype=bool)
    if isinstance(op, SolveTriangular):
        triangle = np.where(below if op.lower else below.T, a, zero)
        return (
            np.where(np.eye(len(a), dtype=bool), mp.mpf(1), triangle)
            if op.unit_diagonal
            else triangle
        )
    if isinstance(op, CholeskySolve):
        triangle = np.where(below if op.lower else below.T, a, zero)
        factors = (triangle, _adjoint(triangle))
        return np.asarray(np.matmul(*(factors if op.lower else factors[::-1])))
    if op.assume_a == "gen":
        return a
    kept = below if op.lower else below.T
    other = a.T if op.assume_a == "sym" else _adjoint(a)
    return np.where(kept, a, other)


def _eliminated(a: Array, b: Array) -> tuple[Any, Array]:
    """Return the determinant of a matrix and, if it is not 0, the solution for the right side."""
    a, b = a.copy(), b.copy()
    n = len(a)
    determinant: Any = mp.mpf(1)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i, k]))
        if a[pivot, k] == 0:
            return mp.mpf(0), np.full(b.shape, mp.nan, dtype=object)
        if pivot != k:
            a[[k, pivot]], b[[k, pivot]] = a[[pivot, k]], b[[pivot, k]]
            determinant = -determinant
        determinant = determinant * a[k, k]
        for i in range(n):
            if i != k and a[i, k] != 0:
                factor = a[i, k] / a[k, k]
                a[i] = a[i] - factor * a[k]
                b[i] = b[i] - factor * b[k]
    for k in range(n):
        b[k] = b[k] / a[k, k]
    return determinant, b


def _solution(a: Array, b: Array) -> Array:
    return _eliminated(a, b)[1]


def _determinant(a: Array) -> Any:
    return _eliminated(a, _identity(len(a)))[0]


def _cofactors(a: Array) -> Array:
    out = a.copy()
    for i, j in np.ndindex(*a.shape):
        rest = np.delete(np.delete(a, i, 0), j, 1)
        out[i, j] = (-1) ** (i + j) * _determinant(rest)
    return out


def _sign(x: Any) -> Any:
    return x / abs(x) if x != 0 else x


def _logarithm(x: Any) -> Any:
    return mp.log(abs(x)) if x != 0 else -mp.inf


def _factor(a: Array, lower: bool) -> Array:
    """Return the Cholesky factor of a positive definite matrix; nan if it is none."""
    n = len(a)
    source = a if lower else _adjoint(a)
    c = np.full((n, n), mp.mpf(0), dtype=object)
    for j in range(n):
        for i in range(j, n):
            rest = source[i, j] - sum(c[i, k] * mp.conj(c[j, k]) for k in range(j))
            if i > j:
                c[i, j] = rest / c[j, j]
                continue
            if not mp.re(rest) > 0:
                return np.full((n, n), mp.nan, dtype=object)
            c[j, j] = mp.sqrt(mp.re(rest))
    return c if lower else _adjoint(c)
