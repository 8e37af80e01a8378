"""What functions of arguments tell of them ahead, so that they need not be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Constant


def suiting(
    test: Callable[[Sequence[Any]], bool],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a function on which arguments it may have something to do, by their heads.

    A law that computes with it is not tried on others (see `rules.prefilter`). Of a sum of more
    than two terms it is told all the heads there are, not which of them stand there how often.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["admits"] = test
        return function

    return mark


def looking(levels: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a function how many levels of nodes it looks at in what it is given.

    A law that asks it is tried again when something within them changes (see `rules.Rule.depth`).
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["depth"] = levels
        return function

    return mark


def has_constant(heads: Sequence[Any]) -> bool:
    """Return whether one of the arguments is a constant, or repeats what may be one."""
    return any(
        head is Constant or (head is not None and head.repeats is not None) for head in heads
    )


def of_number(number: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a predicate about one argument that this has to be a constant of such a number."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["number"] = number
        return suiting(has_constant)(function)

    return mark


def one_of(*heads: Any) -> Callable[[Sequence[Any]], bool]:
    """Whether an argument has one of these heads."""
    wanted = frozenset(heads)
    return lambda found: not wanted.isdisjoint(found)


def alike_or(*heads: Any) -> Callable[[Sequence[Any]], bool]:
    """Whether two arguments have one head, or one has one of these, which are looked into."""
    wanted = frozenset(heads)
    return lambda found: len(set(found)) < len(found) or not wanted.isdisjoint(found)
