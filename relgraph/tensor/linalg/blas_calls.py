"""``αAB + βZ`` on arrays: calls of `scipy.linalg.blas`, or of NumPy where the arrays are small.

The BLAS wants matrices by columns. A matrix by rows is a transposed one by columns, so that no
layout of the two has to be copied; others are.

As in the BLAS, a `Z` that is multiplied by zero is not read: nan and infinities in it are gone. Of
an `alpha` of zero the versions of the BLAS make different things where a product is not finite;
then NumPy computes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

Array = np.ndarray[Any, Any]

SMALL = 1 << 14
"""The number of elements of `Z` up to which NumPy computes: there the passes over `Z` that the
BLAS saves cost no more than its call, and SciPy's BLAS need not be loaded."""

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def gemm(z: Array, alpha: Any, x: Array, y: Array, beta: Any, overwrite: bool) -> Array:
    """Return ``alpha * x @ y + beta * z`` for matrices; the lengths have to agree.

    Parameters
    ----------
    overwrite
        Whether the result is written to `z` and returned as it.
    """
    if z.size <= SMALL or x.shape[1] == 0 or alpha == 0 or _is_transpose(x, y):
        return _added(z, alpha, np.dot(x, y), beta, overwrite)
    target = _target(z, beta, overwrite)
    by_columns = target.flags.f_contiguous
    if by_columns:
        (a, turn_a), (b, turn_b), c = _by_columns(x), _by_columns(y), target
    else:
        # the transpose of the product is the product of the transposes in reverse
        (a, turn_a), (b, turn_b), c = _by_columns(y.T), _by_columns(x.T), target.T
    made = _blas("gemm", z)(alpha, a, b, beta, c, turn_a, turn_b, overwrite_c=1)
    return _into(z if overwrite else None, made if by_columns else made.T, made is c, target)


def gemv(z: Array, alpha: Any, x: Array, y: Array, beta: Any, overwrite: bool) -> Array:
    """Return ``alpha * x @ y + beta * z`` for a matrix `x` and vectors `y` and `z`."""
    if z.size <= SMALL or y.size == 0 or alpha == 0:
        return _added(z, alpha, np.dot(x, y), beta, overwrite)
    target = _target(z, beta, overwrite)
    if beta == 0:
        target.fill(0)  # some versions multiply what is there
    a, turn = _by_columns(x)
    made = _blas("gemv", z)(alpha, a, y, beta, target, trans=turn, overwrite_y=1)
    return _into(z if overwrite else None, made, made is target, target)


def ger(z: Array, alpha: Any, x: Array, y: Array, overwrite: bool) -> Array:
    """Return ``z + alpha * outer(x, y)`` for vectors `x` and `y`."""
    if z.size <= SMALL or alpha == 0:
        return _added(z, alpha, np.multiply.outer(x, y), 1, overwrite)
    target = _target(z, 1, overwrite)
    by_columns = target.flags.f_contiguous
    first, second, c = (x, y, target) if by_columns else (y, x, target.T)
    name = "geru" if z.dtype.kind == "c" else "ger"
    made = _blas(name, z)(alpha, first, second, a=c, overwrite_a=1)
    return _into(z if overwrite else None, made if by_columns else made.T, made is c, target)


def _is_transpose(x: Array, y: Array) -> bool:
    """Return whether `y` is ``x.T`` in memory: half of such a product is computed by NumPy (SYRK),
    which saves more than adding it to `Z` costs."""
    return (
        x.strides == y.strides[::-1]
        and x.shape == y.shape[::-1]
        and x.__array_interface__["data"] == y.__array_interface__["data"]
    )


def _blas(name: str, z: Array) -> Any:
    """Return the function of the BLAS for the dtype of `z`."""
    return getattr(scipy.linalg.blas, _LETTERS[z.dtype.char] + name)


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


__all__ = ["SMALL", "gemm", "gemv", "ger"]
