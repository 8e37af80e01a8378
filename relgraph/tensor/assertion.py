"""`Assert`: an op that returns its input, or raises an error if a condition does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import disconnected
from relgraph.tensor.basic import as_argument
from relgraph.tensor.type import TensorType


class Assert(TypedOp):
    """Its first input, checked at run time: an AssertionError unless all conditions are true.

    The inputs are a tensor, and at least one condition of any dtype and rank. The output is a view
    of the tensor. A condition is true if no element is zero.

    Parameters
    ----------
    message
        The beginning of the error's message.
    """

    __props__ = ("message",)
    view_map = {0: [0]}

    def __init__(self, message: str = "") -> None:
        if not isinstance(message, str):
            raise TypeError(f"Assert: the message is a string, not {message!r}")
        self.message = message

    def __str__(self) -> str:
        return f"assert{{{self.message}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) < 2:
            raise TypeError(f"{self} takes a tensor and at least one condition")
        return [as_argument(v, self, i) for i, v in enumerate(inputs)]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        return [input_types[0]]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, *conditions = inputs
        for var, value in zip(node.inputs[1:], conditions, strict=True):
            if not np.all(value):
                prefix = f"{self.message}: " if self.message else ""
                raise AssertionError(f"{prefix}{var} does not hold, a condition of {node}")
        output_storage[0][0] = x

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i == 0] for i in range(len(node.inputs))]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [output_gradients[0], *[disconnected() for _ in inputs[1:]]]

    def R_op(self, inputs: Sequence[Variable], eval_points: Sequence[Variable | None]) -> list[Any]:
        return [eval_points[0]]


def assert_(x: Any, *conditions: Any, message: str = "") -> Any:
    """Return `x`, with a check at run time that all elements of the conditions are true.

    Parameters
    ----------
    x
        A tensor.
    conditions
        Tensors or numbers; an element is true if it is not zero.
    message
        The beginning of the message of the `AssertionError`.
    """
    return Assert(message)(x, *conditions)
