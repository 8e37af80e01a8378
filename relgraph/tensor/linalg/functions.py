"""Functions of a matrix: determinants and cofactors, norms, powers and the exponential.

Cofactors, the derivatives of determinants, are polynomials of the elements, so that singular
matrices have them. Of these they come from singular values: G. W. Stewart, On the Adjugate Matrix
(1998). The gradients of the logarithms are those of M. Giles, Collected Matrix Derivative Results
(2008), 2.2.4, and for the sign of a complex determinant the same along its phase.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy

from relgraph.scalar.type import is_complex
from relgraph.tensor import fortran
from relgraph.tensor.assembly import broadcast_to, concatenate, zeros_like
from relgraph.tensor.basic import as_argument, constant, normalize_axis
from relgraph.tensor.indexing import getitem
from relgraph.tensor.linalg.decompositions import svdvals
from relgraph.tensor.linalg.matrix_op import (
    REAL_OF,
    LapackOp,
    SquareMatrixOp,
    adjoint,
    check_square,
    eye_like,
    has_finite_sum,
    on_finite,
)
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.systems import inv
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import cast, conjugated, eq, inexact, neq, sqr, sqrt, switch
from relgraph.tensor.memory import Array
from relgraph.tensor.reductions import max as max_
from relgraph.tensor.reductions import min as min_
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.shapes import expand_dims, flatten, lengths, moveaxis, shape_i, swapaxes


def _per_matrix(v: Any) -> Any:
    """Return a number for each matrix, with two axes added at the end."""
    return v.dimshuffle(*range(v.type.ndim), "x", "x")


class Det(LapackOp):
    """The determinants of square matrices."""

    cost_by_size = (2 / 3, 0.0)
    signature = "(n,n)->()"

    def of_arrays(self, a: Array) -> Any:
        return on_finite(fortran.det, a)

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [_per_matrix(g) * conjugated(Cofactors()(x))]


def cofactors(xp: Any, factors: Sequence[Any]) -> Any:
    """Return the derivatives of the determinants of square matrices by their elements.

    Parameters
    ----------
    xp
        The module of array functions: `numpy`, or another with its names.
    factors
        The `u`, singular values and `vh` of the matrices.
    """
    u, _, vh = factors
    logs, zeros, unit = _parts(xp, *factors)
    exponents = logs.sum(-1, keepdims=True) - logs
    others = xp.where(zeros.sum(-1, keepdims=True) == zeros, xp.exp(exponents), 0)
    return unit * (xp.conj(u) * others[..., None, :]) @ xp.conj(vh)


def second_cofactors(xp: Any, e: Any, factors: Sequence[Any]) -> Any:
    """Return how the cofactors of matrices change along the matrices `e`.

    For the other parameters see `cofactors`.
    """
    u, values, vh = factors
    logs, zeros, unit = _parts(xp, *factors)
    logs, zeros = (v.sum(-1)[..., None, None] - _sums(v) for v in (logs, zeros))
    identity = xp.eye(values.shape[-1], dtype=values.dtype)
    others = xp.where(zeros == 0, xp.exp(logs), 0) * (1 - identity)
    along = xp.conj(xp.swapaxes(u, -1, -2)) @ e @ xp.conj(xp.swapaxes(vh, -1, -2))
    diagonal = xp.diagonal(along, 0, -2, -1)[..., None]
    changes = identity * (others @ diagonal) - others * xp.swapaxes(along, -1, -2)
    return unit * xp.conj(u) @ changes @ xp.conj(vh)


def _parts(xp: Any, u: Any, values: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Return the logarithms of the values but zeros, which are zeros, and the determinants of the
    other factors."""
    zeros = (values == 0).astype(values.dtype)
    unit = (xp.linalg.det(u) * xp.linalg.det(vh))[..., None, None]
    return xp.log(values + zeros), zeros, unit


def _sums(v: Any) -> Any:
    return v[..., None, :] + v[..., :, None]


