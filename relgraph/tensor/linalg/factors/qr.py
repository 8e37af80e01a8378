"""`QR`: an orthogonal matrix times an upper triangular one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import DisconnectedType
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.assembly.creation import tril, zeros_like
from relgraph.tensor.assembly.joining import concatenate
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.linalg import lapack_calls
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    MatrixOp,
    adjoint,
    check_matrix,
    eye_like,
    fitted_gradient,
    lapack_dtype,
)
from relgraph.tensor.linalg.systems.solving import SolveTriangular
from relgraph.tensor.math import minimum
from relgraph.tensor.shapes.shape import lengths
from relgraph.tensor.type import TensorType

MODES = ("reduced", "complete", "r")


class QR(MatrixOp):
    """The factors of matrices: `q`, whose columns are orthonormal, and `r`, upper triangular.

    Parameters
    ----------
    mode
        ``reduced`` for a `q` of as many columns as the shorter side, ``complete`` for a square one,
        ``r`` for `r` alone.
    """

    __props__ = ("mode",)
    name = "qr"

    def __init__(self, mode: str = "reduced") -> None:
        if mode not in MODES:
            raise ValueError(f"qr: mode is one of {', '.join(MODES)}, not {mode!r}")
        self.mode = mode
        self.nout = 1 if mode == "r" else 2

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (a,) = input_types
        check_matrix(self.name, a)
        dtype = lapack_dtype(self.name, a.dtype)
        shapes = self._shapes(a.shape, _least)
        return [TensorType(dtype, shape) for shape in shapes]

    def _shapes(self, shape: Sequence[Any], least: Any) -> list[tuple[Any, ...]]:
        *batch, m, n = shape
        k = m if self.mode == "complete" else least(m, n)
        r = (*batch, k, n)
        return [r] if self.mode == "r" else [(*batch, m, k), r]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a = np.asarray(inputs[0], node.outputs[0].type.dtype)
        mode: Any = self.mode
        with np.errstate(all="ignore"):
            factors: Any = lapack_calls.qr(a, mode)
        if self.mode == "r":
            output_storage[0][0] = factors
        else:
            output_storage[0][0], output_storage[1][0] = factors

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(self._shapes(shapes[0], minimum))

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient, for matrices whose first columns are linearly independent.

        The form is that of S. Walter and L. Lehmann, Algorithmic Differentiation of Linear Algebra
        Functions with Application in Optimum Experimental Design (2010). Of matrices with more
        columns than rows it is that of the first, square part; the rest is that of a product.

        Raises
        ------
        MethodNotDefined
            If a `q` of the mode ``complete`` is differentiated and `a` is not known to have no more
            rows than columns: if it has, the last columns of `q` are arbitrary.
        """
        a: Any = inputs[0]
        m, n = a.type.shape[-2:]
        *by_q, gr = [None if isinstance(g.type, DisconnectedType) else g for g in output_grads]
        gq = by_q[0] if by_q else None
        if self.mode == "reduced" or (self.mode == "complete" and _least(m, n) == m is not None):
            q, r = outputs
        elif gq is None:
            q, r = QR("reduced")(a)
            # what a complete r has below these rows is 0
            gr = getitem(gr, (..., slice(None, _shorter_side(a)), slice(None)))
        else:
            raise MethodNotDefined(
                "qr: a complete q has a gradient only where a is known to have no more rows than "
                "columns; use the mode reduced"
            )
        gq, gr = (zeros_like(v) if g is None else g for v, g in ((q, gq), (r, gr)))
        if _least(m, n) == n is not None:
            return [fitted_gradient(_tall_gradient(q, r, gq, gr), a)]
        first = (..., slice(None, _shorter_side(a)))
        rest = (..., slice(_shorter_side(a), None))
        gq = gq + matmul(getitem(a, rest), adjoint(getitem(gr, rest)))
        by_first = _tall_gradient(q, getitem(r, first), gq, getitem(gr, first))
        by_rest = matmul(q, getitem(gr, rest))
        return [fitted_gradient(concatenate([by_first, by_rest], axis=a.type.ndim - 1), a)]


def _least(m: int | None, n: int | None) -> int | None:
    return None if m is None or n is None else min(m, n)


def _shorter_side(a: Any) -> Any:
    m, n = lengths(a)[-2:]
    return min(m, n) if isinstance(m, int) and isinstance(n, int) else minimum(m, n)


def _tall_gradient(q: Any, r: Any, gq: Any, gr: Any) -> Any:
    """Return the gradient by a matrix with as many rows as columns or more."""
    inner = matmul(r, adjoint(gr)) - matmul(adjoint(gq), q)
    lower = tril(inner, -1)
    # the diagonal of r is real
    diagonal = eye_like(inner) * (inner + adjoint(inner)) / 2
    both = lower + diagonal + adjoint(lower)
    return adjoint(SolveTriangular()(r, adjoint(gq + matmul(q, both))))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return the QR factors of matrices, as `numpy.linalg.qr` does; see `QR`.

    Parameters
    ----------
    a
        A matrix, or a stack of them.
    mode
        ``reduced``, ``complete``, ``r`` or ``raw``.
    """
    return QR(mode)(a)
