"""What the functions that read an equation of a jaxpr are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.graph.type import Type


class NoCounterpart(Exception):
    """Raised where no op is the counterpart of a primitive, for these inputs and parameters."""


class ComputesNothing(TypeError):
    """Raised where a function does something and computes nothing."""


@dataclass(frozen=True)
class Equation:
    """One application of a primitive.

    Attributes
    ----------
    primitive
        The name of the primitive.
    inputs
        The variables of its inputs.
    parameters
        Its parameters.
    types
        The types that its outputs have.
    inline
        Takes a jaxpr that is closed, and the variables of its inputs; returns those of its outputs.
    """

    primitive: str
    inputs: Sequence[Any]
    parameters: dict[str, Any]
    types: Sequence[Type]
    inline: Callable[[Any, Sequence[Any]], list[Any]]

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output."""
        return self.types[0].shape  # type: ignore[attr-defined, no-any-return]


Reader = Callable[[Equation], Any]
"""Returns the variable of the output of an equation, or the list of several.

It raises `NoCounterpart` where there is none.
"""


def insist(condition: bool) -> None:
    """Raise `NoCounterpart` unless a condition holds."""
    if not condition:
        raise NoCounterpart
