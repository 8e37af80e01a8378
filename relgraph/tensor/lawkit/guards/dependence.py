"""Declarations of what a guard's answer depends on, so that the engine need not call it in vain.

They are decorators of the functions that laws ask by `whereo` and `computo`. What they declare is
kept as attributes of the function, which the engine reads (see `rules.rule`, `rules.prefilter`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Constant

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Heads = Sequence[Any]
"""Of each argument of an op, the op that makes it, or `Constant`, or None for an input."""


def requires_heads(test: Callable[[Heads], bool]) -> Decorator:
    """Declare that a function says no, or computes None, unless the heads pass `test`.

    The heads are those of all arguments of the matched op; of a sum of more than two terms, each
    head is told as often as a sum of that many terms, with these heads, can have it. A law that
    asks the function is not tried where the test fails.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["admits"] = test
        return function

    return declare


def requires_number(number: int) -> Decorator:
    """Declare that a function says no, or computes None, unless its first argument, or one of them
    if it is a tuple, is a constant that is `number`."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["number"] = number
        return requires_heads(containing_constant)(function)

    return declare


def depends_on_levels(count: int) -> Decorator:
    """Declare that the answer depends on so many levels of nodes below the arguments.

    A law that asks the function is tried again when one of these nodes changes.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__dict__["depth"] = count
        return function

    return declare


def containing_constant(heads: Heads) -> bool:
    """Return whether an argument is a constant, or repeats what may be one."""
    return any(
        head is Constant or (head is not None and head.repeats is not None) for head in heads
    )


def containing_any_of(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether some argument has one of the `wanted` heads."""
    among = frozenset(wanted)
    return lambda heads: not among.isdisjoint(heads)


def containing_equal_or_any_of(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether two arguments have the same head, or one has a `wanted` one."""
    among = frozenset(wanted)
    return lambda heads: len(set(heads)) < len(heads) or not among.isdisjoint(heads)


def containing_two_constants_or(*wanted: Any) -> Callable[[Heads], bool]:
    """Return the test whether two arguments may be constants, or one has a `wanted` head."""
    among = frozenset(wanted)

    def test(heads: Heads) -> bool:
        kinds = set(heads)
        if not among.isdisjoint(kinds):
            return True
        constant = {head for head in kinds if containing_constant((head,))}
        return bool(constant) and sum(head in constant for head in heads) > 1

    return test
