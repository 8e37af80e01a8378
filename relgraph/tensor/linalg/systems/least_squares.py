"""`LeastSquares`: the solutions of overdetermined and underdetermined systems."""

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
    Array,
    MatrixOp,
    adjoint,
    broadcast_batch,
    check_batch,
    check_matrix,
    fitted_gradient,
    inferred_batch,
    lapack_dtype,
)
from relgraph.tensor.linalg.systems.inverses import pinv, pinv_gradient
from relgraph.tensor.linalg.systems.solving import outer_product
from relgraph.tensor.math import minimum
from relgraph.tensor.type import TensorType


class LeastSquares(MatrixOp):
    """The vector or matrix `x` for which ``norm(b - a @ x)`` is least, as `numpy.linalg.lstsq`.

    The outputs are the solution, the sums of the squares of what is left (empty where there are
    not more rows than columns, or the columns are dependent), the rank, and the singular values.
    Leading axes make stacks, as for `Solve`; the sums of a stack are there if those of each of its
    matrices are.

    Parameters
    ----------
    rcond
        Singular values below this times the largest one count as zero. None means as many eps as
        the larger side is long.
    """

    __props__ = ("rcond",)
    name = "lstsq"
    arity = 2
    nout = 4

    def __init__(self, rcond: float | None = None) -> None:
        self.rcond = None if rcond is None else float(rcond)

    def __str__(self) -> str:
        return "lstsq"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        a, b = input_types
        check_matrix(self.name, a)
        if b.ndim == 0:
            raise TypeError(f"lstsq: input 1 is a {b}, neither a vector nor a matrix")
        core = _core(b)
        batch = broadcast_batch(self.name, a.shape[:-2], b.shape[:-core])
        (n, m), k = a.shape[-2:], b.shape[-core]
        if n is not None and k is not None and n != k:
            raise ValueError(f"lstsq: the matrix has {n} rows, and the right side {k}")
        dtype = lapack_dtype(self.name, a.dtype, b.dtype)
        real = REAL_OF.get(dtype, dtype)
        least = None if n is None or m is None else min(n, m)
        return [
            TensorType(dtype, (*batch, m, *b.shape[b.ndim - core + 1 :])),
            TensorType(real, (*batch, None)),
            TensorType("int64", batch),
            TensorType(real, (*batch, least)),
        ]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a, b = inputs
        check_batch(self.name, node, a, b, (2, _core(b)))
        with np.errstate(all="ignore"):
            found = self._of_stack(a, b)
        for cell, value, out in zip(output_storage, found, node.outputs, strict=True):
            cell[0] = np.asarray(value, out.type.dtype)

    def _of_stack(self, a: Array, b: Array) -> Sequence[Any]:
        core = _core(b)
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-core])
        if not batch:
            return lapack_calls.lstsq(a, b, self.rcond)
        (n, m), (k, *columns) = a.shape[-2:], b.shape[-core:]
        matrices = np.broadcast_to(a, (*batch, n, m)).reshape(-1, n, m)
        sides = np.broadcast_to(b, (*batch, k, *columns)).reshape(-1, k, *columns)
        found = [
            lapack_calls.lstsq(one, side, self.rcond)
            for one, side in zip(matrices, sides, strict=True)
        ]
        if not found:
            real = np.empty((0,), a.real.dtype)
            found_shapes = ((m, *columns), (0,), (), (min(n, m),))
            return [real.reshape(*batch, *shape) for shape in found_shapes]
        whole = all(len(one[1]) for one in found)
        parts = [(x, r if whole else r[:0], rank, values) for x, r, rank, values in found]
        stacked = [np.stack(part) for part in zip(*parts, strict=True)]
        return [part.reshape(batch + part.shape[1:]) for part in stacked]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        a, b = shapes
        core = 1 if len(b) == 1 else 2
        batch = inferred_batch(node, a, b, (2, core))
        (n, m), columns = a[-2:], b[len(b) - core + 1 :]
        residuals: Any = node.outputs[1]
        count = residuals.shape[residuals.type.ndim - 1]
        return [(*batch, m, *columns), (*batch, count), batch, (*batch, minimum(n, m))]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient of the solution, that of the pseudo-inverse times `b`.

        Raises
        ------
        MethodNotDefined
            If the residuals or the singular values are differentiated: write them as
            ``sum((b - a @ x) ** 2)`` and ``svdvals(a)``.
        """
        for i, name in ((1, "residuals"), (3, "singular values")):
            if not isinstance(output_grads[i].type, DisconnectedType):
                raise MethodNotDefined(
                    f"lstsq has no gradient by its {name}; write them out, of its solution"
                )
        a: Any = inputs[0]
        b: Any = inputs[1]
        g: Any = output_grads[0]
        p = pinv(a, self.rcond)
        is_vector = b.type.ndim == 1
        by_inverse = outer_product(g, b, is_vector)
        if is_vector and g.type.ndim > 1:
            columns = matmul(adjoint(p), g.dimshuffle(*range(g.type.ndim), "x"))
            by_side = columns.dimshuffle(*range(g.type.ndim))
        else:
            by_side = matmul(adjoint(p), g)
        return [
            fitted_gradient(pinv_gradient(a, p, by_inverse), a),
            fitted_gradient(by_side, b),
        ]


def _core(b: Any) -> int:
    return 1 if b.ndim == 1 else 2


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Return the least squares solution of ``a @ x = b``, the residuals, the rank, and the singular
    values of `a`, as `numpy.linalg.lstsq` does; see `LeastSquares`.

    Parameters
    ----------
    a
        A matrix.
    b
        A vector, or a matrix of columns.
    rcond
        Which part of the greatest singular value the least one is that counts; None for the
        precision of the dtype.
    """
    return LeastSquares(rcond)(a, b)
