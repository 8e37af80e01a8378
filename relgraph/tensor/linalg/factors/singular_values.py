"""`SVD`: singular values, and the vectors that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import DisconnectedType
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.linalg import lapack_calls
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    REAL_OF,
    MatrixOp,
    adjoint,
    check_matrix,
    eye_like,
    fitted_gradient,
    lapack_dtype,
)
from relgraph.tensor.math import minimum
from relgraph.tensor.type import TensorType


class SVD(MatrixOp):
    """The factors of ``a = u @ diag(s) @ vh``: `u`, the singular values `s` in descending order,
    and `vh`.

    Parameters
    ----------
    full_matrices
        Whether `u` and `vh` are square, or have as many columns and rows as there are values.
    compute_uv
        Whether there are `u` and `vh`, or the values alone.
    """

    __props__ = ("full_matrices", "compute_uv")
    name = "svd"

    def __init__(self, full_matrices: bool = True, compute_uv: bool = True) -> None:
        self.full_matrices = bool(full_matrices) and bool(compute_uv)
        self.compute_uv = bool(compute_uv)
        self.nout = 3 if compute_uv else 1

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        check_matrix(self.name, a)
        dtype = lapack_dtype(self.name, a.dtype)
        real = REAL_OF.get(dtype, dtype)
        m, n = a.shape[-2:]
        least = None if m is None or n is None else min(m, n)
        shapes = self._shapes(a.shape, least)
        dtypes = (dtype, real, dtype) if self.compute_uv else (real,)
        return [TensorType(d, shape) for d, shape in zip(dtypes, shapes, strict=True)]

    def _shapes(self, shape: Sequence[Any], least: Any) -> list[tuple[Any, ...]]:
        *batch, m, n = shape
        if not self.compute_uv:
            return [(*batch, least)]
        rows, columns = (m, n) if self.full_matrices else (least, least)
        return [(*batch, m, rows), (*batch, least), (*batch, columns, n)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], lapack_dtype(self.name, node.inputs[0].type.dtype))
        with np.errstate(all="ignore"):
            if not self.compute_uv:
                output_storage[0][0] = lapack_calls.svd(a, compute_uv=False)
                return
            found = lapack_calls.svd(a, self.full_matrices)
        for cell, value in zip(output_storage, found, strict=True):
            cell[0] = np.asarray(value)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(self._shapes(shapes[0], minimum(*shapes[0][-2:])))

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient, for singular values that differ from each other and from 0.

        The form is that of J. Townsend, Differentiating the Singular Value Decomposition (2016);
        for complex matrices that of Z. Wan and S. Zhang, Automatic Differentiation for Complex
        Valued SVD (2019), right for costs that do not depend on the phases of the vectors.

        Raises
        ------
        MethodNotDefined
            If vectors of full matrices are differentiated that are not known to be square.
        """
        a: Any = inputs[0]
        given = [None if isinstance(g.type, DisconnectedType) else g for g in output_grads]
        if not self.compute_uv:
            u, _, vh = SVD(False)(a)
            return [fitted_gradient(matmul(u * _row(given[0]), vh), a)]
        m, n = a.type.shape[-2:]
        square = m is not None and m == n
        if self.full_matrices and not square:
            if given[0] is not None or given[2] is not None:
                raise MethodNotDefined(
                    "svd: the vectors of full matrices have a gradient only where a is known to be "
                    "square; use full_matrices=False"
                )
            u, s, vh = SVD(False)(a)
        else:
            u, s, vh = outputs
        return [fitted_gradient(_gradient(u, s, vh, *given), a)]


def _row(v: Any) -> Any:
    """Return the vectors in a stack as rows."""
    return v.dimshuffle(*range(v.type.ndim - 1), "x", v.type.ndim - 1)


def _column(v: Any) -> Any:
    return v.dimshuffle(*range(v.type.ndim), "x")


def _gradient(u: Any, s: Any, vh: Any, gu: Any, gs: Any, gvh: Any) -> Any:
    """Return the gradient by a matrix, given its factors and the gradients by these, or None."""
    v = adjoint(vh)
    squares = s * s
    eye = eye_like(matmul(vh, v), s.type.dtype)
    gaps = _row(squares) - _column(squares)
    f = (1 - eye) / (gaps + eye)
    total: Any = 0
    if gs is not None:
        total = total + matmul(u * _row(gs), vh)
    if gu is not None:
        inner = matmul(adjoint(u), gu)
        total = total + matmul(u, matmul(f * (inner - adjoint(inner)) * _row(s), vh))
        beside = gu - matmul(u, inner)
        total = total + matmul(beside / _row(s), vh)
        if u.type.dtype in REAL_OF:
            phases = eye * (inner - adjoint(inner)) / 2
            total = total + matmul(u, matmul(phases / _row(s), vh))
    if gvh is not None:
        gv = adjoint(gvh)
        inner = matmul(vh, gv)
        total = total + matmul(u, matmul(_column(s) * (f * (inner - adjoint(inner))), vh))
        beside = gvh - matmul(adjoint(inner), vh)
        total = total + matmul(u / _row(s), beside)
    return total


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition, as `numpy.linalg.svd` does; see `SVD`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    full_matrices
        Whether the vectors are square matrices.
    compute_uv
        Whether vectors are returned beside the values.
    """
    return SVD(full_matrices, compute_uv)(a)


def svdvals(a: Any) -> Any:
    """Return the singular values of matrices, in descending order.

    Parameters
    ----------
    a
        A matrix, or a stack of them.

    >>> svdvals([[3.0, 0.0], [0.0, 4.0]]).eval()
    array([4., 3.])
    """
    return SVD(False, False)(a)
