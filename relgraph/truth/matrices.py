"""The true values of ops on matrices."""

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
from relgraph.truth.balls import (
    INFINITY,
    NONE,
    UNKNOWN,
    Ball,
    acb,
    acb_mat,
    arb,
    arb_mat,
    as_ball,
    fmpq,
    fmpq_mat,
)

Array = np.ndarray[Any, Any]


def matrix_values(op: MatrixOp, inputs: Sequence[Array]) -> list[Array] | None:
    """Return the true values of the outputs of an op on matrices; None if there is no rule for it.

    Parameters
    ----------
    inputs
        Arrays of balls or of integers.
    """
    given = [np.asarray(_EACH_AS_BALL(x)) for x in inputs]
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


_EACH_AS_BALL = np.frompyfunc(as_ball, 1, 1)


def _each(a: Array, function: Callable[[Array], Any], ndim: int) -> Array:
    """Return an array of what a function makes of each matrix: numbers, or matrices (`ndim` 2)."""
    batch = a.shape[:-2]
    out = np.empty(batch + a.shape[-2:] if ndim else batch, dtype=object)
    for index in np.ndindex(*batch):
        matrix = a[index]
        out[index] = function(matrix) if _is_finite(matrix) else _all_of(NONE, matrix, ndim)
    return out


def _all_of(ball: Ball, matrix: Array, ndim: int = 2) -> Any:
    return np.full(matrix.shape, ball, dtype=object) if ndim else ball


def _is_finite(x: Array) -> bool:
    return all(v.is_finite() for v in x.flat)


def _identity(n: int) -> Array:
    made = np.full((n, n), arb(0), dtype=object)
    np.fill_diagonal(made, arb(1))
    return made


def _conjugate(x: Ball) -> Ball:
    return x.conjugate() if isinstance(x, acb) else x


def _adjoint(a: Array) -> Array:
    return np.asarray(np.frompyfunc(_conjugate, 1, 1)(a.T)) if a.size else a.T


def _solved(op: LinearSolve, a: Array, b: Array) -> Array:
    columns = b[:, None] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    matrices = np.broadcast_to(a, batch + a.shape[-2:])
    right = np.broadcast_to(columns, batch + columns.shape[-2:])
    out = np.empty(right.shape, dtype=object)
    for index in np.ndindex(*batch):
        matrix = matrices[index]
        if _is_finite(matrix):
            # by the inverse, so that a column that is not finite leaves the others as they are
            inverse = _solution(_matrix_of(op, matrix), _identity(len(matrix)))
            out[index] = np.matmul(inverse, right[index]) if inverse.size else right[index]
        else:
            out[index] = _all_of(NONE, right[index])
    return out[..., 0] if b.ndim == 1 else out


def _matrix_of(op: Any, a: Any) -> Any:
    """Return the matrix of the system that an op solves."""
    zero: Any = arb(0)
    below: Any = np.tri(len(a), dtype=bool)
    if isinstance(op, SolveTriangular):
        triangle = np.where(below if op.lower else below.T, a, zero)
        if op.unit_diagonal:
            np.fill_diagonal(triangle, arb(1))
        return triangle
    if isinstance(op, CholeskySolve):
        triangle = np.where(below if op.lower else below.T, a, zero)
        factors = (triangle, _adjoint(triangle))
        return np.asarray(np.matmul(*(factors if op.lower else factors[::-1])))
    if op.assume_a == "gen":
        return a
    kept = below if op.lower else below.T
    other = a.T if op.assume_a == "sym" else _adjoint(a)
    return np.where(kept, a, other)


def _as_matrices(*arrays: Array) -> Any:
    is_complex = any(isinstance(v, acb) for a in arrays for v in a.flat)
    kind: Any = acb_mat if is_complex else arb_mat
    return [kind(*a.shape, list(a.flat)) for a in arrays]


def _as_array(matrix: Any) -> Array:
    found = np.empty((matrix.nrows(), matrix.ncols()), dtype=object)
    for index in np.ndindex(*found.shape):
        found[index] = matrix[index]
    return found


def _solution(a: Array, b: Array) -> Array:
    """Return the solution of a system; none if the matrix is singular."""
    if not a.size:
        return b
    try:
        left, right = _as_matrices(a, b)
        return _as_array(left.solve(right))
    except ZeroDivisionError:
        found: Array = _all_of(NONE if _is_singular(a) else UNKNOWN, b)
        return found


def _is_singular(a: Array) -> bool:
    """Return whether a real matrix is known exactly and singular."""
    if not all(isinstance(v, arb) and v.is_exact() for v in a.flat):
        return False
    kind: Any = fmpq_mat
    return bool(kind(*a.shape, [fmpq(*_ratio(v)) for v in a.flat]).det() == 0)


def _ratio(x: Ball) -> tuple[int, int]:
    mantissa, exponent = map(int, x.man_exp())
    return mantissa << max(exponent, 0), 1 << max(-exponent, 0)


def _determinant(a: Array) -> Ball:
    if not a.size:
        return arb(1)
    (matrix,) = _as_matrices(a)
    return arb(0) if _is_singular(a) else matrix.det()


def _cofactors(a: Array) -> Array:
    out = a.copy()
    for i, j in np.ndindex(*a.shape):
        rest = np.delete(np.delete(a, i, 0), j, 1)
        out[i, j] = (-1) ** (i + j) * _determinant(rest)
    return out


def _sign(x: Ball) -> Ball:
    return x if x == 0 else x / abs(x)


def _logarithm(x: Ball) -> Ball:
    return -INFINITY if x == 0 else abs(x).log()


def _factor(a: Array, lower: bool) -> Array:
    """Return the Cholesky factor of a positive definite matrix; none if it is not."""
    n = len(a)
    source = a if lower else _adjoint(a)
    c = np.full((n, n), arb(0), dtype=object)
    for j in range(n):
        for i in range(j, n):
            rest = source[i, j] - sum((c[i, k] * _conjugate(c[j, k]) for k in range(j)), arb(0))
            if i > j:
                c[i, j] = rest / c[j, j]
                continue
            if not rest.real > 0:
                found: Array = _all_of(NONE if rest.real <= 0 else UNKNOWN, a)
                return found
            c[j, j] = rest.real.sqrt()
    return c if lower else _adjoint(c)
