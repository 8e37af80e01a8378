"""`Dot22`: the product of two matrices of a dtype that the BLAS has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.blas_calls import product
from relgraph.tensor.contraction import (
    BLAS_DTYPES,
    Dot,
    MatrixProduct,
    _dot,
    check_inner,
    conjugate,
)
from relgraph.tensor.type import TensorType


class Dot22(MatrixProduct):
    """The product of two matrices of one dtype of `BLAS_DTYPES`.

    It marks the products that a rewrite can extend to a GEMM.
    """

    def __str__(self) -> str:
        return "dot22"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        self._check_ranks(x, y, (2,))
        if x.dtype != y.dtype or x.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{self}: the inputs are {x} and {y}; wanted is one dtype of "
                f"{', '.join(BLAS_DTYPES)}"
            )
        check_inner(self, x, y, 1, 0)
        return [TensorType(x.dtype, (x.shape[0], y.shape[1]))]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        check_inner(self, x, y, 1, 0)
        with np.errstate(all="ignore"):
            output_storage[0][0] = product(x, y)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, y = shapes
        return [(x[0], y[1])]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x, y = (conjugate(v) for v in inputs)
        g = output_grads[0]
        return [_dot(g, y.T), _dot(x.T, g)]


class Gemv(Dot):
    """The product of a matrix and a vector, or of a vector and a matrix, of one dtype that the
    BLAS has.

    It takes the BLAS's way for each layout in memory, where `Dot` takes the same one for all.
    """

    def __str__(self) -> str:
        return "gemv"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        if x.ndim + y.ndim != 3 or x.dtype != y.dtype or x.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{self}: the inputs are {x} and {y}; wanted are a matrix and a vector of one "
                f"dtype of {', '.join(BLAS_DTYPES)}"
            )
        return super().output_types(x, y)

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        check_inner(self, x, y, -1, 0)
        with np.errstate(all="ignore"):
            output_storage[0][0] = product(x, y)


_dot22 = Dot22()
_gemv = Gemv()


def fits_gemv(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` are a matrix and a vector of one dtype that the BLAS has."""
    return (
        x.type.ndim + y.type.ndim == 3 and x.type.dtype == y.type.dtype
    ) and x.type.dtype in BLAS_DTYPES


def same_blas_dtype(x: Any, y: Any) -> bool:
    """Return whether two variables have one dtype, which the BLAS has."""
    return x.type.dtype == y.type.dtype and x.type.dtype in BLAS_DTYPES


def fits_blas(x: Any, y: Any) -> bool:
    """Return whether two variables are matrices of one dtype of `BLAS_DTYPES`."""
    return (
        x.type.ndim == y.type.ndim == 2 and x.type.dtype == y.type.dtype
    ) and x.type.dtype in BLAS_DTYPES


__all__ = ["BLAS_DTYPES", "Dot22", "Gemv", "fits_blas", "fits_gemv", "same_blas_dtype"]
