"""The types of gradients that there are none of."""

from __future__ import annotations

from typing import Any, NoReturn

from relgraph.graph.basic import Variable
from relgraph.graph.type import Type


class DisconnectedType(Type):
    """The type of a gradient by a variable that the cost is not a function of.

    Unlike a zero it says so: nothing flows, whatever the values.
    """

    __props__ = ()

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> NoReturn:
        raise TypeError("a disconnected gradient has no value")

    def __str__(self) -> str:
        return "disconnected"


class NullType(Type):
    """The type of a gradient that does not exist, or that nobody has worked out.

    Parameters
    ----------
    why_null
        The reason, which is what a person sees who asks for the gradient.
    """

    __props__ = ("why_null",)

    def __init__(self, why_null: str = "no reason was given") -> None:
        self.why_null = why_null

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> NoReturn:
        raise TypeError(f"a null gradient has no value: {self.why_null}")

    def __str__(self) -> str:
        return f"null ({self.why_null})"


def disconnected() -> Variable:
    """Return what an op's `grad` gives for an input that its outputs are no function of."""
    return DisconnectedType().make_variable()


def undefined(why: str) -> Variable:
    """Return what an op's `grad` gives for an input by which there is no derivative.

    Parameters
    ----------
    why
        The reason, for the error if the gradient is needed.
    """
    return NullType(why).make_variable()
