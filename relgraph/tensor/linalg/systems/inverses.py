"""`Inverse` and `PseudoInverse`.

The gradients are those of M. Giles, Collected Matrix Derivative Results (2008), 2.2.3, and of G. H.
Golub and V. Pereyra, The Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems
Whose Variables Separate (1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.linalg import lapack_calls
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    Array,
    MatrixOp,
    SquareMatrixOp,
    adjoint,
    check_matrix,
    check_square,
    fitted_gradient,
    lapack_dtype,
)
from relgraph.tensor.type import TensorType


class Inverse(SquareMatrixOp):
    """The inverses of square matrices; raises LinAlgError if one is singular.

    Parameters
    ----------
    inplace
        Whether the inverse is written over the matrix, one of floats.
    """

    __props__ = ("inplace",)
    name = "inv"
    overwritable = 0

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = bool(inplace)
        if inplace:
            self.destroy_map = {0: [0]}

    def compute(self, a: Array) -> Array:
        return lapack_calls.inverse(a, overwrite=True) if self.inplace else lapack_calls.inv(a)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        turned = adjoint(outputs[0])
        return [fitted_gradient(-matmul(turned, matmul(output_grads[0], turned)), inputs[0])]


class PseudoInverse(MatrixOp):
    """The Moore-Penrose inverses of matrices.

    Parameters
    ----------
    rcond
        Singular values below this times the largest one count as zero. None means as many eps as
        the larger side is long.
    hermitian
        Whether the matrices are taken to be Hermitian.
    """

    __props__ = ("rcond", "hermitian")
    name = "pinv"

    def __init__(self, rcond: float | None = None, hermitian: bool = False) -> None:
        self.rcond = None if rcond is None else float(rcond)
        self.hermitian = bool(hermitian)

    def __str__(self) -> str:
        return "pinv"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        check_matrix(self.name, a)
        if self.hermitian:
            check_square(self.name, a)
        shape = (*a.shape[:-2], a.shape[-1], a.shape[-2])
        return [TensorType(lapack_dtype(self.name, a.dtype), shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], node.outputs[0].type.dtype)
        rcond = self.rcond
        if rcond is None:
            rcond = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
        with np.errstate(all="ignore"):
            output_storage[0][0] = lapack_calls.pinv(a, rcond, self.hermitian)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (a,) = shapes
        return [(*a[:-2], a[-1], a[-2])]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient along matrices of the same rank."""
        return [fitted_gradient(pinv_gradient(inputs[0], outputs[0], output_grads[0]), inputs[0])]


def pinv_gradient(a: Any, p: Any, g: Any) -> Any:
    """Return the gradient by a matrix, given its pseudo-inverse `p` and the gradient `g` by that.

    In matrices of linearly independent rows and columns the last two terms are zero; they are what
    the projections beside the range of `a` contribute.
    """
    ph, gh = adjoint(p), adjoint(g)
    inner = -matmul(ph, matmul(g, ph))
    left = matmul(gh, matmul(p, ph))
    right = matmul(matmul(ph, p), gh)
    return inner + left - matmul(a, matmul(p, left)) + right - matmul(matmul(right, p), a)


_inv = Inverse()


def inv(a: Any) -> Any:
    """Return the inverses of square matrices, as `numpy.linalg.inv` does.

    To solve a system of equations, `solve` is faster and closer.
    """
    return _inv(a)


def pinv(a: Any, rcond: float | None = None, hermitian: bool = False) -> Any:
    """Return the Moore-Penrose inverses of matrices; for the parameters see `PseudoInverse`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    rcond
        Which part of the greatest singular value the least one is that counts; None for the
        precision of the dtype.
    hermitian
        Whether the matrices are Hermitian.

    Examples
    --------
    >>> pinv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return PseudoInverse(rcond, hermitian)(a)
