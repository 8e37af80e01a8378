"""Laws as patterns of expressions, matched with the classes of an e-graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.terms.term import Literal, LogicVariable, Term
from relgraph.search.accuracy.expressions import NUMBER, Expr, apply, from_graph, number
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.truth.functions import has_value

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
        The number of the variable; of a number its expression.
    both
        Whether the arguments of a commutative op are matched in both orders.
    """

    op: str | None
    args: tuple[Pattern, ...] = ()
    value: Any = None
    both: bool = False

    @cached_property
    def heads(self) -> tuple[Any, ...]:
        """What each argument is asked for: an op, a number, or None of a variable."""
        return tuple(a.value if a.op is NUMBER else a.op for a in self.args)

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return 1 + sum(a.size for a in self.args)


def pattern_of(name: str, side: Any, variables: dict[LogicVariable, int]) -> Pattern:
    """Return a side of a law as a pattern; its variables are added to `variables`.

    Raises
    ------
    NotTranslated
        If it has ops that are not elementwise, or have no true values; the message names the law.
    """
    if isinstance(side, LogicVariable):
        return Pattern(None, (), variables.setdefault(side, len(variables)))
    if isinstance(side, Literal):
        return _number(side.value)
    if isinstance(side, Variable):
        return _of_expr(from_graph(side, [], []))
    if not isinstance(side, Term) or not isinstance(side.op, Elemwise):
        raise NotTranslated(f"{name} has {side}, which is no elementwise op")
    if not has_value(side.op.scalar_op):
        raise NotTranslated(f"{name} has the op {side.op}, of which no true value is known")
    args = [pattern_of(name, a, variables) for a in side.args]
    op = side.op.scalar_op.name
    if op == "reciprocal":
        return Pattern("true_div", (_constant(1), *args))
    total = args[0]
    if op in ("add", "mul") and len(args) > 2:
        for a in args[1:]:
            total = Pattern(op, (total, a), None, True)
        return total
    return Pattern(op, tuple(args), None, op in COMMUTATIVE)


def _of_expr(e: Expr) -> Pattern:
    if e.op is NUMBER:
        return Pattern(NUMBER, (), e)
    return Pattern(e.op, tuple(_of_expr(a) for a in e.args), e.value, e.op in COMMUTATIVE)


def _constant(value: Any) -> Pattern:
    return Pattern(NUMBER, (), number(value))


def _number(value: Any) -> Pattern:
    """Return the pattern of a number that a law writes; of parts of π as quotients."""
    if not isinstance(value, float | int) or not math.isfinite(value):
        raise NotTranslated(f"{value} is no real number")
    if not isinstance(value, float):
        return _constant(int(value))
    for divisor in (1, 2, 4):
        if value == math.pi / divisor:
            pi = _constant("pi")
            return pi if divisor == 1 else Pattern("true_div", (pi, _constant(divisor)))
    return _constant(Fraction(repr(value)))


def variables_in(pattern: Pattern) -> set[int]:
    """Return the numbers of the variables of a pattern."""
    if pattern.op is None:
        return {pattern.value}
    return set().union(*(variables_in(a) for a in pattern.args)) if pattern.args else set()


def in_one_order(left: Pattern, right: Pattern) -> Pattern:
    """Return the left side of a law that does not match two variables in both orders where the law
    says the same of the two."""
    known = _unordered(left, {}), _unordered(right, {})

    def of(p: Pattern) -> Pattern:
        if not p.both or any(a.op is not None for a in p.args):
            return replace(p, args=tuple(of(a) for a in p.args))
        first, second = (a.value for a in p.args)
        swap = {first: second, second: first}
        return replace(p, both=(_unordered(left, swap), _unordered(right, swap)) != known)

    return of(left)


def _unordered(pattern: Pattern, names: Mapping[int, int]) -> Any:
    """Return what two patterns have in common if they differ by the order of arguments alone, with
    some variables renamed."""
    if pattern.op is None:
        return names.get(pattern.value, pattern.value)
    if pattern.op is NUMBER:
        return pattern.value
    args = [_unordered(a, names) for a in pattern.args]
    return (pattern.op, *(sorted(args, key=repr) if pattern.op in COMMUTATIVE else args))


def built(pattern: Pattern, values: Sequence[Expr] | Mapping[int, Expr]) -> Expr:
    """Return the expression that a pattern is for expressions in place of its variables."""
    if pattern.op is None:
        return values[int(pattern.value)]
    if pattern.op is NUMBER:
        return pattern.value  # type: ignore[no-any-return]
    return apply(pattern.op, *[built(a, values) for a in pattern.args])


def fits(pattern: Pattern, expr: Expr, values: dict[int, Expr]) -> bool:
    """Return whether an expression is an instance of a pattern, argument by argument; what the
    variables stand for is added to `values`."""
    if pattern.op is None:
        return values.setdefault(pattern.value, expr) is expr
    if pattern.op is NUMBER:
        return expr is pattern.value
    return (
        expr.op == pattern.op
        and len(expr.args) == len(pattern.args)
        and all(fits(p, a, values) for p, a in zip(pattern.args, expr.args, strict=True))
    )


Bound = tuple[Any, ...]

_MOST_NODES = 6
"""Of one op in a class that are matched, the first ones: there may be very many equal sums."""


def matches(pattern: Pattern, found: Any, bounds: list[Bound]) -> list[Bound]:
    """Return the classes that the variables stand for when a class holds an instance of a pattern.

    Parameters
    ----------
    pattern
        The pattern.
    found
        The class.
    bounds
        What the variables may stand for already: for each a class, None where there is none yet.
    """
    op = pattern.op
    if op is None:
        k = pattern.value
        return [
            b if b[k] is found else (*b[:k], found, *b[k + 1 :])
            for b in bounds
            if b[k] is None or b[k] is found
        ]
    if op is NUMBER:
        return bounds if found.constant is pattern.value else []
    if op not in found.nodes or found.constant is not None:
        return []
    all_found: list[Bound] = []
    for node in found.nodes[op][:_MOST_NODES]:
        classes = [c.root() for c in node.classes]
        all_found += _all(pattern, classes, bounds)
        if pattern.both and classes[0] is not classes[1]:
            all_found += _all(pattern, classes[::-1], bounds)
    return all_found


def _all(pattern: Pattern, classes: Sequence[Any], bounds: list[Bound]) -> list[Bound]:
    if all(map(_may_be, pattern.heads, classes)):
        for arg, c in zip(pattern.args, classes, strict=True):
            bounds = matches(arg, c, bounds)
            if not bounds:
                break
        return bounds
    return []


def has_heads(heads: Sequence[Any], op: str, found: Any) -> bool:
    """Return whether an instance of a pattern, by its op and `heads`, may be in a class."""
    both = op in COMMUTATIVE
    for node in found.nodes[op][:_MOST_NODES]:
        classes = [c.root() for c in node.classes]
        if all(map(_may_be, heads, classes)) or (both and all(map(_may_be, heads, classes[::-1]))):
            return True
    return False


def _may_be(head: Any, found: Any) -> bool:
    if head is None:
        return True
    if isinstance(head, str):
        return head in found.nodes and found.constant is None
    return found.constant is head