class Cofactors(SquareMatrixOp):
    """The cofactors of square matrices: what their determinants have as derivatives."""

    cost_by_size = (8 / 3, 0.0)

    def of_finite(self, a: Array) -> Array:
        if not a.size:
            return a.copy()
        determinants = np.asarray(fortran.det(a))[..., None, None]
        try:
            found: Array = determinants * np.swapaxes(fortran.inv(a), -1, -2)
        except np.linalg.LinAlgError:
            return np.asarray(cofactors(np, fortran.svd(a)), a.dtype)
        sizes = abs(determinants[..., 0, 0])
        lost = ~((sizes >= np.finfo(a.dtype).tiny) & np.isfinite(sizes))
        if lost.any():
            found[lost] = cofactors(np, fortran.svd(a[lost]))
        return found

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        return [conjugated(SecondCofactors()(a, conjugated(g)))]


class SecondCofactors(LapackOp):
    """How the cofactors of square matrices, the first input, change along others, the second."""

    cost_by_size = (22.0, 0.0)
    signature = "(n,n),(n,n)->(n,n)"

    def of_arrays(self, a: Array, e: Array) -> Any:
        a, e = np.broadcast_arrays(a, e)
        return on_finite(lambda safe: second_cofactors(np, e, fortran.svd(safe)), a)

    def input_gradients(self, g: Any, out: Any, a: Any, e: Any) -> list[Any]:
        """Return the gradients; that by the first input is by way of the inverse."""
        g = conjugated(g)
        return [conjugated(_third_derivative(a, e, g)), conjugated(self(a, g))]


def _third_derivative(a: Any, e: Any, g: Any) -> Any:
    """Return how the second cofactors along `e` change along `g`, of regular matrices."""
    inverse = inv(a)
    by_e, by_g = matmul(inverse, e), matmul(inverse, g)
    trace_e, trace_g = (sum_(v * eye_like(v), axis=(-2, -1)) for v in (by_e, by_g))
    both = sum_(by_e * swapaxes(by_g, -1, -2), axis=(-2, -1))
    factor = (
        _per_matrix(trace_e * trace_g - both) * eye_like(by_e)
        - _per_matrix(trace_e) * by_g
        - _per_matrix(trace_g) * by_e
        + matmul(by_e, by_g)
        + matmul(by_g, by_e)
    )
    return _per_matrix(det(a)) * swapaxes(matmul(factor, inverse), -1, -2)


def slogdet_one(perform: Callable[..., Any], getrf: Any, a: Array) -> tuple[float, float]:
    """Return the sign and the logarithm for one real matrix as numbers, as `perform` gives them.

    They come from the factors from which `det` does: of a singular matrix another LAPACK may make a
    small number.

    Parameters
    ----------
    perform
        What is called where something is not finite, or there is nothing.
    getrf
        LAPACK's factorization for the dtype.
    """
    if a.size and has_finite_sum(a):
        return fortran.slogdet_of_floats(getrf, a)
    sign, logarithm = perform(a)
    return float(sign), float(logarithm)


class SLogDet(LapackOp):
    """The signs of determinants, and the logarithms of their absolute values.

    Of a complex determinant the sign is the number of absolute value 1 beside it. A singular matrix
    has the sign 0 and the logarithm -inf.
    """

    cost_by_size = (2 / 3, 0.0)
    name = "slogdet"
    signature = "(n,n)->(),()"
    kinds = ("", "real")

    def of_arrays(self, a: Array) -> Any:
        def both(a: Any) -> Any:
            return np.stack(fortran.slogdet(a), axis=-1)

        found = np.asarray(on_finite(both, a))
        return np.array(found[..., 0]), np.array(found[..., 1].real)

    def input_gradients(self, g: Any, out: Any, a: Any) -> list[Any]:
        """Return the gradient by way of the inverse, which raises LinAlgError of a singular matrix:
        there the logarithm has no derivative."""
        g_sign, scale = g
        if a.type.dtype in REAL_OF and g_sign is not None:
            # along the phase: the sign moves by i times the imaginary part of trace(a⁻¹ da)
            phase = -(conjugated(g_sign) * out[0]).imag * 1j
            scale = phase if scale is None else scale + phase
        if scale is None:
            return [zeros_like(a)]
        return [_per_matrix(scale) * adjoint(inv(a))]


