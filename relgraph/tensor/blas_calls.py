"""Products of arrays, and ``αAB + βZ``: calls of SciPy's BLAS, or of NumPy where the arrays are
small.

NumPy and SciPy bring a BLAS each, and each of these has threads of its own, which wait for work for
a while after a call, and are in the way of the other's: calls in turn take up to ten times as long.
So what the BLAS shares among threads is SciPy's here, whose LAPACK has no counterpart in NumPy.

The BLAS wants matrices by columns. A matrix by rows is a transposed one by columns, so that no
layout of the two has to be copied; others are.

As in the BLAS, a `Z` that is multiplied by zero is not read: nan and infinities in it are gone. Of
an `alpha` of zero the versions of the BLAS make different things where a product is not finite;
then NumPy computes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.tensor.fortran import LETTERS, blas_function

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
        target.fill(0)  # some versions multiply what is there
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
