"""Calls in laws of functions that ask for the type of what they are called on."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from relgraph.graph.utils import LogicTerm


class Place(enum.Enum):
    """Stands in the arguments of a call for the next term."""

    TERM = "_"


class Call:
    """The head of a term for the call of a function: what it makes depends on types.

    Parameters
    ----------
    function
        The function.
    layout
        Its arguments, those by position and those by name, with a `Place` for each term.

    Attributes
    ----------
    exists
        Whether there has ever been one: most programs have none, and nothing looks for them then.
    """

    __slots__ = ("function", "layout")
    exists: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any], layout: tuple[Any, Any]) -> None:
        self.function = function
        self.layout = layout
        Call.exists = True

    def __call__(self, *values: Any) -> Any:
        """Call the function with values in the places of the terms."""
        args, kwargs = _filled(self.layout, iter(values))
        return self.function(*args, **kwargs)

    def text(self, parts: Sequence[str]) -> str:
        """Return the call as it is written, given the terms as texts."""
        args, kwargs = _filled(self.layout, iter([_Written(part) for part in parts]))
        written = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
        return f"{self}({', '.join(written)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.function, self.layout)

    def __str__(self) -> str:
        return self.function.__name__

    __repr__ = __str__


class _Written(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def called(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Call, list[Any]]:
    """Return the head of the term for a call, and the terms among its arguments, in order."""
    terms: list[Any] = []
    layout = _laid_out((tuple(args), dict(kwargs)), terms)
    return Call(function, layout), terms


def _laid_out(part: Any, terms: list[Any]) -> Any:
    if not isinstance(part, LogicTerm):
        return _mapped(part, lambda item: _laid_out(item, terms))
    terms.append(part)
    return Place.TERM


def _filled(part: Any, values: Iterator[Any]) -> Any:
    if part is Place.TERM:
        return next(values)
    return _mapped(part, lambda item: _filled(item, values))


def _mapped(part: Any, change: Callable[[Any], Any]) -> Any:
    """Return a sequence, a dict or a slice with its items changed; anything else as it is."""
    if type(part) in (tuple, list):
        return type(part)([change(item) for item in part])
    if type(part) is dict:
        return {name: change(item) for name, item in part.items()}
    if type(part) is slice:
        return slice(change(part.start), change(part.stop), change(part.step))
    return part
