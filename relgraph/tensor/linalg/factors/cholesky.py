"""`Cholesky`: the triangular factor of positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.assembly.creation import tril
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    Array,
    SquareMatrixOp,
    adjoint,
    eye_like,
    fitted_gradient,
)
from relgraph.tensor.linalg.systems.solving import SolveTriangular


class Cholesky(SquareMatrixOp):
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

    def compute(self, a: Array) -> Array:
        if self.lower:
            return np.linalg.cholesky(a)
        # the upper factor is the adjoint of the lower one of the transposed conjugate
        lower = np.linalg.cholesky(np.swapaxes(a, -1, -2).conj())
        return np.ascontiguousarray(np.swapaxes(lower, -1, -2).conj())

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
