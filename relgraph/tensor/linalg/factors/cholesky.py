"""`Cholesky`: the triangular factor of positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.assembly.creation import tril
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    Array,
    MatrixOp,
    adjoint,
    check_square,
    eye_like,
    fitted_gradient,
    lapack_dtype,
    on_finite,
)
from relgraph.tensor.linalg.systems.solving import SolveTriangular
from relgraph.tensor.type import TensorType


class Cholesky(MatrixOp):
    """The lower or upper triangular factor of positive definite matrices.

    Only that triangle of them is read. Raises LinAlgError if one is not positive definite.

    Parameters
    ----------
    lower
        Whether the factor is the lower one, ``a = c @ adjoint(c)``, or ``a = adjoint(c) @ c``.
    """

    __props__ = ("lower",)
    name = "cholesky"

    def __init__(self, lower: bool = True) -> None:
        self.lower = bool(lower)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        n = check_square(self.name, a)
        return [TensorType(lapack_dtype(self.name, a.dtype), (*a.shape[:-2], n, n))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], node.outputs[0].type.dtype)
        check_square(self.name, a)
        with np.errstate(all="ignore"):
            output_storage[0][0] = on_finite(self._factor, a)

    def _factor(self, a: Array) -> Array:
        if self.lower:
            return np.linalg.cholesky(a)
        # the upper factor is the adjoint of the lower one of the transposed conjugate
        lower = np.linalg.cholesky(np.swapaxes(a, -1, -2).conj())
        return np.ascontiguousarray(np.swapaxes(lower, -1, -2).conj())

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient, a Hermitian matrix: right along Hermitian matrices.

        The form is that of I. Murray, Differentiation of the Cholesky Decomposition (2016), 3.
        """
        c, g = outputs[0], output_grads[0]
        if not self.lower:
            c, g = adjoint(c), adjoint(g)
        half = tril(matmul(adjoint(c), g))
        half = half - half * eye_like(half) / 2
        back = SolveTriangular(lower=False)
        inner = back(adjoint(c), half)
        made = adjoint(back(adjoint(c), adjoint(inner)))
        return [fitted_gradient((made + adjoint(made)) / 2, inputs[0])]


def cholesky(a: Any, lower: bool = True, *, upper: bool = False) -> Any:
    """Return the Cholesky factor of positive definite matrices, as `numpy.linalg.cholesky` does.

    Parameters
    ----------
    a
        Hermitian matrices, of which only one triangle is read.
    lower, upper
        Which factor: the lower one unless it says otherwise, as `numpy.linalg.cholesky` calls it
        (`upper`) or as `scipy.linalg.cholesky` does (`lower`).
    """
    return Cholesky(lower and not upper)(a)


__all__ = ["Cholesky", "cholesky"]
