"""`Print`: an op that prints its input each time it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type


class Print(TypedOp):
    """The identity; it prints the value of its input each time it is computed.

    Parameters
    ----------
    message
        The text before the value.
    """

    __props__ = ("message",)
    view_map = {0: [0]}

    def __init__(self, message: str = "") -> None:
        self.message = message

    def output_types(self, *input_types: Type) -> Sequence[Type]:
        if len(input_types) != 1:
            raise TypeError(f"{self} takes one input, not {len(input_types)}")
        return input_types

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        print(self.message, inputs[0])
        output_storage[0][0] = inputs[0]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return list(output_gradients)

    def R_op(self, inputs: Sequence[Variable], eval_points: Sequence[Variable | None]) -> Any:
        return list(eval_points)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(shapes)

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        return False  # A folded node is not run, so it would not print.
