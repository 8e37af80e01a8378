"""Conditions of laws in a search.

What is asked of a sign is asked of the true values at the points. The rest is asked of the terms
themselves, as variables of float64: which are constants, which of a form, and what is computed of
them. What is asked of dtypes alone is known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.search.goals import Compute, Condition, Readers, Where
from relgraph.graph.kanren.search.state import guarded
from relgraph.graph.kanren.terms.term import LogicVariable, variables_of
from relgraph.search.accuracy.egraph.patterns import NotTranslated, Pattern, built, pattern_of
from relgraph.search.accuracy.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    as_float,
    from_graph,
    number,
    parts,
    to_graph,
)
from relgraph.tensor.lawkit.domains import are_nonnegative, are_positive
from relgraph.tensor.lawkit.guards import signs, types

Sign = tuple[Pattern, str]
"""A part of a law, and how it compares with zero."""

_OF_SIGNS = {
    signs.is_nonnegative: "ge",
    signs.is_positive: "gt",
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
            return at.constant(np.float64(_float_of(expr)))
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


def _float_of(expr: Expr) -> Any:
    done: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for e in parts(expr):
            args = [done[a] for a in e.args]
            done[e] = as_float(e.value) if e.op is NUMBER else OPS[e.op].scalar_op.ufunc(*args)
    return done[expr]


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
    law: Law, variables: dict[LogicVariable, int], matched: Iterable[int]
) -> Conditions | None:
    """Return what a law asks, None if it asks nothing.

    Parameters
    ----------
    variables
        The numbers of the variables on both sides.
    matched
        Those of the side that is matched.

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
        if isinstance(goal, Where) and goal.predicate in _OF_SIGNS:
            found.append(_sign(law, goal, variables))
        elif isinstance(goal, Where) and goal.predicate.__module__ == types.__name__:
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
