"""`OneAxis`: what ops have that compute along one axis of one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.op import TypedOp
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.shapes.shape import one_input
from relgraph.tensor.type import TensorType


class OneAxis(TypedOp):
    """Base class of ops that take a tensor, and give one of its shape; `axis` is from the front."""

    axis: int

    def output_dtype(self, dtype: str) -> str:
        """Return the dtype of the output for that of the input; by default the same."""
        return dtype

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        normalize_axis(self.axis, x.ndim, str(self))
        return [TensorType(self.output_dtype(x.dtype), x.shape)]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]
