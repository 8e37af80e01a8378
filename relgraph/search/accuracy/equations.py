"""Laws as equations of expressions: what is matched, what replaces it, and what is asked.

What is asked of a sign is asked of the true values at the points. The rest is asked of the terms
themselves, as variables of float64: which are constants, which of a form, and what is computed of
them. What is asked of dtypes alone is known beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.goals import Compute, Condition, Readers, Where
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.rules import split
from relgraph.graph.kanren.state import guarded
from relgraph.graph.kanren.terms import Literal, LogicVariable, Term, variables_of
from relgraph.scalar.op import ScalarOp
from relgraph.search.accuracy.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    as_float,
    from_graph,
    in_floats,
    number,
    parts,
    to_graph,
)
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.lawkit import type_guards
from relgraph.tensor.lawkit.functions import admitted_ops
from relgraph.tensor.lawkit.guards import are_nonnegative, are_positive, is_nonnegative, is_positive
from relgraph.truth.balls import has_value

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


def pattern_of(
    name: str,
    side: Any,
    variables: dict[LogicVariable, int],
    ops: Mapping[Any, ScalarOp] = MappingProxyType({}),
) -> Pattern:
    """Return a side of a law as a pattern; its variables are added to `variables`.

    Parameters
    ----------
    ops
        The scalar ops for the logic variables of a law about any op.

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
    if not isinstance(side, Term):
        raise NotTranslated(f"{name} has {side}, which is no elementwise op")
    scalar_op = _scalar_op(side.op, ops)
    if scalar_op is None:
        raise NotTranslated(f"{name} has {side}, which is no elementwise op")
    if not has_value(scalar_op):
        raise NotTranslated(f"{name} has the op {scalar_op}, of which no true value is known")
    args = [pattern_of(name, a, variables, ops) for a in side.args]
    op = scalar_op.name
    if op == "reciprocal":
        return Pattern("true_div", (_constant(1), *args))
    total = args[0]
    if op in ("add", "mul") and len(args) > 2:
        for a in args[1:]:
            total = Pattern(op, (total, a), None, True)
        return total
    return Pattern(op, tuple(args), None, op in COMMUTATIVE)


def _scalar_op(head: Any, ops: Mapping[Any, ScalarOp]) -> ScalarOp | None:
    if isinstance(head, Elemwise):
        return head.scalar_op
    cls, properties = split(head) or (None, ())
    return ops.get(properties[0]) if cls is Elemwise else None


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


Sign = tuple[Pattern, str]
"""A part of a law, and how it compares with zero."""

_OF_SIGNS = {
    is_nonnegative: "ge",
    is_positive: "gt",
    are_nonnegative: "ge",
    are_positive: "gt",
}
HOLDS = {"ge": np.greater_equal, "gt": np.greater}


class Terms:
    """Expressions as variables, each made once."""

    def __init__(self) -> None:
        self._inputs: dict[str, Variable] = {}
        self._made: dict[Expr, Variable] = {}

    def variable(self, expr: Expr) -> Variable:
        """Return the variable of an expression; a constant, if it has no inputs."""
        if expr not in self._made:
            self._made[expr] = self._new(expr)
        return self._made[expr]

    def _new(self, expr: Expr) -> Variable:
        names = [e.value for e in parts(expr) if e.op is INPUT]
        if not names:
            return at.constant(np.float64(in_floats(expr)))
        for name in names:
            if name not in self._inputs:
                self._inputs[name] = at.dvector(name)
        found: Variable = to_graph(expr, self._inputs)
        return found

    def expression(self, value: Any) -> Expr | None:
        """Return what a condition has computed as an expression; None if it is none, or if a number
        in it may be a rounded one."""
        if not isinstance(value, Variable):
            value = at.constant(np.float64(value))
        names = list(self._inputs)
        try:
            found = from_graph(value, [self._inputs[n] for n in names], names)
        except NotSupported:
            return None
        return found if all(_is_exact(e.value) for e in parts(found) if e.op is NUMBER) else None


def _is_exact(value: Any) -> bool:
    """Return whether a number has 15 digits or a name: one that was rounded has more."""
    return isinstance(value, str) or value == Fraction(f"{as_float(value):.15g}")


@dataclass(frozen=True, eq=False)
class Conditions:
    """What a law asks of what its variables stand for.

    Attributes
    ----------
    variables
        The numbers of the variables.
    signs
        What is asked of the true values.
    claimed
        Where the law says it holds, which nobody asks: it is seen in the values of both sides.
    goals
        What is asked of the terms, and what is computed of them.
    computed
        The variables that have their value from there.
    """

    variables: dict[LogicVariable, int]
    signs: tuple[Sign, ...]
    claimed: tuple[Sign, ...]
    goals: tuple[Condition, ...]
    computed: frozenset[int]

    def stated(self, values: Mapping[int, Expr]) -> tuple[Expr, ...]:
        """Return the conditions on signs, of what stands for the variables; those that are known of
        numbers and magnitudes are left out."""
        both = (*self.signs, *self.claimed)
        found = dict.fromkeys(apply(op, built(p, values), number(0)) for p, op in both)
        return tuple(e for e in found if not _is_plain(e))

    def completed(self, values: Sequence[Expr], terms: Terms) -> list[Expr] | None:
        """Return what stands for the variables, with what is computed of it; None if a condition on
        terms does not hold.

        Parameters
        ----------
        values
            What the variables stand for; of those that are computed it does not count.
        """
        given = {v: k for v, k in self.variables.items() if k not in self.computed}
        asked = {v for goal in self.goals for v in variables_of(goal.open_variables())}
        state = guarded({v: terms.variable(values[k]) for v, k in given.items() if v in asked})
        for goal in self.goals:
            after = goal.decide(state)
            if after is None or after is False:
                return None
            state = after
        found = list(values)
        for v, k in self.variables.items():
            if k in self.computed:
                new = terms.expression(state.data[v])
                if new is None:
                    return None
                found[k] = new
        return found


