"""`Det` and `SLogDet`: determinants, and their signs and logarithms; `Cofactors`, the derivatives.

Cofactors are polynomials of the elements, so that singular matrices have them. Of these they come
from singular values: G. W. Stewart, On the Adjugate Matrix (1998). The gradients of the logarithms
are those of M. Giles, Collected Matrix Derivative Results (2008), 2.2.4, and for the sign of a
complex determinant the same along its phase.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import DisconnectedType
from relgraph.tensor.assembly.creation import zeros_like
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.linalg import lapack_calls
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    REAL_OF,
    Array,
    MatrixOp,
    SquareMatrixOp,
    adjoint,
    check_square,
    eye_like,
    fitted_gradient,
    has_finite_sum,
    lapack_dtype,
    on_finite,
)
from relgraph.tensor.linalg.systems.inverses import inv
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import swapaxes
from relgraph.tensor.type import TensorType


def _per_matrix(v: Any) -> Any:
    """Return a number for each matrix, with two axes added at the end."""
    return v.dimshuffle(*range(v.type.ndim), "x", "x")


class Det(MatrixOp):
    """The determinants of square matrices."""

    __props__ = ()
    name = "det"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        check_square(self.name, a)
        return [TensorType(lapack_dtype(self.name, a.dtype), a.shape[:-2])]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], node.outputs[0].type.dtype)
        check_square(self.name, a)
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(on_finite(lapack_calls.det, a))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0][:-2]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        g: Any = output_grads[0]
        return [fitted_gradient(_per_matrix(g) * conjugate(Cofactors()(inputs[0])), inputs[0])]


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

    __props__ = ()
    name = "cofactors"

    def compute(self, a: Array) -> Array:
        if not a.size:
            return a.copy()
        determinants = np.asarray(lapack_calls.det(a))[..., None, None]
        try:
            found: Array = determinants * np.swapaxes(lapack_calls.inv(a), -1, -2)
        except np.linalg.LinAlgError:
            return np.asarray(cofactors(np, lapack_calls.svd(a)), a.dtype)
        sizes = abs(determinants[..., 0, 0])
        lost = ~((sizes >= np.finfo(a.dtype).tiny) & np.isfinite(sizes))
        if lost.any():
            found[lost] = cofactors(np, lapack_calls.svd(a[lost]))
        return found

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        a = inputs[0]
        change = SecondCofactors()(a, conjugate(output_grads[0]))
        return [fitted_gradient(conjugate(change), a)]


class SecondCofactors(MatrixOp):
    """How the cofactors of square matrices, the first input, change along others, the second."""

    __props__ = ()
    name = "second_cofactors"
    arity = 2

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        a, e = input_types
        n = check_square(self.name, a)
        check_square(self.name, e, 1)
        if a.ndim != e.ndim:
            raise TypeError(f"{self.name}: input 0 is a {a}, input 1 a {e}")
        return [TensorType(lapack_dtype(self.name, a.dtype, e.dtype), (*a.shape[:-2], n, n))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a, e = (np.asarray(v, node.outputs[0].type.dtype) for v in inputs)
        check_square(self.name, a)
        if a.shape != e.shape:
            raise ValueError(f"{self.name}: the inputs have the shapes {a.shape} and {e.shape}")
        with np.errstate(all="ignore"):
            found = on_finite(lambda safe: second_cofactors(np, e, lapack_calls.svd(safe)), a)
        output_storage[0][0] = np.asarray(found, a.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradients; that by the first input is by way of the inverse."""
        a, e = inputs
        g = conjugate(output_grads[0])
        by_e = self(a, g)
        return [
            fitted_gradient(conjugate(v), x)
            for v, x in ((_third_derivative(a, e, g), a), (by_e, e))
        ]


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
        return lapack_calls.slogdet_of_floats(getrf, a)
    sign, logarithm = perform(a)
    return float(sign), float(logarithm)


class SLogDet(MatrixOp):
    """The signs of determinants, and the logarithms of their absolute values.

    Of a complex determinant the sign is the number of absolute value 1 beside it. A singular matrix
    has the sign 0 and the logarithm -inf.
    """

    __props__ = ()
    name = "slogdet"
    nout = 2

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        check_square(self.name, a)
        dtype = lapack_dtype(self.name, a.dtype)
        batch = a.shape[:-2]
        return [TensorType(dtype, batch), TensorType(REAL_OF.get(dtype, dtype), batch)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], node.outputs[0].type.dtype)
        check_square(self.name, a)

        def both(a: Any) -> Any:
            return np.stack(lapack_calls.slogdet(a), axis=-1)

        with np.errstate(all="ignore"):
            found = np.asarray(on_finite(both, a))
        output_storage[0][0] = np.array(found[..., 0])
        output_storage[1][0] = np.array(found[..., 1].real)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0][:-2], shapes[0][:-2]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient by way of the inverse, which raises LinAlgError of a singular matrix:
        there the logarithm has no derivative."""
        a: Any = inputs[0]
        g_sign, g_log = output_grads
        scale: Any = None
        if not isinstance(g_log.type, DisconnectedType):
            scale = g_log
        if a.type.dtype in REAL_OF and not isinstance(g_sign.type, DisconnectedType):
            # along the phase: the sign moves by i times the imaginary part of trace(a⁻¹ da)
            phase = -(conjugate(g_sign) * outputs[0]).imag * 1j
            scale = phase if scale is None else scale + phase
        if scale is None:
            return [zeros_like(a)]
        return [fitted_gradient(_per_matrix(scale) * adjoint(inv(a)), a)]


_det = Det()
_slogdet = SLogDet()


def det(a: Any) -> Any:
    """Return the determinants of square matrices, as `numpy.linalg.det` does.

    Parameters
    ----------
    a
        A square matrix, or a stack of them.

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
