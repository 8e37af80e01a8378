"""`RelativeSubtensor`: how a law says ``x[..., 0]`` of a tensor of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.op import Op, RelativeOp
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import (
    Placeholder,
    filled_ellipsis,
    index_string,
)
from relgraph.tensor.indexing.subtensor import Subtensor, check_index_inputs


class RelativeSubtensor(RelativeOp):
    """The `Subtensor`, or `AdvancedSubtensor`, that an index with an ellipsis is.

    It stands in terms only: a node has the op for the rank of its input.

    Parameters
    ----------
    idx_list
        That of a Subtensor, with ``...`` for the axes that are left out.
    """

    __props__ = ("idx_list",)

    def __init__(self, idx_list: Sequence[Any]) -> None:
        self.idx_list: Any = tuple(idx_list)
        of_arrays = Placeholder.ARRAY in self.idx_list
        self.relative = AdvancedSubtensor if of_arrays else Subtensor

    def __str__(self) -> str:
        return f"subtensor{{{index_string(self.idx_list)}}}"

    def for_inputs(self, inputs: Sequence[Any]) -> Op:
        entries = filled_ellipsis(list(self.idx_list), inputs[1:], inputs[0].type.ndim)
        made: Any = self.relative
        op: Op = made(entries)
        return op

    def as_inputs(self, *inputs: Any) -> list[Any]:
        x, *indices = inputs
        return [as_tensor_variable(x), *check_index_inputs(self, indices)]

    def output_types(self, *input_types: Any) -> Sequence[Any]:
        raise TypeError(f"{self} stands in laws; a node has the op that it is for its rank")