def _is_plain(condition: Expr) -> bool:
    """Return whether a sign is seen at once."""
    value = condition.args[0]
    if value.op is NUMBER:
        return bool(HOLDS[condition.op](as_float(value.value), 0))
    return condition.op == "ge" and value.op in ("abs", "sqrt", "exp", "sqr")


def conditions_of(
    law: Law,
    variables: dict[LogicVariable, int],
    matched: Iterable[int],
    ops: Mapping[Any, ScalarOp] = MappingProxyType({}),
) -> Conditions | None:
    """Return what a law asks, None if it asks nothing.

    Parameters
    ----------
    variables
        The numbers of the variables on both sides.
    matched
        Those of the side that is matched.
    ops
        The scalar ops for the logic variables of a law about any op, which the conditions admit.

    Raises
    ------
    NotTranslated
        If it is a law about integers or conditions, or has a condition that is no `whereo`,
        `computo` or `readerso`.
    """
    goals, found = [], []
    for goal in law.conditions:
        if not isinstance(goal, Where | Compute | Readers):
            raise NotTranslated(f"{law.name} has the condition {goal}")
        if ops and set(goal.variables) <= ops.keys():
            continue
        if isinstance(goal, Where) and goal.predicate in _OF_SIGNS:
            found.append(_sign(law, goal, variables))
        elif isinstance(goal, Where) and goal.predicate.__module__ == type_guards.__name__:
            _ask_of_floats(law, goal)
        elif not isinstance(goal, Readers):
            goals.append(goal)
    domain = law.domain
    claimed = [_sign(law, Where(domain.predicate, (v,)), variables) for v in _subjects(domain)]
    known = set(matched)
    numbers = [variables[v] for g in goals for v in variables_of(g.binds) if v in variables]
    computed = frozenset(numbers) - known
    _see_that_all_are_bound(law, goals, {v for v, k in variables.items() if k in known})
    if not (goals or found or claimed):
        return None
    return Conditions(variables, tuple(found), tuple(claimed), tuple(goals), computed)


def _subjects(domain: Any) -> tuple[Any, ...]:
    known = isinstance(domain, Where) and domain.predicate in _OF_SIGNS
    return domain.variables if known else ()


def _sign(law: Law, goal: Where, variables: dict[LogicVariable, int]) -> Sign:
    (subject,) = goal.variables
    return pattern_of(law.name, subject, variables), _OF_SIGNS[goal.predicate]


def _ask_of_floats(law: Law, goal: Where) -> None:
    """See whether a condition on dtypes admits floats."""
    example = at.dvector()
    if not goal.predicate(*(example for _ in goal.variables)):
        raise NotTranslated(f"{law.name} is no law of floats: {goal}")


def _see_that_all_are_bound(law: Law, goals: Iterable[Any], known: set[Any]) -> None:
    for goal in goals:
        missing = [v for v in variables_of(goal.variables) if v not in known]
        if missing:
            raise NotTranslated(f"{law.name} asks {goal} before {missing[0]} is known")
        known = known | set(variables_of(goal.binds))


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
    conditions
        What is asked before it is applied.
    """

    law: Law
    backward: bool
    left: Pattern
    right: Pattern
    count: int
    shrinks: bool = False
    conditions: Conditions | None = None

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.law.name


def equations_of(law: Law, both_ways: bool = False) -> list[Equation]:
    """Return the directions of a law in which every variable has a value; of a law about any op
    with a fact those for each op that has it.

    Parameters
    ----------
    both_ways
        Whether a law of the class `stable` is turned round too.

    Raises
    ------
    NotTranslated
        If it is no equation of elementwise ops of floats, or its conditions say more than is asked.
    """
    found: list[Equation] = []
    for ops in admitted_ops(law.lhs, law.conditions, _ops_with_value) or [{}]:
        found += _equations(law, both_ways, ops)
    return found


def _ops_with_value(count: int) -> list[ScalarOp]:
    scalar_ops = (op.scalar_op for op in OPS.values())
    return [op for op in scalar_ops if op.nout == 1 and op.nin == count and has_value(op)]


def _equations(law: Law, both_ways: bool, ops: Mapping[Any, ScalarOp]) -> list[Equation]:
    variables: dict[LogicVariable, int] = {}
    left, right = (pattern_of(law.name, side, variables, ops) for side in (law.lhs, law.rhs))
    found = []
    directions = [(False, left, right)]
    if both_ways or law.sound != "stable":
        directions.append((True, right, left))
    for backward, matched, built in directions:
        given, wanted = variables_in(matched), variables_in(built)
        if matched.op in (None, NUMBER):
            continue
        try:
            conditions = conditions_of(law, variables, given, ops)
        except NotTranslated:
            if backward:
                continue
            raise
        computed = frozenset() if conditions is None else conditions.computed
        if built.op is None and built.value in computed:
            raise NotTranslated(f"{law.name} computes the whole of its right side")
        if wanted <= given | computed:
            shrinks = built.size < matched.size
            # a law that asks something may ask it of one of two variables
            side = in_one_order(matched, built) if conditions is None else matched
            found.append(Equation(law, backward, side, built, len(variables), shrinks, conditions))
    return found
