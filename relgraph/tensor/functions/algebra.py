"""Products of vectors, functions made of those in `relgraph.tensor.linalg`, and polynomials.

Polynomials are given by their coefficients, the highest first, as NumPy has them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.along_axes import length
from relgraph.tensor.basic import Tensor, as_argument
from relgraph.tensor.linalg.decompositions import svdvals
from relgraph.tensor.linalg.systems import inv, solve
from relgraph.tensor.math import conjugated, inexact
from relgraph.tensor.shapes import greater, lengths, product


def cross(a: Tensor, b: Tensor, axis: int = -1) -> Any:
    """Return the cross products of vectors of length 3 along an axis.

    Parameters
    ----------
    a, b
        Tensors whose shapes broadcast.
    axis
        The axis of length 3.

    Examples
    --------
    >>> cross([1, 0, 0], [0, 1, 0]).eval()
    array([0, 0, 1])
    """
    x, y = (at.moveaxis(v, axis, 0) for v in (a, b))
    for v in (x, y):
        if v.type.shape[0] not in (None, 3):
            raise ValueError(f"cross: vectors of length 3, not {v.type.shape[0]}")
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return at.moveaxis(at.stack(parts), 0, axis)


def inner(a: Tensor, b: Tensor) -> Any:
    """Return the sums of the products over the last axes.

    Parameters
    ----------
    a, b
        Tensors whose last axes have one length.

    Examples
    --------
    >>> inner([1, 2], [3, 4]).eval()
    array(11)
    """
    if a.type.ndim == 0 or b.type.ndim == 0:
        return at.mul(a, b)
    return at.tensordot(a, b, ((-1,), (-1,)))


def vdot(a: Tensor, b: Tensor) -> Any:
    """Return the product of two flattened tensors, the first one conjugated.

    Parameters
    ----------
    a, b
        Tensors of one size.

    Examples
    --------
    >>> vdot([1, 2], [3, 4]).eval()
    array(11)
    """
    return at.dot(conjugated(at.flatten(a)), at.flatten(b))


def matvec(x1: Tensor, x2: Tensor) -> Any:
    """Return the products of matrices and vectors in two stacks.

    Parameters
    ----------
    x1
        A matrix, or a stack of them.
    x2
        A vector, or a stack of them.

    Examples
    --------
    >>> matvec([[1, 2], [3, 4]], [1, 1]).eval()
    array([3, 7])
    """
    return (x1 @ x2.dimshuffle(*range(x2.type.ndim), "x"))[..., 0]


def vecmat(x1: Tensor, x2: Tensor) -> Any:
    """Return the products of conjugated vectors and matrices in two stacks.

    Parameters
    ----------
    x1
        A vector, or a stack of them.
    x2
        A matrix, or a stack of them.

    Examples
    --------
    >>> vecmat([1, 1], [[1, 2], [3, 4]]).eval()
    array([4, 6])
    """
    x1 = conjugated(x1)
    ndim = x1.type.ndim
    return (x1.dimshuffle(*range(ndim - 1), "x", ndim - 1) @ x2)[..., 0, :]


def matrix_rank(A: Tensor, tol: Any = None) -> Any:
    """Return the ranks of matrices: how many singular values are greater than a tolerance.

    Parameters
    ----------
    A
        A matrix, or a stack of them.
    tol
        By default the greatest singular value, times the longer side, times the distance of 1 to
        the next number of the dtype.

    Examples
    --------
    >>> matrix_rank([[1.0, 2.0], [2.0, 4.0]]).eval()
    array(1)
    """
    if A.type.ndim < 2:
        return at.cast(at.any(at.neq(A, 0)), "int64")
    s = svdvals(A)
    if tol is None:
        longer = greater(*lengths(A)[-2:])
        longer = longer if isinstance(longer, int) else at.cast(longer, s.type.dtype)
        eps = np.finfo(s.type.dtype).eps
        tol = at.max(s, axis=-1, keepdims=True, initial=0) * longer * eps
    else:
        tol = at.expand_dims(as_argument(tol, "matrix_rank", 1), -1)
    return at.sum(at.gt(s, tol), axis=-1)


def tensorsolve(a: Tensor, b: Tensor, axes: Any = None) -> Any:
    """Return the tensor whose product with `a` over all its axes is `b`.

    Parameters
    ----------
    a, b
        Tensors.
    axes
        The axes of `a` that are moved to its end first; None for none.
    """
    if axes is not None:
        moved = [axis % a.type.ndim for axis in axes]
        a = at.transpose(a, [*[i for i in range(a.type.ndim) if i not in moved], *moved])
    shape = lengths(a)[b.type.ndim :]
    n = product(shape)
    return at.reshape(solve(at.reshape(a, (n, n)), at.ravel(b)), shape)


def tensorinv(a: Tensor, ind: int = 2) -> Any:
    """Return the inverse of `a` as a matrix of its first `ind` axes and the others.

    Parameters
    ----------
    a
        A tensor; the product of its first `ind` lengths is that of the others.
    ind
        How many axes.
    """
    if ind <= 0:
        raise ValueError(f"tensorinv: {ind} axes")
    shape = lengths(a)
    first, others = shape[:ind], shape[ind:]
    if all(isinstance(n, int) for n in shape) and math.prod(first) != math.prod(others):
        raise ValueError(f"tensorinv: {first} and {others} have different numbers of elements")
    n = product(others)
    return at.reshape(inv(at.reshape(a, (n, n))), (*others, *first))


def polyval(p: Tensor, x: Tensor) -> Any:
    """Return the values at `x` of the polynomial whose coefficients, the highest first, are `p`.

    Parameters
    ----------
    p
        A vector.
    x
        A tensor.

    Examples
    --------
    >>> polyval([1, 2, 3], 2).eval()
    array(11)
    """
    n = _count(p, "polyval")
    found = at.zeros((), dtype=p.type.dtype) * x
    for i in range(n):
        found = found * x + p[i]
    return found


def _count(p: Any, what: str) -> int:
    if p.type.ndim != 1 or p.type.shape[0] is None:
        raise TypeError(f"{what}: {p} is a {p.type}, not a vector of known length")
    return int(p.type.shape[0])


def polyadd(a1: Tensor, a2: Tensor) -> Any:
    """Return the coefficients of the sum of two polynomials.

    Parameters
    ----------
    a1, a2
        Their coefficients, the highest first.

    Examples
    --------
    >>> polyadd([1, 2], [3]).eval()
    array([1, 5])
    """
    longer, shorter = sorted((a1, a2), key=lambda p: -_count(p, "polyadd"))
    missing = _count(longer, "polyadd") - _count(shorter, "polyadd")
    return longer + at.join(0, at.zeros((missing,), dtype=shorter.type.dtype), shorter)


def polysub(a1: Tensor, a2: Tensor) -> Any:
    """Return the coefficients of the difference of two polynomials.

    Parameters
    ----------
    a1, a2
        Their coefficients, the highest first.

    Examples
    --------
    >>> polysub([1, 2], [3]).eval()
    array([ 1, -1])
    """
    return polyadd(a1, -a2)


def polyder(p: Tensor, m: int = 1) -> Any:
    """Return the coefficients of the `m`-th derivative of a polynomial.

    Parameters
    ----------
    p
        The coefficients, the highest first.
    m
        How often it is differentiated.

    Examples
    --------
    >>> polyder([1, 2, 3]).eval()
    array([2, 2])
    """
    for _ in range(m):
        p = p[:-1] * at.arange(length(p, 0) - 1, 0, -1)
    return p


def polyint(p: Tensor, m: int = 1, k: Any = 0) -> Any:
    """Return the coefficients of the `m`-th integral of a polynomial, with constants `k`.

    Parameters
    ----------
    p
        The coefficients, the highest first.
    m
        How often it is integrated.
    k
        The constants, one for all or for each time.

    Examples
    --------
    >>> polyint([2.0, 3.0]).eval()
    array([1., 3., 0.])
    """
    constants = [k] * m if np.ndim(k) == 0 else list(k)
    for constant in constants:
        shares = inexact(p) / at.arange(length(p, 0), 0, -1)
        p = at.join(
            0, shares, at.stack([at.cast(as_argument(constant, "polyint"), shares.type.dtype)])
        )
    return p
