"""Calls of LAPACK for matrices, of SciPy's where it takes threads.

Matrices are by rows, LAPACK's by columns: it is given the transposed ones, so that none is copied.
`blas_calls` says why the threads are SciPy's. Stacks of small matrices are NumPy's, whose loops
over them are compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy

from relgraph.tensor.blas_calls import product
from relgraph.tensor.fortran import blas_function, lapack_function

Array = np.ndarray[Any, Any]

LARGE = 64 * 64
"""From so many elements of a matrix on LAPACK may take threads."""


def check_regular(what: str, info: int) -> None:
    """Raise a LinAlgError if LAPACK says that a matrix is singular."""
    if info > 0:
        raise np.linalg.LinAlgError(f"{what}: a matrix is singular: pivot {info - 1} is 0")


# -- one matrix --------------------------------------------------------------------------------


def _by_rows(a: Array, overwrite: bool) -> tuple[Array, bool]:
    """Return a matrix by rows, and whether LAPACK may overwrite that."""
    if a.flags.c_contiguous:
        return a, overwrite and a.flags.writeable
    return np.ascontiguousarray(a), True


def cholesky_factor(a: Array, lower: bool, overwrite: bool = False) -> Array:
    """Return the lower or upper factor of a positive definite matrix; one triangle of it is read.

    Parameters
    ----------
    overwrite
        Whether the factor may be written over the matrix.
    """
    if not a.size:
        return a.copy()
    rows, free = _by_rows(a, overwrite)
    # what is lower by rows is upper by columns
    potrf = lapack_function("potrf", a.dtype)
    c, info = potrf(rows.T, lower=not lower, clean=1, overwrite_a=free)
    if info > 0:
        raise np.linalg.LinAlgError(f"cholesky: the leading minor {info} is not positive definite")
    found: Array = c.T
    return found


def inverse(a: Array, overwrite: bool = False) -> Array:
    """Return the inverse of a square matrix; it may be written over that."""
    if not a.size:
        return a.copy()
    rows, free = _by_rows(a, overwrite)
    lu, pivots, info = lapack_function("getrf", a.dtype)(rows.T, overwrite_a=free)
    check_regular("inv", info)
    length, _ = lapack_function("getri_lwork", a.dtype)(len(a))
    made, _ = lapack_function("getri", a.dtype)(
        lu, pivots, lwork=int(length.real), overwrite_lu=True
    )
    found: Array = made.T
    return found


def triangular_solution(
    a: Array, b: Array, lower: bool, unit_diagonal: bool, overwrite: bool, adjoint: bool = False
) -> Array:
    """Return the solution of a triangular system of a matrix and a right side of a matrix by rows.

    Parameters
    ----------
    overwrite
        Whether the solution may be written over the right side.
    adjoint
        Whether the matrix of the system is the conjugate transpose of the triangular one.
    """
    if not b.size:
        return np.empty(b.shape, b.dtype)
    if not unit_diagonal and not np.diagonal(a).all():
        check_regular("solve_triangular", int((np.diagonal(a) == 0).argmax()) + 1)
    columns = np.ascontiguousarray(a).T
    how = {"lower": not lower, "diag": unit_diagonal}
    rows, free = _by_rows(b, overwrite)
    if b.shape[1] == 1:
        turned = columns.conj() if adjoint and a.dtype.kind == "c" else columns
        solve = blas_function("trsv", a.dtype)
        x = solve(turned, rows[:, 0], trans=not adjoint, overwrite_x=free, **how)
    else:
        # by columns the system is the transposed one, with the unknowns on the left
        solve, turned_a = blas_function("trsm", a.dtype), 2 if adjoint else 0
        x = solve(1.0, columns, rows.T, side=1, trans_a=turned_a, overwrite_b=free, **how)
    found: Array = x.T if x.ndim == 2 else x[:, None]
    return found


def general_solution(a: Array, b: Array, overwrite: bool = False) -> Array:
    """Return the solution of a system of one matrix and a right side of a vector or matrix.

    Parameters
    ----------
    overwrite
        Whether the matrix may be overwritten.
    """
    if not b.size:
        return np.empty(b.shape, b.dtype)
    if a.size < LARGE:
        _, _, x, info = lapack_function("gesv", a.dtype)(a, b)
        check_regular("solve", info)
        found: Array = x
        return found
    rows, free = _by_rows(a, overwrite)
    lu, pivots, info = lapack_function("getrf", a.dtype)(rows.T, overwrite_a=free)
    check_regular("solve", info)
    x, _ = lapack_function("getrs", a.dtype)(lu, pivots, b, trans=1)
    found = x
    return found


def symmetric_solution(
    a: Array, b: Array, structure: str, lower: bool, overwrite: bool = False
) -> Array:
    """Return the solution of a system of one matrix that equals its transpose or its adjoint.

    Parameters
    ----------
    structure
        ``sym`` for a symmetric matrix, ``her`` for a Hermitian one, ``pos`` for a positive definite
        one.
    lower
        Which triangle of it is read.
    overwrite
        Whether the matrix may be overwritten.
    """
    if not b.size:
        return np.empty(b.shape, b.dtype)
    rows, free = _by_rows(a, overwrite)
    if structure != "sym" and a.dtype.kind == "c":
        rows, free = rows.conj(), True
    how = {"lower": not lower, "overwrite_a": free}
    if structure == "pos":
        _, x, info = lapack_function("posv", a.dtype)(rows.T, b, **how)
        if info > 0:
            raise np.linalg.LinAlgError(
                f"solve: a matrix is not positive definite: leading minor {info}"
            )
    else:
        hermitian = structure == "her" and a.dtype.kind == "c"
        _, _, x, info = lapack_function("hesv" if hermitian else "sysv", a.dtype)(rows.T, b, **how)
        check_regular("solve", info)
    found: Array = x
    return found


# -- stacks: as the functions of numpy.linalg ----------------------------------------------------


def _of_stack(of_one: Callable[[Array], Any], a: Array) -> Any:
    """Return what a function makes of each matrix, in a stack; several if it makes several."""
    if a.ndim == 2:
        return of_one(a)
    batch = a.shape[:-2]
    found = [of_one(m) for m in a.reshape(-1, *a.shape[-2:])]
    if not isinstance(found[0], tuple):
        return np.stack(found).reshape(batch + np.shape(found[0]))
    parts = zip(*found, strict=True)
    return tuple(np.stack(part).reshape(batch + np.shape(part[0])) for part in parts)


def _is_large(a: Array) -> bool:
    """Return whether SciPy is to be called; what is not finite is left to NumPy."""
    large = a.shape[-1] * a.shape[-2] >= LARGE and a.size > 0
    return large and bool(np.isfinite(a).all())


def cholesky(a: Array, lower: bool) -> Array:
    """Return the lower or upper Cholesky factors of positive definite matrices."""
    if a.ndim == 2 or _is_large(a):
        found: Array = _of_stack(lambda m: cholesky_factor(m, lower), a)
        return found
    if lower:
        return np.linalg.cholesky(a)
    # the upper factor is the adjoint of the lower one of the transposed conjugate
    turned = np.linalg.cholesky(np.swapaxes(a, -1, -2).conj())
    return np.ascontiguousarray(np.swapaxes(turned, -1, -2).conj())


def inv(a: Array) -> Array:
    """Return the inverses of square matrices."""
    found: Array = _of_stack(inverse, a) if a.ndim == 2 or _is_large(a) else np.linalg.inv(a)
    return found


def slogdet(a: Array) -> tuple[Any, Any]:
    """Return the signs and logarithms of the determinants of square matrices."""
    if a.size and (a.ndim == 2 or _is_large(a)):
        found: tuple[Any, Any] = _of_stack(_slogdet_of_one, a)
        return found
    return np.linalg.slogdet(a)


def _slogdet_of_one(a: Array) -> tuple[Any, Any]:
    if a.dtype.char == "d":
        sign, logarithm = slogdet_of_floats(lapack_function("getrf", a.dtype), a)
        return np.float64(sign), np.float64(logarithm)
    lu, pivots, _ = lapack_function("getrf", a.dtype)(np.ascontiguousarray(a).T)
    diagonal = np.diagonal(lu)
    sizes = np.abs(diagonal)
    swaps = np.count_nonzero(pivots != np.arange(len(pivots)))
    if not sizes.all():
        return a.dtype.type(0), sizes.dtype.type(-np.inf)
    sign = np.prod(diagonal / sizes) * (-1) ** swaps
    return a.dtype.type(sign), np.log(sizes).sum()


def slogdet_of_floats(getrf: Any, a: Array) -> tuple[float, float]:
    """Return the sign and the logarithm of the determinant of one matrix of float64.

    Parameters
    ----------
    getrf
        LAPACK's factorization for the dtype.
    """
    lu, pivots, _ = getrf(np.ascontiguousarray(a).T)
    is_negative, logarithm = False, 0.0
    for i, (pivot, row) in enumerate(zip(lu.diagonal().tolist(), pivots.tolist(), strict=True)):
        if pivot == 0:
            return 0.0, -math.inf
        is_negative ^= (pivot < 0) is not (row != i)
        logarithm += math.log(abs(pivot))
    return -1.0 if is_negative else 1.0, logarithm


def det(a: Array) -> Any:
    """Return the determinants of square matrices."""
    if a.size and (a.ndim == 2 or _is_large(a)):
        sign, logarithm = slogdet(a)
        return np.asarray(sign * np.exp(logarithm), a.dtype)[()]
    return np.linalg.det(a)


def eigh(a: Array, uplo: Any, vectors: bool = True) -> Any:
    """Return the eigenvalues of Hermitian matrices and, unless told otherwise, the vectors."""
    if not _is_large(a):
        return np.linalg.eigh(a, uplo) if vectors else np.linalg.eigvalsh(a, uplo)
    how = {"lower": uplo == "L", "eigvals_only": not vectors, "driver": "evd"}
    return _of_stack(lambda m: scipy.linalg.eigh(m, check_finite=False, **how), a)


def eig(a: Array, vectors: bool = True) -> Any:
    """Return the eigenvalues of square matrices and, unless told otherwise, the vectors."""
    if not _is_large(a):
        return np.linalg.eig(a) if vectors else np.linalg.eigvals(a)
    if vectors:
        return _of_stack(lambda m: scipy.linalg.eig(m, check_finite=False), a)
    return _of_stack(lambda m: scipy.linalg.eigvals(m, check_finite=False), a)


def qr(a: Array, mode: Any) -> Any:
    """Return the factors of matrices, as `numpy.linalg.qr` does."""
    if not _is_large(a):
        return np.linalg.qr(a, mode)
    how = {"reduced": "economic", "complete": "full", "r": "r"}[mode]

    def of_one(m: Array) -> Any:
        found = scipy.linalg.qr(m, mode=how, check_finite=False)
        return np.ascontiguousarray(found[0][: min(m.shape)]) if mode == "r" else found

    return _of_stack(of_one, a)


def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular values of matrices and the vectors, as `numpy.linalg.svd` does."""
    if not _is_large(a):
        of_numpy: Any = np.linalg.svd
        return of_numpy(a, full_matrices, compute_uv)
    return _of_stack(
        lambda m: scipy.linalg.svd(m, full_matrices, compute_uv, check_finite=False), a
    )


