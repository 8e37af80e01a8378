"""`Det` and `SLogDet`: determinants, and their signs and logarithms.

The gradients are those of M. Giles, Collected Matrix Derivative Results (2008), 2.2.4, and for the
sign of a complex determinant the same along its phase.
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
from relgraph.tensor.linalg.stacks import (
    REAL_OF,
    Array,
    MatrixOp,
    adjoint,
    check_square,
    fitted_gradient,
    has_finite_sum,
    lapack_dtype,
    on_finite,
)
from relgraph.tensor.linalg.systems.inverses import inv
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
        """Return the gradient by way of the inverse, which a singular matrix has not."""
        g: Any = output_grads[0]
        scale = _per_matrix(g * conjugate(outputs[0]))
        return [fitted_gradient(scale * adjoint(inv(inputs[0])), inputs[0])]


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
    """Return the determinants of square matrices, as `numpy.linalg.det` does."""
    return _det(a)


def slogdet(a: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their absolute values.

    They are right where the determinants themselves over- or underflow; see `SLogDet`.
    """
    return _slogdet(a)


__all__ = ["Det", "SLogDet", "det", "slogdet"]