_det = Det()
_slogdet = SLogDet()


def det(a: Any) -> Any:
    """Return the determinants of square matrices, as `numpy.linalg.det` does.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

    Examples
    --------
    >>> det([[2.0, 0.0], [0.0, 3.0]]).eval()
    array(6.)
    """
    return _det(a)


def slogdet(a: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their absolute values.

    They are right where the determinants themselves over- or underflow; see `SLogDet`.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.
    """
    return _slogdet(a)


def _absolute_squares(x: Any) -> Any:
    return sqr(x.real) + sqr(x.imag) if is_complex(x.type.dtype) else sqr(x)


def vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False) -> Any:
    """Return norms of vectors along some axes, as `numpy.linalg.vector_norm` does.

    Parameters
    ----------
    x
        A tensor; integers count as float64.
    ord
        Any number p for ``sum(abs(x) ** p) ** (1 / p)``, inf and -inf for the largest and the
        smallest absolute value, 0 for how many elements are not zero.
    axis
        An axis or a tuple of axes; None for all.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> vector_norm([3.0, 4.0]).eval()
    array(5.)
    """
    x = inexact(as_argument(x, "vector_norm"))
    if isinstance(ord, str) or ord is None:
        raise ValueError(f"vector_norm: the order is a number, not {ord!r}")
    if ord in _OF_SIZES:
        return _OF_SIZES[ord](abs_(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        counted = cast(neq(x, 0), abs_(x).type.dtype)
        return sum_(counted, axis=axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum_(_absolute_squares(x), axis=axis, keepdims=keepdims))
    size = abs_(x)
    power = constant(np.asarray(ord, size.type.dtype))
    root = constant(np.asarray(1 / ord, size.type.dtype))
    return sum_(size**power, axis=axis, keepdims=keepdims) ** root


# the norm of nothing is 0
_largest = partial(max_, initial=0)
_OF_SIZES: dict[Any, Callable[..., Any]] = {1: sum_, np.inf: _largest, -np.inf: min_}
_OF_SUMS: dict[Any, tuple[int, Callable[..., Any]]] = {
    1: (0, _largest),
    -1: (0, min_),
    np.inf: (1, _largest),
    -np.inf: (1, min_),
}
_OF_SINGULAR_VALUES: dict[Any, Callable[..., Any]] = {2: _largest, -2: min_, "nuc": sum_}


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, int], keepdims: bool, what: str) -> Any:
    first, second = (normalize_axis(a, x.type.ndim, what) for a in axes)
    if first == second:
        raise ValueError(f"{what}: both axes are {first}")
    if ord == "fro":
        return sqrt(sum_(_absolute_squares(x), axis=(first, second), keepdims=keepdims))
    last = x.type.ndim - 1
    x = moveaxis(moveaxis(x, second, last), first - (first > second), last - 1)
    if ord in _OF_SUMS:
        summed, extreme = _OF_SUMS[ord]
        made = extreme(sum_(abs_(x), axis=x.type.ndim - 2 + summed), axis=-1)
    elif ord in _OF_SINGULAR_VALUES:
        made = _OF_SINGULAR_VALUES[ord](svdvals(x), axis=-1)
    else:
        raise ValueError(
            f"{what}: the order is one of fro, nuc, 1, -1, 2, -2, inf, -inf, not {ord!r}"
        )
    return expand_dims(made, tuple(sorted((first, second)))) if keepdims else made


def matrix_norm(x: Any, ord: Any = "fro", keepdims: bool = False) -> Any:
    """Return norms of matrices, as `numpy.linalg.matrix_norm` does; for the orders see `norm`.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    ord
        The order.
    keepdims
        Whether the axes stay, with length 1.

    Examples
    --------
    >>> matrix_norm([[3.0, 0.0], [0.0, 4.0]]).eval()
    array(5.)
    """
    x = inexact(as_argument(x, "matrix_norm"))
    return _matrix_norm(x, ord, (-2, -1), keepdims, "matrix_norm")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm of a vector or a matrix, as `numpy.linalg.norm` does.

    Parameters
    ----------
    x
        A tensor; integers count as float64.
    ord
        For vectors as for `vector_norm`; for matrices ``fro``, ``nuc``, 1, -1, inf, -inf (of sums
        of absolute values), 2, -2 (of singular values). None means the root of the sum of squares.
    axis
        One axis for vectors, two for matrices; None for all of a vector or matrix, or without an
        order for all elements of any tensor.
    keepdims
        Whether the axes stay, with length 1.

    Raises
    ------
    ValueError
        If there is no such norm.
    """
    x = inexact(as_argument(x, "norm"))
    if axis is None and ord is None:
        made = vector_norm(flatten(x))
        return expand_dims(made, tuple(range(x.type.ndim))) if keepdims else made
    axes = tuple(range(x.type.ndim)) if axis is None else axis
    axes = tuple(axes) if isinstance(axes, tuple | list) else (axes,)
    if len(axes) == 1:
        return vector_norm(x, 2 if ord is None else ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, "fro" if ord is None else ord, axes, keepdims, "norm")
    raise ValueError(f"norm: {len(axes)} axes; a norm is one of vectors or matrices")


def cond(x: Any, p: Any = None) -> Any:
    """Return condition numbers with respect to the norm 2 (None, 2), or -2.

    Parameters
    ----------
    x
        A matrix, or a stack of them.
    p
        The order of the norm.

    Examples
    --------
    >>> cond([[2.0, 0.0], [0.0, 4.0]]).eval()
    array(2.)
    """
    values = svdvals(inexact(as_argument(x, "cond")))
    if p not in (None, 2, -2):
        raise ValueError(f"cond: p is None, 2 or -2, not {p!r}; others are norm(x) * norm(inv(x))")
    above, below = (-1, 0) if p == -2 else (0, -1)
    above, below = values[..., above], values[..., below]
    return switch(eq(below, 0), np.inf, above / below)


def matrix_power(a: Any, n: int) -> Any:
    """Return the `n`-th powers of square matrices, as `numpy.linalg.matrix_power` does.

    Parameters
    ----------
    a
        Square matrices, in a stack along leading axes.
    n
        An integer known ahead. A negative one is a power of the inverse.

    Raises
    ------
    TypeError
        If `n` is no integer.
    """
    a = as_argument(a, "matrix_power", 0)
    check_square("matrix_power", a.type)
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(
            f"matrix_power: the exponent is an integer known ahead, not {n!r}"
        ) from None
    if n == 0:
        return broadcast_to(eye_like(a), lengths(a))
    base = inv(a) if n < 0 else a
    result, left = None, abs(n)
    while left:
        if left % 2:
            result = base if result is None else matmul(result, base)
        left //= 2
        if left:
            base = matmul(base, base)
    return result


class Expm(SquareMatrixOp):
    """The exponentials of square matrices, by scaling and squaring as `scipy.linalg.expm` does it:
    A. Al-Mohy and N. Higham, A New Scaling and Squaring Algorithm for the Matrix Exponential
    (2009)."""

    cost_by_size = (20.0, 0.0)

    def of_finite(self, a: Array) -> Array:
        # SciPy takes no empty ones
        return np.asarray(scipy.linalg.expm(a.copy("C")), a.dtype) if a.size else a.copy()

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        """Return the gradient: the Fréchet derivative at the adjoint, which is a block of the
        exponential of a matrix twice as large.

        A. Al-Mohy and N. Higham, Computing the Fréchet Derivative of the Matrix Exponential (2009),
        (1.6).
        """
        a = adjoint(x)
        rows = a.type.ndim - 2
        above = concatenate([a, g], axis=rows + 1)
        below = concatenate([zeros_like(a), a], axis=rows + 1)
        n = shape_i(a, rows)
        both = self(concatenate([above, below], axis=rows))
        block = getitem(both, (*[slice(None)] * rows, slice(None, n), slice(n, None)))
        return [block]


def expm(a: Any) -> Any:
    """Return the exponentials of square matrices, as `scipy.linalg.expm` does.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

    Examples
    --------
    >>> expm([[0.0, 1.0], [0.0, 0.0]]).eval()
    array([[1., 1.],
           [0., 1.]])
    """
    return Expm()(a)
