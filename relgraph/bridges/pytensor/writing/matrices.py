"""Products of matrices and linear algebra, for PyTensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType
from pytensor.tensor import blas
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.linalg import summary
from pytensor.tensor.linalg.decomposition.eigen import Eigvalsh as PyTensorEigvalsh
from pytensor.tensor.linalg.inverse import MatrixPinv
from pytensor.tensor.linalg.products import Expm as PyTensorExpm

from relgraph.tensor.contraction import Dot
from relgraph.tensor.linalg.blas import Dot22, Gemv
from relgraph.tensor.linalg.factors.cholesky import Cholesky
from relgraph.tensor.linalg.factors.eigenvalues import Eig, Eigh, Eigvalsh
from relgraph.tensor.linalg.factors.qr import QR
from relgraph.tensor.linalg.factors.singular_values import SVD
from relgraph.tensor.linalg.functions.powers import Expm
from relgraph.tensor.linalg.gemm import Dot22Scalar
from relgraph.tensor.linalg.products import BatchedDot, MatMul
from relgraph.tensor.linalg.systems.determinants import Det, SLogDet
from relgraph.tensor.linalg.systems.inverses import Inverse, PseudoInverse
from relgraph.tensor.linalg.systems.solving import CholeskySolve, Solve, SolveTriangular

_QR_MODES = {"complete": "full", "reduced": "economic", "r": "r"}


class SLogDetWithGradient(summary.SLogDet):  # type: ignore[misc]
    """PyTensor's op, which has no gradient: it stands for a logarithm of a determinant, which has.

    Giles, Collected Matrix Derivative Results (2008), 2.2.2.
    """

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        (a,), g = inputs, cotangents[1]
        if isinstance(g.type, DisconnectedType):
            return [a.zeros_like()]
        return [g * pt.linalg.inv(a).T]


def _rank(b: Any) -> int:
    """Return the rank of one right side: as in NumPy only a vector is one."""
    return 1 if b.type.ndim == 1 else 2


def solved(writer: Any, node: Any, a: Any, b: Any) -> Any:
    return pt.linalg.solve(a, b, assume_a=node.op.assume_a, lower=node.op.lower, b_ndim=_rank(b))


def solved_triangular(writer: Any, node: Any, a: Any, b: Any) -> Any:
    return pt.linalg.solve_triangular(
        a, b, lower=node.op.lower, unit_diagonal=node.op.unit_diagonal, b_ndim=_rank(b)
    )


def solved_by_factor(writer: Any, node: Any, c: Any, b: Any) -> Any:
    return pt.linalg.cho_solve((c, node.op.lower), b, b_ndim=_rank(b))


def pseudo_inverse(writer: Any, node: Any, a: Any) -> Any:
    return None if node.op.rcond is not None else Blockwise(MatrixPinv(node.op.hermitian))(a)


def svd(writer: Any, node: Any, a: Any) -> Any:
    return pt.linalg.svd(a, full_matrices=node.op.full_matrices, compute_uv=node.op.compute_uv)


def batched(writer: Any, node: Any, x: Any, y: Any) -> Any:
    ranks = (x.type.ndim, y.type.ndim)
    return blas.BatchedDot()(x, y) if ranks == (3, 3) else None


TABLE: dict[type, Callable[..., Any]] = {
    Dot: lambda writer, node, x, y: pt.dot(x, y),
    Dot22: lambda writer, node, x, y: pt.dot(x, y),
    Gemv: lambda writer, node, a, x: pt.dot(a, x),
    MatMul: lambda writer, node, x, y: pt.matmul(x, y),
    BatchedDot: batched,
    Cholesky: lambda writer, node, a: pt.linalg.cholesky(a, lower=node.op.lower),
    Det: lambda writer, node, a: Blockwise(summary.Det())(a),
    SLogDet: lambda writer, node, a: Blockwise(SLogDetWithGradient())(a, return_list=True),
    Inverse: lambda writer, node, a: pt.linalg.inv(a),
    PseudoInverse: pseudo_inverse,
    Expm: lambda writer, node, a: Blockwise(PyTensorExpm())(a),
    Solve: solved,
    SolveTriangular: solved_triangular,
    CholeskySolve: solved_by_factor,
    Eigh: lambda writer, node, a: pt.linalg.eigh(a, lower=node.op.UPLO == "L"),
    Eigvalsh: lambda writer, node, a: Blockwise(PyTensorEigvalsh(lower=node.op.UPLO == "L"))(a),
    Eig: lambda writer, node, a: pt.linalg.eig(a),
    QR: lambda writer, node, a: pt.linalg.qr(a, mode=_QR_MODES[node.op.mode]),
    SVD: svd,
    Dot22Scalar: lambda writer, node, x, y, a: pt.dot(x, y) * a,
}
