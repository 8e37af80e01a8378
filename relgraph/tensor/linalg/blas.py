"""Products as one call of the BLAS: `Dot22`, `Gemv`, and `Gemm`, `GemvAdd`, `Ger`, which add."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.tensor import fortran
from relgraph.tensor.basic import TensorOp
from relgraph.tensor.fortran import product
from relgraph.tensor.math import BLAS_DTYPES as BLAS_DTYPES
from relgraph.tensor.math import Dot, MatrixProduct, _dot, check_blas, conjugated, mul
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.signatures import parsed, places_of_axes
from relgraph.tensor.type import TensorType


class Dot22(MatrixProduct):
    """The product of two matrices of one dtype of `BLAS_DTYPES`.

    It marks the products that a rewrite can extend to a GEMM.
    """

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        check_blas(self, input_types, (2, 2))
        return super().output_types(*input_types)

    def product(self, x: Any, y: Any) -> Any:
        return product(x, y)


class Gemv(Dot):
    """The product of a matrix and a vector, or of a vector and a matrix, of one dtype that the
    BLAS has.

    It takes the BLAS's way for each layout in memory, where `Dot` takes the same one for all.
    """

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        check_blas(self, input_types, (2, 1) if input_types[0].ndim == 2 else (1, 2))
        return super().output_types(*input_types)

    def product(self, x: Any, y: Any) -> Any:
        return product(x, y)


_dot22 = Dot22()
_gemv = Gemv()


def fits_gemv(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` are a matrix and a vector of one dtype that the BLAS has."""
    return x.type.ndim + y.type.ndim == 3 and same_blas_dtype(x, y)


def same_blas_dtype(x: Any, y: Any) -> bool:
    """Return whether two variables have one dtype, which the BLAS has."""
    return x.type.dtype == y.type.dtype and x.type.dtype in BLAS_DTYPES


def fits_blas(x: Any, y: Any) -> bool:
    """Return whether two variables are matrices of one dtype of `BLAS_DTYPES`."""
    return x.type.ndim == y.type.ndim == 2 and same_blas_dtype(x, y)


def outer_parts(node: Apply) -> tuple[Any, Any, tuple[Any, ...]] | None:
    """Return the column, the row and the scalars of an outer product, or None."""
    if node.op is not mul:
        return None
    out = node.outputs[0].type
    if out.ndim != 2 or out.dtype not in BLAS_DTYPES or 1 in out.shape:
        return None
    columns = [v for v in node.inputs if v.type.broadcastable == (False, True)]
    rows = [v for v in node.inputs if v.type.broadcastable == (True, False)]
    if len(columns) != 1 or len(rows) != 1:
        return None
    scalars = tuple(v for v in node.inputs if all(v.type.broadcastable))
    if len(scalars) + 2 != len(node.inputs):
        return None
    column, row = columns[0], rows[0]
    return (column, row, scalars) if column.type.dtype == row.type.dtype == out.dtype else None


class BlasUpdate(TensorOp):
    """Base class of ``βZ + αXY``, where X and Y are matrices or vectors.

    The inputs are Z, α, X, Y and β, of one dtype of `BLAS_DTYPES`; α and β have rank 0. Z has
    the shape of the product and does not broadcast. As in the BLAS, a Z that is multiplied by
    zero is not read: a nan in it is gone.

    Parameters
    ----------
    inplace
        Whether Z is overwritten.
    """

    __props__ = ("inplace",)
    keeps_shape = True

    def __init__(self, inplace: bool = False) -> None:
        self.set_inplace(inplace)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        cores, (out,) = parsed(self.signature)
        check_blas(self, input_types, [len(core) for core in cores])
        static = tuple([t.shape for t in input_types])
        for axis, ((_, p), *others) in places_of_axes(cores, static).items():
            if axis in out and {static[0][p] == 1} != {static[i][q] == 1 for i, q in others}:
                raise ValueError(
                    f"{self}: axis {p} of input 0 has length {static[0][p]}, and that of the "
                    "product another one"
                )
        return super().output_types(*input_types)

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        return self.updated(*values)

    def updated(self, *values: Any, **kwargs: Any) -> Any:
        """Return the result for inputs that fit each other."""
        raise NotImplementedError

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        z, alpha, x, y, beta = (conjugated(v) for v in inputs)
        gx, gy = _dot.input_gradients(g, None, *inputs[2:4])
        return [beta * g, sum_(g * _dot(x, y)), alpha * gx, alpha * gy, sum_(g * z)]


class Gemm(BlasUpdate):
    """``βZ + αXY`` for matrices; the inputs are Z, α, X, Y and β (see `BlasUpdate`)."""

    signature = "(m,n),(),(m,k),(k,n),()->(m,n)"

    def updated(self, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
        return fortran.gemm(z, alpha.item(), x, y, beta.item(), self.inplace)


class GemvAdd(BlasUpdate):
    """``βZ + αXY`` for a matrix X and vectors Y and Z; the inputs are Z, α, X, Y and β."""

    signature = "(m),(),(m,k),(k),()->(m)"

    def updated(self, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
        return fortran.gemv(z, alpha.item(), x, y, beta.item(), self.inplace)


class Ger(BlasUpdate):
    """``Z + αXY``, where the product is that of each element of X with each of Y, two vectors.

    The inputs are Z, α, X and Y.
    """

    signature = "(m,n),(),(m),(n)->(m,n)"

    def updated(self, z: Any, alpha: Any, x: Any, y: Any) -> Any:
        return fortran.ger(z, alpha.item(), x, y, self.inplace)

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        _, alpha, x, y = (conjugated(v) for v in inputs)
        outer = x.dimshuffle(0, "x") * y.dimshuffle("x", 0)
        return [g, sum_(g * outer), alpha * _dot(g, y), alpha * _dot(x, g)]


class Dot22Scalar(MatrixProduct):
    """``αXY`` for matrices; the inputs are X, Y and α, of one dtype of `BLAS_DTYPES`."""

    name = "dot22scalar"
    signature = "(m,k),(k,n),()->(m,n)"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        check_blas(self, input_types, (2, 2, 0))
        return super().output_types(*input_types)

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        x, y, alpha = values
        unset = np.empty((x.shape[0], y.shape[1]), x.dtype)
        # a small product is an array of its own already
        return fortran.gemm(unset, alpha.item(), x, y, 0, unset.size > fortran.SMALL)

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        x, y, alpha = (conjugated(v) for v in inputs)
        gx, gy = _dot.input_gradients(g, None, *inputs[:2])
        return [alpha * gx, alpha * gy, sum_(g * _dot(x, y))]


_gemm, _gemv_add, _ger, _dot22scalar = Gemm(), GemvAdd(), Ger(), Dot22Scalar()
