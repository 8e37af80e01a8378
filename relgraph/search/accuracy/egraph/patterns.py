"""Laws as patterns of expressions, matched with the classes of an e-graph."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms.term import Literal, LogicVariable, Term
from relgraph.search.accuracy.expressions import NUMBER, OPS, Expr, apply, number
from relgraph.tensor.elemwise.elemwise import Elemwise

COMMUTATIVE = frozenset(("add", "mul", "hypot", "minimum", "maximum", "add_error", "mul_error"))


class NotTranslated(ValueError):
    """A law that says more than equations of elementwise ops do."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """An op applied to patterns; a variable, by its number; or a number.

    Attributes
    ----------
    op
        The name of a scalar op; None of a variable; `NUMBER`.
    args
        What it is applied to.
    value
        The number of the variable, or the value of a number.
    """

    op: str | None
    args: tuple[Pattern, ...] = ()
    value: Any = None

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return 1 + sum(a.size for a in self.args)


@dataclass(frozen=True, eq=False)
class Equation:
    """One direction of a law.

    Attributes
    ----------
    law
        The law.
    backward
        Whether it is read from right to left.
    left, right
        What is matched and what replaces it.
    count
        How many variables there are.
    shrinks
        Whether what replaces is smaller.
    """

    law: Law
    backward: bool
    left: Pattern
    right: Pattern
    count: int
    shrinks: bool = field(default=False)

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.law.name


def equations_of(law: Law) -> list[Equation]:
    """Return the directions of a law in which every variable has a value.

    Raises
    ------
    NotTranslated
        If it has conditions, or ops that are not elementwise.
    """
    if law.conditions:
        raise NotTranslated(f"{law.name} has conditions")
    variables: dict[LogicVariable, int] = {}
    left, right = (_pattern(law.name, side, variables) for side in (law.lhs, law.rhs))
    found = []
    directions = [(False, left, right)]
    if law.sound != "stable":
        directions.append((True, right, left))
    for backward, matched, built in directions:
        if matched.op not in (None, NUMBER) and _variables(built) <= _variables(matched):
            shrinks = built.size < matched.size
            found.append(Equation(law, backward, matched, built, len(variables), shrinks))
    return found


def _pattern(name: str, side: Any, variables: dict[LogicVariable, int]) -> Pattern:
    if isinstance(side, LogicVariable):
        return Pattern(None, (), variables.setdefault(side, len(variables)))
    if isinstance(side, Literal):
        return _number(side.value)
    if not isinstance(side, Term):
        raise NotTranslated(f"{name} has the constant {side}")
    if not isinstance(side.op, Elemwise) or side.op.scalar_op.name not in OPS:
        raise NotTranslated(f"{name} has the op {side.op}")
    args = [_pattern(name, a, variables) for a in side.args]
    op = side.op.scalar_op.name
    if op == "reciprocal":
        return Pattern("true_div", (Pattern(NUMBER, (), Fraction(1)), *args))
    total = args[0]
    if op in ("add", "mul") and len(args) > 2:
        for a in args[1:]:
            total = Pattern(op, (total, a))
        return total
    return Pattern(op, tuple(args))


def _number(value: Any) -> Pattern:
    """Return the pattern of a number that a law writes; of parts of π as quotients."""
    if not isinstance(value, float):
        return Pattern(NUMBER, (), Fraction(int(value)))
    for divisor in (1, 2, 4):
        if value == math.pi / divisor:
            pi = Pattern(NUMBER, (), "pi")
            below = Pattern(NUMBER, (), Fraction(divisor))
            return pi if divisor == 1 else Pattern("true_div", (pi, below))
    return Pattern(NUMBER, (), Fraction(repr(value)))


def _variables(pattern: Pattern) -> set[int]:
    if pattern.op is None:
        return {pattern.value}
    return set().union(*(_variables(a) for a in pattern.args)) if pattern.args else set()


def built(pattern: Pattern, values: Sequence[Expr]) -> Expr:
    """Return the expression that a pattern is for expressions in place of its variables."""
    if pattern.op is None:
        return values[int(pattern.value)]
    if pattern.op is NUMBER:
        return number(pattern.value)
    return apply(pattern.op, *[built(a, values) for a in pattern.args])


def fits(pattern: Pattern, expr: Expr, values: dict[int, Expr]) -> bool:
    """Return whether an expression is an instance of a pattern, argument by argument; what the
    variables stand for is added to `values`."""
    if pattern.op is None:
        return values.setdefault(pattern.value, expr) is expr
    if pattern.op is NUMBER:
        return expr.op is NUMBER and expr.value == pattern.value
    return (
        expr.op == pattern.op
        and len(expr.args) == len(pattern.args)
        and all(fits(p, a, values) for p, a in zip(pattern.args, expr.args, strict=True))
    )


Bound = tuple[Any, ...]

_MOST_NODES = 6
"""Of one op in a class that are matched, the first ones: there may be very many equal sums."""


def matches(pattern: Pattern, found: Any, bound: Bound) -> Iterator[Bound]:
    """Yield the classes that the variables stand for when a class holds an instance of a pattern.

    Parameters
    ----------
    pattern
        The pattern.
    found
        The class.
    bound
        A class for each variable, None where there is none yet.
    """
    op = pattern.op
    if op is None:
        known = bound[pattern.value]
        if known is None:
            k = pattern.value
            yield (*bound[:k], found, *bound[k + 1 :])
        elif known is found:
            yield bound
        return
    if op is NUMBER:
        if found.constant is not None and found.constant == pattern.value:
            yield bound
        return
    nodes = found.nodes.get(op)
    if not nodes or found.constant is not None:
        return
    nodes = nodes[:_MOST_NODES]
    args = pattern.args
    if len(args) == 1:
        (arg,) = args
        for node in nodes:
            yield from matches(arg, node.classes[0].root(), bound)
        return
    if len(args) == 2:
        first, second = args
        both = op in COMMUTATIVE
        for node in nodes:
            a, b = node.classes[0].root(), node.classes[1].root()
            for part in matches(first, a, bound):
                yield from matches(second, b, part)
            if both and a is not b:
                for part in matches(first, b, bound):
                    yield from matches(second, a, part)
        return
    for node in nodes:
        yield from _all(args, [c.root() for c in node.classes], bound)


def _all(args: Sequence[Pattern], classes: Sequence[Any], bound: Bound) -> Iterator[Bound]:
    if not args:
        yield bound
        return
    for part in matches(args[0], classes[0], bound):
        yield from _all(args[1:], classes[1:], part)
