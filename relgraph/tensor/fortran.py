"""Calls of SciPy's BLAS and LAPACK, loaded without `scipy.linalg`, which takes 0.2 s to import.

NumPy and SciPy bring a BLAS each. Each has its own threads, which keep waiting for work after a
call and slow down the other's: alternating calls take up to ten times as long. So whatever the
BLAS shares among threads is SciPy's here, because NumPy has no counterpart of its LAPACK. NumPy
computes small arrays and stacks of small matrices, over which its loops are compiled.

BLAS and LAPACK want matrices by columns. A matrix by rows is a transposed one by columns, so
neither layout is copied; others are.

As in the BLAS, a `Z` that is multiplied by zero is not read: nan and infinities in it are gone. For
an `alpha` of zero the versions of the BLAS differ where a product is not finite; then NumPy
computes.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from relgraph.on_first_use import loaded

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""With which letter the names for a dtype begin, by NumPy's character for it."""


@cache
def blas() -> Any:
    """Return the module of the BLAS: what `scipy.linalg.blas` has its functions from."""
    return _extension("_fblas") or loaded("scipy.linalg.blas")


@cache
def lapack() -> Any:
    """Return the module of the LAPACK: what `scipy.linalg.lapack` has its functions from."""
    return _extension("_flapack") or loaded("scipy.linalg.lapack")


def blas_function(name: str, dtype: Any) -> Any:
    """Return the function of the BLAS of a name for a dtype."""
    return getattr(blas(), LETTERS[np.dtype(dtype).char] + name)


def lapack_function(name: str, dtype: Any) -> Any:
    """Return LAPACK's function of a name for a dtype."""
    return getattr(lapack(), LETTERS[np.dtype(dtype).char] + name)


