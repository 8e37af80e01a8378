"""Products as one call of the BLAS: `Dot22`, `Gemv`, and `Gemm`, `GemvAdd`, `Ger`, which add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.tensor import fortran
from relgraph.tensor.basic import TensorOp, merged_lengths
from relgraph.tensor.fortran import product
from relgraph.tensor.math import BLAS_DTYPES, Dot, MatrixProduct, _dot, check_inner, conjugated, mul
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.type import TensorType

__all__ = ["BLAS_DTYPES", "Dot22", "Gemv", "fits_blas", "fits_gemv", "same_blas_dtype"]


class Dot22(MatrixProduct):
    """The product of two matrices of one dtype of `BLAS_DTYPES`.

    It marks the products that a rewrite can extend to a GEMM.
    """

    def output_types(self, x: TensorType, y: TensorType) -> list[TensorType]:
        self._check_ranks(x, y, (2,))
        if x.dtype != y.dtype or x.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{self}: the inputs are {x} and {y}; wanted is one dtype of "
                f"{', '.join(BLAS_DTYPES)}"
            )
        check_inner(self, x, y, 1, 0)
        return self.of_dtype(x.dtype, x, y)

    def product(self, x: Any, y: Any) -> Any:
        return product(x, y)


class Gemv(Dot):
    """The product of a matrix and a vector, or of a vector and a matrix, of one dtype that the
    BLAS has.

    It takes the BLAS's way for each layout in memory, where `Dot` takes the same one for all.
    """

    def output_types(self, x: TensorType, y: TensorType) -> list[TensorType]:
        if x.ndim + y.ndim != 3 or x.dtype != y.dtype or x.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{self}: the inputs are {x} and {y}; wanted are a matrix and a vector of one "
                f"dtype of {', '.join(BLAS_DTYPES)}"
            )
        return super().output_types(x, y)

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
    axes: tuple[str, ...] = ()
    """The axes of each input, named by letters; those of one letter have one length."""

    def __init__(self, inplace: bool = False) -> None:
        self.set_inplace(inplace)
        self.nin = len(self.axes)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        z = input_types[0]
        for i, (t, axes) in enumerate(zip(input_types, self.axes, strict=True)):
            ndim = len(axes)
            if t.ndim != ndim or t.dtype != z.dtype or t.dtype not in BLAS_DTYPES:
                raise TypeError(
                    f"{self}: input {i} is a {t}; wanted is rank {ndim} and the dtype of all "
                    f"inputs, one of {', '.join(BLAS_DTYPES)}"
                )
        product = self.product_shape(input_types)
        for axis, (n, m) in enumerate(zip(z.shape, product, strict=True)):
            if (n == 1) is not (m == 1) or (n is not None and m is not None and n != m):
                raise ValueError(
                    f"{self}: axis {axis} of input 0 has length {n}, that of the product {m}"
                )
        return [TensorType(z.dtype, merged_lengths(z.shape, product))]

    def product_shape(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Return the shape of the product, of the types or values of the inputs.

        Raises
        ------
        ValueError
            If the axes that the product sums over have different lengths.
        """
        x, y = inputs[2:4]
        check_inner(self, x, y, -1, 0)
        return (*x.shape[:-1], *y.shape[1:])

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        found: dict[str, list[Any]] = {}
        for letters, shape in zip(self.axes, shapes, strict=True):
            for letter, length in zip(letters, shape, strict=True):
                found.setdefault(letter, []).append(length)
        return found.values()

    def compute(self, node: Apply, *values: Any) -> Any:
        z, _, x, y, *_ = values
        if not self.agrees(z, x, y):
            shape = self.product_shape(values)
            raise ValueError(f"{self}: input 0 has shape {z.shape}, and the product {shape}")
        return self.updated(*values)

    def agrees(self, z: Any, x: Any, y: Any) -> bool:
        """Return whether the product of two arrays is defined and has the shape of a third."""
        inner: bool = x.shape[-1] == y.shape[0]
        return inner and bool(z.shape == x.shape[:-1] + y.shape[1:])

    def updated(self, *values: Any, **kwargs: Any) -> Any:
        """Return the result for values of the inputs that fit together."""
        raise NotImplementedError

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        z, alpha, x, y, beta = (conjugated(v) for v in inputs)
        gx, gy = _dot.input_gradients(g, None, *inputs[2:4])
        return [beta * g, sum_(g * _dot(x, y)), alpha * gx, alpha * gy, sum_(g * z)]


class Gemm(BlasUpdate):
    """``βZ + αXY`` for matrices; the inputs are Z, α, X, Y and β (see `BlasUpdate`)."""

    axes = ("mn", "", "mk", "kn", "")

    def agrees(self, z: Any, x: Any, y: Any) -> bool:
        (m, k), (length, n) = x.shape, y.shape
        return bool(k == length and z.shape == (m, n))

    def updated(self, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
        return fortran.gemm(z, alpha.item(), x, y, beta.item(), self.inplace)


class GemvAdd(BlasUpdate):
    """``βZ + αXY`` for a matrix X and vectors Y and Z; the inputs are Z, α, X, Y and β."""

    axes = ("m", "", "mk", "k", "")

    def updated(self, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
        return fortran.gemv(z, alpha.item(), x, y, beta.item(), self.inplace)


class Ger(BlasUpdate):
    """``Z + αXY``, where the product is that of each element of X with each of Y, two vectors.

    The inputs are Z, α, X and Y.
    """

    axes = ("mn", "", "m", "n")

    def product_shape(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        x, y = inputs[2:]
        return (*x.shape, *y.shape)

    def agrees(self, z: Any, x: Any, y: Any) -> bool:
        return bool(z.shape == x.shape + y.shape)

    def updated(self, z: Any, alpha: Any, x: Any, y: Any) -> Any:
        return fortran.ger(z, alpha.item(), x, y, self.inplace)

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        _, alpha, x, y = (conjugated(v) for v in inputs)
        outer = x.dimshuffle(0, "x") * y.dimshuffle("x", 0)
        return [g, sum_(g * outer), alpha * _dot(g, y), alpha * _dot(x, g)]


class Dot22Scalar(MatrixProduct):
    """``αXY`` for matrices; the inputs are X, Y and α, of one dtype of `BLAS_DTYPES`."""

    name = "dot22scalar"
    nin = 3

    def output_types(self, x: TensorType, y: TensorType, alpha: TensorType) -> list[TensorType]:
        self._check_ranks(x, y, (2,))
        if alpha.ndim != 0 or {x.dtype, y.dtype, alpha.dtype} - {x.dtype}.intersection(BLAS_DTYPES):
            raise TypeError(
                f"{self}: the inputs are {x}, {y} and {alpha}; wanted are two matrices and a "
                f"scalar of one dtype of {', '.join(BLAS_DTYPES)}"
            )
        check_inner(self, x, y, 1, 0)
        return self.of_dtype(x.dtype, x, y)

    def compute(self, node: Apply, x: Any, y: Any, *rest: Any) -> Any:
        (alpha,) = rest
        check_inner(self, x, y, 1, 0)
        unset = np.empty((x.shape[0], y.shape[1]), x.dtype)
        # a small product is an array of its own already
        return fortran.gemm(unset, alpha.item(), x, y, 0, unset.size > fortran.SMALL)

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        x, y, alpha = (conjugated(v) for v in inputs)
        gx, gy = _dot.input_gradients(g, None, *inputs[:2])
        return [alpha * gx, alpha * gy, sum_(g * _dot(x, y))]


_gemm, _gemv_add, _ger, _dot22scalar = Gemm(), GemvAdd(), Ger(), Dot22Scalar()
