"""Laws as equations of expressions: what is matched, what replaces it, and the conditions.

Conditions on signs are evaluated on the true values at the points. The others are evaluated on the
terms themselves, as variables of float64: which are constants, which of a form, and what is
computed of them. Conditions on dtypes alone are known beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np
from unification.core import reify

import relgraph.tensor as at
from relations.identities import is_powered
from relations.kit import type_guards
from relations.kit.functions import admitted_ops
from relations.kit.guards import are_nonnegative, are_positive, is_nonnegative, is_positive
from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    as_float,
    from_graph,
    in_floats,
    inputs_of,
    number,
    parts,
    to_graph,
)
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.goals import Compute, Condition, Readers, Where
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.state import guarded
from relgraph.graph.kanren.terms import LogicVariable, build, variables_of
from relgraph.scalar.op import ScalarOp
from relgraph.search.egraph import Node
from relgraph.search.matching import Leaf, Lookup, Match, Matcher, Order, Part, matcher
from relgraph.search.saturation import Equal
from relgraph.truth.balls import has_value

COMMUTATIVE = frozenset(("add", "mul", "hypot", "minimum", "maximum", "add_error", "mul_error"))

Pattern = Expr
"""A side of a law: an expression whose inputs are the numbers of the variables of the law."""

MOST_NODES = 6
"""Of one op in a class that are matched, the first ones: there may be very many equal sums."""

MOST_MATCHES = 25
"""Of one law in one class."""

_LOOKUP = Lookup(
    nodes=f"{{c}}.nodes[{{head}}][:{MOST_NODES}]",
    sums="",
    has="{c}.constant is None and {head} in {c}.nodes",
    leaf="{c}.constant is {leaf}",
)
"""Where a class has a number, its nodes are not matched."""


class NotTranslated(ValueError):
    """A law that says more than equations of elementwise ops do."""


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
    own = [v for v in variables_of(side) if v not in ops]
    numbers = [variables.setdefault(v, len(variables)) for v in own]
    inputs = [at.dvector() for _ in own]
    try:
        graph = build(reify(side, {**dict(zip(own, inputs, strict=True)), **ops}))
        found = from_graph(at.as_tensor_variable(graph), inputs, numbers)
    except Exception as error:  # ops of other kinds may refuse vectors in any way
        raise NotTranslated(f"{name} has {side}, which is no elementwise op: {error}") from None
    for e in parts(found):
        if e.args and not has_value(OPS[e.op].scalar_op):
            raise NotTranslated(f"{name} has the op {e.op}, of which no true value is known")
        if len(e.args) == 1 != OPS[e.op].scalar_op.nin:
            raise NotTranslated(f"{name} has {side}, which has any number of arguments")
    return found


def built(pattern: Pattern, values: Mapping[int, Expr]) -> Expr:
    """Return the expression that a pattern is for expressions in place of its variables."""
    if pattern.op is INPUT:
        return values[pattern.value]
    if pattern.op is NUMBER:
        return pattern
    return apply(pattern.op, *[built(a, values) for a in pattern.args])


def _occurrences(pattern: Pattern) -> Iterator[Pattern]:
    """Yield the parts of a pattern, those that occur several times as often."""
    yield pattern
    for a in pattern.args:
        yield from _occurrences(a)


def fits(pattern: Pattern, expr: Expr, values: dict[int, Expr]) -> bool:
    """Return whether an expression is an instance of a pattern, argument by argument; what the
    variables represent is added to `values`."""
    if pattern.op is INPUT:
        return values.setdefault(pattern.value, expr) is expr
    if pattern.op is NUMBER:
        return expr is pattern
    return (
        expr.op == pattern.op
        and len(expr.args) == len(pattern.args)
        and all(fits(p, a, values) for p, a in zip(pattern.args, expr.args, strict=True))
    )


Sign = tuple[Pattern, str]
"""A part of a law, and how it compares with zero."""

_OF_SIGNS = {
    is_nonnegative: "ge",
    is_positive: "gt",
    are_nonnegative: "ge",
    are_positive: "gt",
    is_powered: "gt",
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
        names = inputs_of(expr)
        if not names:
            return at.constant(np.float64(in_floats(expr)))
        for name in names:
            self._inputs.setdefault(name, at.dvector(name))
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
    """The conditions of a law on what its variables represent.

    Attributes
    ----------
    variables
        The numbers of the variables.
    signs
        The conditions on the true values.
    claimed
        Where the law says it holds, which is not evaluated: the values of both sides show it.
    goals
        The conditions on the terms, and what is computed of them.
    computed
        The variables that have their value from there.
    """

    variables: dict[LogicVariable, int]
    signs: tuple[Sign, ...]
    claimed: tuple[Sign, ...]
    goals: tuple[Condition, ...]
    computed: frozenset[int]

    def stated(self, values: Mapping[int, Expr]) -> tuple[Expr, ...]:
        """Return the conditions on signs, of what represents the variables; those that are known of
        numbers and magnitudes are left out."""
        both = (*self.signs, *self.claimed)
        found = dict.fromkeys(apply(op, built(p, values), number(0)) for p, op in both)
        return tuple(e for e in found if not _is_plain(e))

    def completed(self, values: Mapping[int, Expr], terms: Terms) -> dict[int, Expr] | None:
        """Return what represents the variables, with what is computed of it; None if a condition on
        terms does not hold.

        Parameters
        ----------
        values
            What the variables represent; those that are computed are left out, or do not count.
        """
        given = {v: k for v, k in self.variables.items() if k not in self.computed}
        asked = {v for goal in self.goals for v in variables_of(goal.open_variables())}
        state = guarded({v: terms.variable(values[k]) for v, k in given.items() if v in asked})
        for goal in self.goals:
            after = goal.decide(state)
            if after is None or after is False:
                return None
            state = after
        found = dict(values)
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
    if not inputs_of(value):
        return bool(in_floats(condition))
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
        if isinstance(goal, Where) and goal.function in _OF_SIGNS:
            found.append(_sign(law, goal, variables))
        elif isinstance(goal, Where) and goal.function.__module__ == type_guards.__name__:
            _ask_of_floats(law, goal)
        elif not isinstance(goal, Readers):
            goals.append(goal)
    domain = law.domain
    claimed = [_sign(law, Where(domain.function, (v,)), variables) for v in _subjects(domain)]
    known = set(matched)
    numbers = [variables[v] for g in goals for v in variables_of(g.binds) if v in variables]
    computed = frozenset(numbers) - known
    _see_that_all_are_bound(law, goals, {v for v, k in variables.items() if k in known})
    if not (goals or found or claimed):
        return None
    return Conditions(variables, tuple(found), tuple(claimed), tuple(goals), computed)


def _subjects(domain: Any) -> tuple[Any, ...]:
    if not isinstance(domain, Where) or domain.function not in _OF_SIGNS:
        return ()
    return domain.variables[: 1 if domain.function is is_powered else None]


def _sign(law: Law, goal: Where, variables: dict[LogicVariable, int]) -> Sign:
    (subject,) = goal.variables
    return pattern_of(law.name, subject, variables), _OF_SIGNS[goal.function]


def _ask_of_floats(law: Law, goal: Where) -> None:
    """See whether a condition on dtypes admits floats."""
    example = at.dvector()
    if not goal.function(*(example for _ in goal.variables)):
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
        The conditions under which it is applied.
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

    @cached_property
    def _matcher(self) -> Matcher:
        slots = {k: k for k in range(self.count)}
        return matcher(self._root, self.count, slots, _LOOKUP)

    @cached_property
    def _root(self) -> Any:
        return self._part(self.left)

    def _part(self, pattern: Pattern) -> Any:
        """Return what a part of the left side is for a matcher."""
        if pattern.op is INPUT:
            return pattern.value
        if pattern.op is NUMBER:
            return Leaf(pattern)
        order = Order.EITHER if pattern.op in COMMUTATIVE else Order.AS_WRITTEN
        return Part(pattern.op, order, [self._part(a) for a in pattern.args])

    # -- a rule of a saturation --------------------------------------------------------------------

    @cached_property
    def reach(self) -> int:
        """How far below the root of a match a class may be that says whether there is one."""
        counts = Counter(e.value for e in _occurrences(self.left) if e.op is INPUT)
        return int(self._root.reach(lambda k: self.conditions is not None or counts[k] > 1))

    def may_match(self, node: Node[Expr]) -> bool:
        """Return whether nodes of the op of one may be instances of the left side."""
        return bool(node.head == self.left.op)

    def matches(self, graph: Any, at: Any) -> list[Match]:
        """Return the classes of the variables in instances of the left side in a class, None where
        the side lacks the variable."""
        if at.constant is not None or self.left.op not in at.nodes:
            return []
        return list(islice(self._matcher(graph, at), MOST_MATCHES))

    def subjects(self, graph: Any, match: Match) -> Sequence[Any]:
        """Return nothing: what is refused once is not asked again."""
        return ()

    def sides(self, graph: Any, match: Match) -> Sequence[Equal]:
        """Return both sides for some classes in place of the variables; nothing if a condition does
        not hold.

        Parameters
        ----------
        graph
            The `RealEGraph`.
        """
        given = {k: c.root().best for k, c in enumerate(match) if c is not None}
        values = given if self.conditions is None else graph.admitted(self.conditions, given)
        if values is None:
            return ()
        return ((built(self.left, values), built(self.right, values), self),)


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
        If it is no equation of elementwise ops of floats, or has conditions that can't be
        evaluated.
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
        given, wanted = (set(inputs_of(side)) for side in (matched, built))
        if matched.op in (INPUT, NUMBER) or matched is built:
            continue
        try:
            conditions = conditions_of(law, variables, given, ops)
        except NotTranslated:
            if backward:
                continue
            raise
        computed = frozenset() if conditions is None else conditions.computed
        if built.op is INPUT and built.value in computed:
            raise NotTranslated(f"{law.name} computes the whole of its right side")
        if wanted <= given | computed:
            shrinks = built.size < matched.size
            sides = matched, built
            found.append(Equation(law, backward, *sides, len(variables), shrinks, conditions))
    return found
