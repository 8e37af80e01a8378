"""Laws as equations of expressions: what is matched, what replaces it, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms.term import LogicVariable
from relgraph.search.accuracy.egraph.conditions import Conditions, conditions_of
from relgraph.search.accuracy.egraph.patterns import (
    NotTranslated,
    Pattern,
    in_one_order,
    pattern_of,
    variables_in,
)
from relgraph.search.accuracy.expressions import NUMBER


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


def equations_of(law: Law) -> list[Equation]:
    """Return the directions of a law in which every variable has a value.

    Raises
    ------
    NotTranslated
        If it is no equation of elementwise ops of floats, or its conditions say more than is asked.
    """
    variables: dict[LogicVariable, int] = {}
    left, right = (pattern_of(law.name, side, variables) for side in (law.lhs, law.rhs))
    found = []
    directions = [(False, left, right)]
    if law.sound != "stable":
        directions.append((True, right, left))
    for backward, matched, built in directions:
        given, wanted = variables_in(matched), variables_in(built)
        if matched.op in (None, NUMBER):
            continue
        try:
            conditions = conditions_of(law, variables, given)
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
