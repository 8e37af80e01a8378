"""`Kron`: the Kronecker product of two matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.tensor.basic import as_argument
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.linalg.products import tensordot
from relgraph.tensor.linalg.stacks import fitted_gradient
from relgraph.tensor.math import mul
from relgraph.tensor.shapes.reshaping import reshape
from relgraph.tensor.shapes.shape import lengths
from relgraph.tensor.type import TensorType


class Kron(TypedOp):
    """The blocks ``x[i, j] * y`` of two matrices, put together as one matrix."""

    __props__ = ()

    def __str__(self) -> str:
        return "kron"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_argument(v, "kron", i) for i, v in enumerate(inputs)]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        for i, t in enumerate(input_types):
            if t.ndim != 2:
                raise TypeError(f"kron: input {i} is a {t}, not a matrix")
        shape = [
            None if n is None or m is None else n * m for n, m in zip(x.shape, y.shape, strict=True)
        ]
        return [TensorType(mul.scalar_op.output_dtype(x.dtype, y.dtype), shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        with np.errstate(all="ignore"):
            blocks = np.multiply(x[:, None, :, None], y[:, None, :][None])
        output_storage[0][0] = blocks.reshape(x.shape[0] * y.shape[0], x.shape[1] * y.shape[1])

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, y = shapes
        return [(x[0] * y[0], x[1] * y[1])]

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        x, y = (conjugate(v) for v in inputs)
        (n, m), (p, q) = lengths(x), lengths(y)
        blocks = reshape(output_grads[0], (n, p, m, q))
        return [
            fitted_gradient(tensordot(blocks, y, [[1, 3], [0, 1]]), inputs[0]),
            fitted_gradient(tensordot(x, blocks, [[0, 1], [0, 2]]), inputs[1]),
        ]


_kron = Kron()