@cache
def c_function(library: str, name: str, dtype: Any) -> int:
    """Return the address of a function of the BLAS or LAPACK for a dtype, as C calls it.

    Parameters
    ----------
    library
        "blas" or "lapack": SciPy hands its addresses to Cython.

    Raises
    ------
    NotImplementedError
        If its integers are not those of C.
    """
    module = _extension(f"cython_{library}") or loaded(f"scipy.linalg.cython_{library}")
    capsule = module.__pyx_capi__[LETTERS[np.dtype(dtype).char] + name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature = api.PyCapsule_GetName(capsule)
    if b"int *" not in signature:
        raise NotImplementedError(f"{name} of SciPy takes other integers: {signature.decode()}")
    address: int = api.PyCapsule_GetPointer(capsule, signature)
    return address


def _extension(name: str) -> Any:
    """Return a compiled module of `scipy.linalg`, loaded without the package.

    It is None if there is none of that name, for SciPy promises no such names.
    """
    known = sys.modules.get(f"scipy.linalg.{name}")
    if known is not None:
        return known
    spec = PathFinder.find_spec(name, [str(Path(scipy.__file__).parent / "linalg")])
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Array = np.ndarray[Any, Any]

SMALL = 1 << 14
"""The number of elements of `Z` up to which NumPy computes: there the passes over `Z` that the
BLAS saves cost no more than its call."""

MATRICES, VECTORS = 1 << 18, 9_216
"""From so many multiplications on the BLAS (OpenBLAS) takes threads, and products are SciPy's: of
matrices, and with a vector. What is added to such a product comes from there too."""


def product(x: Array, y: Array) -> Any:
    """Return ``numpy.dot(x, y)`` for two arrays of rank 1 or 2 whose lengths agree."""
    if y.ndim == 2 and x.ndim == 2:
        if not (_takes_threads(x.shape[0], x.shape[1], y.shape[1]) and _in_blas(x, y)):
            return np.dot(x, y)
        return _half_product(x) if _is_transpose(x, y) else _matrix_product(x, y)
    if (y if y.ndim == 2 else x).size < VECTORS or not _in_blas(x, y):
        return np.dot(x, y)
    return _vector_product(x, y)


def products(x: Array, y: Array) -> Any:
    """Return ``numpy.matmul(x, y)`` for two stacks of matrices whose lengths agree."""
    rows, columns = x.shape[-2:]
    if not (_takes_threads(rows, columns, y.shape[-1]) and _in_blas(x, y)):
        return np.matmul(x, y)
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    out = np.empty((*batch, rows, y.shape[-1]), x.dtype)
    xs = np.broadcast_to(x, batch + x.shape[-2:])
    ys = np.broadcast_to(y, batch + y.shape[-2:])
    for index in np.ndindex(*batch):
        gemm(out[index], 1.0, xs[index], ys[index], 0.0, True)
    return out


def _takes_threads(rows: int, inner: int, columns: int) -> bool:
    """Return whether the BLAS takes threads. One row or one column is a vector to NumPy."""
    least = VECTORS if rows == 1 or columns == 1 else MATRICES
    return rows * inner * columns >= least


def _in_blas(x: Array, y: Array) -> bool:
    return x.dtype == y.dtype and x.dtype.char in LETTERS


def _matrix_product(x: Array, y: Array) -> Array:
    # the transpose of the product is the product of the transposes in reverse
    (a, turn_a), (b, turn_b) = _by_columns(y.T), _by_columns(x.T)
    made: Array = blas_function("gemm", x.dtype)(1.0, a, b, trans_a=turn_a, trans_b=turn_b)
    return made.T


def _half_product(x: Array) -> Array:
    """Return ``x @ x.T``, of which the BLAS computes a triangle (SYRK)."""
    a, turned = _by_columns(x)
    made: Array = blas_function("syrk", x.dtype)(1.0, a, trans=turned, lower=1)
    n, step = len(made), 64
    above = np.tri(step, k=-1, dtype=bool).T
    for i in range(0, n, step):
        made[i : i + step, i + step :] = made[i + step :, i : i + step].T
        block = made[i : i + step, i : i + step]
        k = len(block)
        np.copyto(block, block.T.copy(), where=above[:k, :k])
    return made.T


def _vector_product(x: Array, y: Array) -> Any:
    if x.ndim == y.ndim:
        return x.dtype.type(blas_function("dotu" if x.dtype.kind == "c" else "dot", x.dtype)(x, y))
    matrix, vector = (x, y) if x.ndim == 2 else (y.T, x)
    a, turned = _by_columns(matrix)
    return blas_function("gemv", x.dtype)(1.0, a, vector, trans=turned)


def gemm(z: Array, alpha: Any, x: Array, y: Array, beta: Any, overwrite: bool) -> Array:
    """Return ``alpha * x @ y + beta * z`` for matrices; the lengths have to agree.

    Parameters
    ----------
    overwrite
        Whether the result is written to `z` and returned as it.
    """
    if z.size <= SMALL or x.shape[1] == 0 or alpha == 0 or _is_transpose(x, y):
        return _added(z, alpha, product(x, y), beta, overwrite)
    target = _target(z, beta, overwrite)
    by_columns = target.flags.f_contiguous
    if by_columns:
        (a, turn_a), (b, turn_b), c = _by_columns(x), _by_columns(y), target
    else:
        # the transpose of the product is the product of the transposes in reverse
        (a, turn_a), (b, turn_b), c = _by_columns(y.T), _by_columns(x.T), target.T
    made = blas_function("gemm", z.dtype)(alpha, a, b, beta, c, turn_a, turn_b, overwrite_c=1)
    return _into(z if overwrite else None, made if by_columns else made.T, made is c, target)


def gemv(z: Array, alpha: Any, x: Array, y: Array, beta: Any, overwrite: bool) -> Array:
    """Return ``alpha * x @ y + beta * z`` for a matrix `x` and vectors `y` and `z`."""
    if z.size <= SMALL or x.size < VECTORS or alpha == 0:
        return _added(z, alpha, product(x, y), beta, overwrite)
    target = _target(z, beta, overwrite)
    if beta == 0:
        target.fill(0)  # some versions multiply its content
    a, turn = _by_columns(x)
    made = blas_function("gemv", z.dtype)(alpha, a, y, beta, target, trans=turn, overwrite_y=1)
    return _into(z if overwrite else None, made, made is target, target)


def ger(z: Array, alpha: Any, x: Array, y: Array, overwrite: bool) -> Array:
    """Return ``z + alpha * outer(x, y)`` for vectors `x` and `y`."""
    if z.size < VECTORS or alpha == 0:
        return _added(z, alpha, np.multiply.outer(x, y), 1, overwrite)
    target = _target(z, 1, overwrite)
    by_columns = target.flags.f_contiguous
    first, second, c = (x, y, target) if by_columns else (y, x, target.T)
    name = "geru" if z.dtype.kind == "c" else "ger"
    made = blas_function(name, z.dtype)(alpha, first, second, a=c, overwrite_a=1)
    return _into(z if overwrite else None, made if by_columns else made.T, made is c, target)


def _is_transpose(x: Array, y: Array) -> bool:
    """Return whether `y` is ``x.T`` in memory: half of such a product is computed (SYRK), which
    saves more than adding it to `Z` costs."""
    return (
        x.strides == y.strides[::-1]
        and x.shape == y.shape[::-1]
        and x.__array_interface__["data"] == y.__array_interface__["data"]
    )


def _target(z: Array, beta: Any, overwrite: bool) -> Array:
    """Return the contiguous array that the BLAS may write to, with the values of `z` in it."""
    if overwrite and (z.flags.c_contiguous or z.flags.f_contiguous):
        if not z.flags.writeable:
            raise ValueError("the array to be overwritten is read-only")
        return z
    return np.empty(z.shape, z.dtype) if beta == 0 else z.copy("K")


def _by_columns(x: Array) -> tuple[Array, int]:
    """Return `x` as a matrix by columns, and 1 if that is its transpose, else 0."""
    if x.flags.f_contiguous:
        return x, 0
    return np.ascontiguousarray(x).T, 1


def _into(z: Array | None, made: Array, in_target: bool, target: Array) -> Array:
    """Return the result, written to `z` if that was to be overwritten and was not the target."""
    if z is None or (in_target and target is z):
        return made if z is None else z
    z[...] = made
    return z


def _added(z: Array, alpha: Any, product: Array, beta: Any, overwrite: bool) -> Array:
    """Return ``alpha * product + beta * z``; the product is overwritten."""
    if alpha != 1:
        product *= alpha
    if not overwrite:
        if beta != 0:
            product += z if beta == 1 else z * beta
        return product
    if beta == 0:
        z[...] = product
        return z
    if beta != 1:
        z *= beta
    z += product
    return z


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
    rows, free = _by_rows(b, overwrite)
    if b.shape[1] == 1 or a.size < LARGE:
        x, info = triangular_solver(a.dtype, lower, unit_diagonal, adjoint, free)(a, rows)
        check_regular("solve_triangular", info)
        return np.asarray(x)
    if not unit_diagonal and not np.diagonal(a).all():
        check_regular("solve_triangular", int((np.diagonal(a) == 0).argmax()) + 1)
    how = {"lower": not lower, "diag": unit_diagonal, "overwrite_b": free}
    # by columns the system is the transposed one, with the unknowns on the left
    solve, turned_a = blas_function("trsm", a.dtype), 2 if adjoint else 0
    x = solve(1.0, np.ascontiguousarray(a).T, rows.T, side=1, trans_a=turned_a, **how)
    found: Array = x.T
    return found


def triangular_solver(
    dtype: Any, lower: bool, unit_diagonal: bool, adjoint: bool = False, overwrite: bool = False
) -> Callable[[Array, Array], Any]:
    """Return the function of a matrix and a right side that returns the solution by columns, and
    what LAPACK says of it.

    For the parameters see `triangular_solution`.
    """
    trtrs, conjugates = lapack_function("trtrs", dtype), adjoint and np.dtype(dtype).kind == "c"

    def solve(a: Array, b: Array) -> Any:
        # what is lower by rows is upper by columns
        columns = a.T.conj() if conjugates else a.T
        return trtrs(columns, b, not lower, not adjoint, unit_diagonal, overwrite_b=overwrite)

    return solve


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
    how: dict[str, Any] = {"lower": not lower, "overwrite_a": free}
    if structure == "pos":
        _, x, info = lapack_function("posv", a.dtype)(rows.T, b, **how)
        if info > 0:
            raise np.linalg.LinAlgError(
                f"solve: a matrix is not positive definite: leading minor {info}"
            )
    else:
        name = "hesv" if structure == "her" and a.dtype.kind == "c" else "sysv"
        if a.size >= LARGE:
            # with the least workspace LAPACK does not work by blocks, of 64 rows
            length, _ = lapack_function(f"{name}_lwork", a.dtype)(len(a), lower=how["lower"])
            how["lwork"] = int(length.real)
        _, _, x, info = lapack_function(name, a.dtype)(rows.T, b, **how)
        check_regular("solve", info)
    found: Array = x
    return found


def symmetric_solver(dtype: Any, lower: bool, overwrite: bool) -> Callable[[Array, Array], Any]:
    """Return the function of a small symmetric matrix and a right side that returns the solution by
    columns, and what LAPACK says of it, after other results.

    For the parameters see `symmetric_solution`.
    """
    sysv = lapack_function("sysv", dtype)
    return lambda a, b: sysv(a.T, b, lower=not lower, overwrite_a=overwrite)


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
    return _of_stack(inverse, a) if a.ndim == 2 or _is_large(a) else np.linalg.inv(a)


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
