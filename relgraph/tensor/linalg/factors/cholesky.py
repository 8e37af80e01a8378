"""`Cholesky`: the triangular factor of positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.tensor.assembly.creation import tril
from relgraph.tensor.linalg import lapack_calls
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
    inplace
        Whether it is written over the matrix, one of floats.
    """

    __props__ = ("lower", "inplace")
    name = "cholesky"
    overwritable = 0

    def __init__(self, lower: bool = True, inplace: bool = False) -> None:
        self.lower, self.inplace = bool(lower), bool(inplace)
        if inplace:
            self.destroy_map = {0: [0]}

    def compute(self, a: Array) -> Array:
        if self.inplace:
            return lapack_calls.cholesky_factor(a, self.lower, overwrite=True)
        return lapack_calls.cholesky(a, self.lower)

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
