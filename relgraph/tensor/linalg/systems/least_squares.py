"""`LeastSquares`: the solutions of overdetermined and underdetermined systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import DisconnectedType
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.linalg.stacks import (
    REAL_OF,
    MatrixOp,
    adjoint,
    fitted_gradient,
    lapack_dtype,
)
from relgraph.tensor.linalg.systems.inverses import pinv, pinv_gradient
from relgraph.tensor.linalg.systems.solving import outer_product
from relgraph.tensor.math import minimum
from relgraph.tensor.type import TensorType


class LeastSquares(MatrixOp):
    """The vector or matrix `x` for which ``norm(b - a @ x)`` is least, as `numpy.linalg.lstsq`.

    The outputs are the solution, the sums of the squares of what is left (empty where there are
    not more rows than the rank), the rank, and the singular values.

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
        if a.ndim != 2:
            raise TypeError(f"lstsq: input 0 is a {a}, not a matrix")
        if b.ndim not in (1, 2):
            raise TypeError(f"lstsq: input 1 is a {b}, neither a vector nor a matrix")
        (n, m), k = a.shape, b.shape[0]
        if n is not None and k is not None and n != k:
            raise ValueError(f"lstsq: the matrix has {n} rows, and the right side {k}")
        dtype = lapack_dtype(self.name, a.dtype, b.dtype)
        real = REAL_OF.get(dtype, dtype)
        least = None if n is None or m is None else min(n, m)
        return [
            TensorType(dtype, (m, *b.shape[1:])),
            TensorType(real, (None,)),
            TensorType("int64", ()),
            TensorType(real, (least,)),
        ]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        a, b = inputs
        with np.errstate(all="ignore"):
            x, residuals, rank, values = np.linalg.lstsq(a, b, rcond=self.rcond)
        dtypes = [v.type.dtype for v in node.outputs]
        for cell, value, dtype in zip(
            output_storage, (x, residuals, rank, values), dtypes, strict=True
        ):
            cell[0] = np.asarray(value, dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (n, m), b = shapes
        residuals: Any = node.outputs[1]
        return [(m, *b[1:]), (residuals.shape[0],), (), (minimum(n, m),)]

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
        by_inverse = outer_product(g, b, b.type.ndim == 1)
        return [
            fitted_gradient(pinv_gradient(a, p, by_inverse), a),
            fitted_gradient(matmul(adjoint(p), g), b),
        ]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Return the least squares solution of ``a @ x = b``, the residuals, the rank, and the singular
    values of `a`, as `numpy.linalg.lstsq` does; see `LeastSquares`."""
    return LeastSquares(rcond)(a, b)


__all__ = ["LeastSquares", "lstsq"]