def pinv(a: Array, rcond: float, hermitian: bool) -> Array:
    """Return the pseudo-inverses of matrices, as `numpy.linalg.pinv` does."""
    if not _is_large(a):
        return np.linalg.pinv(a, rcond, hermitian)

    def of_one(m: Array) -> Array:
        if hermitian:
            values, v = eigh(m, "L")
            left, right = v, v.conj().T
        else:
            u, values, vh = svd(m, full_matrices=False)
            left, right = vh.conj().T, u.conj().T
        sizes = np.abs(values)
        kept = sizes > rcond * sizes.max()
        factors = np.divide(1, values, where=kept, out=np.zeros_like(values))
        made: Array = product(left, factors[:, None] * right)
        return made

    found: Array = _of_stack(of_one, a)
    return found


def lstsq(a: Array, b: Array, rcond: float | None) -> Sequence[Any]:
    """Return what `numpy.linalg.lstsq` does, of one matrix and a vector or matrix."""
    if not _is_large(a):
        return np.linalg.lstsq(a, b, rcond=rcond)
    least = max(a.shape) * float(np.finfo(a.dtype).eps) if rcond is None else rcond
    x, residuals, rank, values = scipy.linalg.lstsq(a, b, least, check_finite=False)
    return x, np.atleast_1d(residuals), rank, values
