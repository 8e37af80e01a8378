"""Products of matrices and linear algebra; PyTensor's stacks of matrices are stacks here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytensor.tensor import blas
from pytensor.tensor import math as products
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.linalg import inverse, summary
from pytensor.tensor.linalg import products as functions
from pytensor.tensor.linalg.decomposition import cholesky, eigen, qr, svd
from pytensor.tensor.linalg.solvers import general, psd, triangular

import relgraph.tensor as at
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


OF_STACKS: dict[type, Callable[..., Any]] = {
    products.Dot: lambda op, a, b: MatMul()(a, b),
    cholesky.Cholesky: lambda op, a: Cholesky(op.lower)(a),
    summary.Det: lambda op, a: Det()(a),
    summary.SLogDet: lambda op, a: SLogDet()(a),
    inverse.MatrixInverse: lambda op, a: Inverse()(a),
    inverse.MatrixPinv: lambda op, a: PseudoInverse(None, op.hermitian)(a),
    functions.Expm: lambda op, a: Expm()(a),
    general.Solve: _general,
    triangular.SolveTriangular: lambda op, a, b: _solved(
        SolveTriangular(op.lower, op.unit_diagonal), op.b_ndim, a, b
    ),
    psd.CholeskySolve: lambda op, c, b: _solved(CholeskySolve(op.lower), op.b_ndim, c, b),
    eigen.Eigh: _eigh,
    eigen.Eigvalsh: _eigh,
    eigen.Eig: lambda op, a: Eig()(a),
    qr.QR: _qr,
    svd.SVD: lambda op, a: SVD(op.full_matrices, op.compute_uv)(a),
}
"""From a class of PyTensor's ops on one matrix to a function of ``(op, *stacks)``."""


def of_one(reader: Any, node: Any, *inputs: Any) -> Any:
    return _on_stacks(node.op, node, inputs)


def of_stacks(reader: Any, node: Any, *inputs: Any) -> Any:
    return _on_stacks(node.op.core_op, node, inputs)


def _on_stacks(op: Any, node: Any, inputs: tuple[Any, ...]) -> Any:
    """Return an op on one matrix, applied to stacks; LAPACK has no float16."""
    function = next((OF_STACKS[c] for c in type(op).__mro__ if c in OF_STACKS), None)
    if function is None or any(out.type.dtype == "float16" for out in node.outputs):
        return None
    return function(op, *inputs)


def dot(reader: Any, node: Any, x: Any, y: Any) -> Any:
    return Dot()(x, y)


def gemm(reader: Any, node: Any, z: Any, a: Any, x: Any, y: Any, b: Any) -> Any:
    return b * z + a * Dot()(x, y)


def gemv(reader: Any, node: Any, y: Any, alpha: Any, a: Any, x: Any, beta: Any) -> Any:
    return beta * y + alpha * Dot()(a, x)


def ger(reader: Any, node: Any, a: Any, alpha: Any, x: Any, y: Any) -> Any:
    return a + alpha * at.outer(x, y)


TABLE: dict[type, Callable[..., Any]] = {
    **dict.fromkeys(OF_STACKS, of_one),
    products.Dot: dot,
    blas.Dot22: dot,
    blas.Dot22Scalar: lambda reader, node, x, y, a: a * Dot()(x, y),
    blas.Gemm: gemm,
    blas.Gemv: gemv,
    blas.Ger: ger,
    blas.BatchedDot: lambda reader, node, x, y: BatchedDot()(x, y),
    Blockwise: of_stacks,
}

__all__ = ["TABLE"]
