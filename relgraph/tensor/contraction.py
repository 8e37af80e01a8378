"""`Dot`: the product of vectors and matrices, and the base class of all matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.scalar.dtypes import is_complex, result_dtype
from relgraph.tensor.basic import as_argument
from relgraph.tensor.blas_calls import product
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.memory_layout import laid_out
from relgraph.tensor.type import TensorType

BLAS_DTYPES = ("float32", "float64", "complex64", "complex128")
"""The dtypes of which the BLAS has matrix products."""


def check_inner(op: Any, x: Any, y: Any, x_axis: int, y_axis: int) -> None:
    """Raise a ValueError if the axes that a product sums over have different lengths.

    Parameters
    ----------
    op
        The op, for the error.
    x, y
        Two types or two arrays; a length of None is not known.
    x_axis, y_axis
        The axis of each that is summed over.
    """
    n, m = x.shape[x_axis], y.shape[y_axis]
    if n is not None and m is not None and n != m:
        raise ValueError(
            f"{op}: axis {x_axis % len(x.shape)} of the first input has length {n}, "
            f"axis {y_axis % len(y.shape)} of the second {m} "
            f"(shapes {tuple(x.shape)} and {tuple(y.shape)})"
        )


class MatrixProduct(TypedOp):
    """Base class of products of two tensors that sum over one axis of each."""

    __props__ = ()

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 2:
            raise TypeError(f"{self} takes 2 inputs, not {len(inputs)}")
        return [as_argument(v, self, i) for i, v in enumerate(inputs)]

    def _check_ranks(self, x: TensorType, y: TensorType, ranks: Sequence[int]) -> None:
        for which, t in (("first", x), ("second", y)):
            if t.ndim not in ranks:
                raise TypeError(
                    f"{self}: the {which} input is a {t} of {t.ndim} dimensions; "
                    f"{' or '.join(map(str, ranks))} are wanted"
                )


class Dot(MatrixProduct):
    """The product of two inputs, each a vector or a matrix.

    It sums over the last axis of the first input and the first axis of the second one. The dtype is
    that of NumPy's promotion.
    """

    def __str__(self) -> str:
        return "dot"

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        self._check_ranks(x, y, (1, 2))
        check_inner(self, x, y, -1, 0)
        return [TensorType(result_dtype(x.dtype, y.dtype), x.shape[:-1] + y.shape[1:])]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        check_inner(self, x, y, -1, 0)
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(product(laid_out(x), laid_out(y)))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, y = shapes
        return [(*x[:-1], *y[1:])]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x, y = (conjugate(v) for v in inputs)
        g: Any = output_grads[0]
        ranks = (x.type.ndim, y.type.ndim)
        if ranks == (1, 1):
            # filled, since no other part of the gradient would see that the lengths differ
            return [_second(x, g) * y, _second(y, g) * x]
        if ranks == (2, 1):
            return [_outer(g, y), self(x.T, g)]
        if ranks == (1, 2):
            return [self(y, g), _outer(x, g)]
        return [self(g, y.T), self(x.T, g)]


def conjugate(x: Any) -> Any:
    """Return the complex conjugate of `x`; `x` itself if it is real."""
    return x.conj() if is_complex(x.type.dtype) else x


def _outer(x: Any, y: Any) -> Any:
    return x.dimshuffle(0, "x") * y.dimshuffle("x", 0)


_dot = Dot()
_second = Elemwise(scalar.second)
