"""Ops that stop gradients: `disconnected_grad`, `zero_grad`, `consider_constant`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.gradient.gradient_terms import filled_like
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type, disconnected


class GradientBarrier(TypedOp):
    """The identity; no gradient passes through it.

    Parameters
    ----------
    connected
        Whether the gradient of the input is zero; if not, the input is disconnected.
    """

    __props__ = ("connected",)
    view_map = {0: [0]}
    is_identity = True

    def __init__(self, connected: bool) -> None:
        self.connected = connected

    def __str__(self) -> str:
        return "zero_grad" if self.connected else "disconnected_grad"

    def output_types(self, *input_types: Type) -> list[Type]:
        (x,) = input_types
        return [x]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = inputs[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(shapes)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[self.connected]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [filled_like(inputs[0], 0) if self.connected else disconnected()]


def disconnected_grad(x: Any) -> Any:
    """Return `x`, disconnected for `grad` from all variables that it depends on."""
    return GradientBarrier(connected=False)(x)


def zero_grad(x: Any) -> Any:
    """Return `x` with a gradient of zero with respect to all variables that it depends on."""
    return GradientBarrier(connected=True)(x)


def consider_constant(x: Any) -> Any:
    """Return `x`, treated as a constant by `grad`: the same as `zero_grad`."""
    return zero_grad(x)
