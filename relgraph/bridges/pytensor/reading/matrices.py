"""Products of matrices and linear algebra; PyTensor's stacks of matrices are stacks here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytensor.tensor.linalg.decomposition import eigen

import relgraph.tensor as at
from relgraph.bridges.pytensor.names import present
from relgraph.tensor.contraction import Dot
from relgraph.tensor.linalg.factors.cholesky import Cholesky
from relgraph.tensor.linalg.factors.eigenvalues import Eig, Eigh, Eigvalsh
from relgraph.tensor.linalg.factors.qr import QR
from relgraph.tensor.linalg.factors.singular_values import SVD
from relgraph.tensor.linalg.functions.powers import Expm
from relgraph.tensor.linalg.products import BatchedDot, MatMul
from relgraph.tensor.linalg.systems.determinants import Det, SLogDet
from relgraph.tensor.linalg.systems.inverses import Inverse, PseudoInverse
from relgraph.tensor.linalg.systems.solving import STRUCTURES, CholeskySolve, Solve, SolveTriangular

_QR_MODES = {"full": "complete", "economic": "reduced", "r": "r"}


def _solved(op: Any, b_ndim: int, a: Any, b: Any) -> Any:
    """Return the solutions for a stack of right sides of rank `b_ndim`."""
    if b_ndim == 2 or b.type.ndim == 1:
        return op(a, b)
    return op(a, at.expand_dims(b, -1))[..., 0]


def _general(op: Any, a: Any, b: Any) -> Any:
    if op.assume_a not in STRUCTURES:
        return None
    return _solved(Solve(op.assume_a, op.lower), op.b_ndim, a, b)


def _eigh(op: Any, a: Any, b: Any = None) -> Any:
    if b is not None:
        return None
    kind = Eigvalsh if isinstance(op, eigen.Eigvalsh) else Eigh
    return kind("L" if op.lower else "U")(a)


def _qr(op: Any, a: Any) -> Any:
    return None if op.pivoting or op.mode not in _QR_MODES else QR(_QR_MODES[op.mode])(a)


OF_STACKS: dict[str, Callable[..., Any]] = {
    "tensor.math.Dot": lambda op, a, b: MatMul()(a, b),
    "tensor.linalg.decomposition.cholesky.Cholesky": lambda op, a: Cholesky(op.lower)(a),
    "tensor.linalg.summary.Det": lambda op, a: Det()(a),
    "tensor.linalg.summary.SLogDet": lambda op, a: SLogDet()(a),
    "tensor.linalg.inverse.MatrixInverse": lambda op, a: Inverse()(a),
    "tensor.linalg.inverse.MatrixPinv": lambda op, a: PseudoInverse(None, op.hermitian)(a),
    "tensor.linalg.products.Expm": lambda op, a: Expm()(a),
    "tensor.linalg.solvers.general.Solve": _general,
    "tensor.linalg.solvers.triangular.SolveTriangular": lambda op, a, b: _solved(
        SolveTriangular(op.lower, op.unit_diagonal), op.b_ndim, a, b
    ),
    "tensor.linalg.solvers.psd.CholeskySolve": lambda op, c, b: _solved(
        CholeskySolve(op.lower), op.b_ndim, c, b
    ),
    "tensor.linalg.decomposition.eigen.Eigh": _eigh,
    "tensor.linalg.decomposition.eigen.Eigvalsh": _eigh,
    "tensor.linalg.decomposition.eigen.Eig": lambda op, a: Eig()(a),
    "tensor.linalg.decomposition.qr.QR": _qr,
    "tensor.linalg.decomposition.svd.SVD": lambda op, a: SVD(op.full_matrices, op.compute_uv)(a),
}
"""From the address of an op of PyTensor's on one matrix to a function of ``(op, *stacks)``."""

_OF_STACKS: dict[type, Callable[..., Any]] = present(OF_STACKS)


def _on_stacks(op: Any, node: Any, inputs: tuple[Any, ...]) -> Any:
    """Return an op on one matrix, applied to stacks; LAPACK has no float16."""
    function = next((_OF_STACKS[c] for c in type(op).__mro__ if c in _OF_STACKS), None)
    if function is None or any(out.type.dtype == "float16" for out in node.outputs):
        return None
    return function(op, *inputs)


TABLE: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(OF_STACKS, lambda reader, node, *xs: _on_stacks(node.op, node, xs)),
    "tensor.math.Dot": lambda reader, node, x, y: Dot()(x, y),
    "tensor.blas.Dot22": lambda reader, node, x, y: Dot()(x, y),
    "tensor.blas.Dot22Scalar": lambda reader, node, x, y, a: a * Dot()(x, y),
    "tensor.blas.Gemm": lambda reader, node, z, a, x, y, b: b * z + a * Dot()(x, y),
    "tensor.blas.Gemv": lambda reader, node, y, a, x, v, b: b * y + a * Dot()(x, v),
    "tensor.blas.Ger": lambda reader, node, z, a, x, y: z + a * at.outer(x, y),
    "tensor.blas.BatchedDot": lambda reader, node, x, y: BatchedDot()(x, y),
    "tensor.blockwise.Blockwise": lambda reader, node, *xs: _on_stacks(node.op.core_op, node, xs),
}
