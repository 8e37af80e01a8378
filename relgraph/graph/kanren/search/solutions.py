"""Solutions: the states in which a goal holds, with no side effects between its branches.

kanren's constraint goals (`neq`, `typeo`, `isinstanceo`) modify the state that they are given, and
the branches of a `conde` share it. Here they are given copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kanren.constraints import isinstanceo, neq, typeo
from kanren.core import lconj_seq, ldisj_seq

from relgraph.graph.kanren.search.goal_inspection import (
    CONJ,
    DISJ,
    ZZZ,
    cells_of,
    code_of,
    goals_of,
)
from relgraph.graph.kanren.search.state import GuardedState, SearchBudgetError, is_settled
from relgraph.graph.kanren.search.variadic import Each

Goal = Callable[[Any], Iterator[Any]]


def solutions(
    goal: Goal, start: GuardedState, prepared: Callable[[Goal], Goal] | None = None
) -> Iterator[GuardedState]:
    """Yield the states in which `goal` holds and no goal is delayed.

    Parameters
    ----------
    goal, start
        The goal, and the state to run it in.
    prepared
        A function that makes the goal safe to run; by default `isolated`.

    Raises
    ------
    TypeError
        If `goal`, or a part of it, is not a goal.
    SearchBudgetError
        If the budget of `start` is used up, or the search goes deeper than Python's stack.
    """
    who = "" if start.budget is None else f" {start.budget.who}"
    try:
        stream = (prepared or isolated)(goal)(start)
        if not isinstance(stream, Iterable):
            raise TypeError(
                f"the relation{who} gave {goal!r}, which is not a goal: on a state it gave "
                f"{stream!r} instead of a stream of states"
            )
        yield from filter(is_settled, stream)
    except RecursionError:
        raise SearchBudgetError(
            f"the relation{who} went deeper than Python's stack without coming to an end"
        ) from None


def isolated(goal: Goal) -> Goal:
    """Return `goal` with the constraint goals found in it run on copies of the state."""
    if not callable(goal):
        raise TypeError(f"{goal!r} stands where a goal such as eq(in, out) is wanted")
    if isinstance(goal, Each):
        related = goal.relation
        return goal.with_relation(lambda x, y: isolated(related(x, y)))
    code = code_of(goal)
    if code in _MODIFYING:
        return lambda s: goal(s.copy())
    if code is CONJ:
        return lconj_seq(map(isolated, goals_of(goal)))
    if code is DISJ:
        return ldisj_seq(map(isolated, goals_of(goal)))
    if code is ZZZ:
        make = cells_of(goal)
        return lambda s: isolated(make["gctor"](*make["args"], **make["kwargs"]))(s)
    return goal


_CONSTRAINTS: tuple[Any, ...] = (neq, typeo, isinstanceo)
_MODIFYING = {constraint(0, int).__code__ for constraint in _CONSTRAINTS}
