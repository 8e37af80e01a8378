"""Which goal of a relation fails, and on what: the search of `solutions` with failures kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanren.core import ifa, lconj_seq, ldisj_seq
from unification import var
from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.explanation.diagnosis import part
from relgraph.graph.kanren.explanation.failures import Failure, Reason
from relgraph.graph.kanren.explanation.guard_checks import refusal
from relgraph.graph.kanren.search.goal_inspection import (
    CONJ,
    DISJ,
    EQ,
    IFA,
    ZZZ,
    cells_of,
    code_of,
    goals_of,
    name_of,
)
from relgraph.graph.kanren.search.goals import Condition
from relgraph.graph.kanren.search.solutions import Goal, isolated, solutions
from relgraph.graph.kanren.search.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.search.variadic import Each
from relgraph.graph.kanren.staging.partial_evaluation import SECONDS, STEPS

Progress = tuple[int, int]


def goal_failure(
    relation: Any, old: Variable, fgraph: Any = None
) -> tuple[Failure | None, Progress]:
    """Return the failure of the goal that a search for an answer reached last, of those that fail.

    It is reached after the most other goals, and, if it is an equation, after the most parts of
    its pattern have matched.

    Parameters
    ----------
    relation
        A function of a variable and a logic variable that returns a goal.
    old
        The variable.
    fgraph
        Its graph.

    Returns
    -------
    failure, progress
        None if no goal fails; and how many goals and parts of the pattern held before.
    """
    watch = _Watch(old)
    start = GuardedState(budget=Budget(name_of(relation), STEPS, SECONDS), fgraph=fgraph)
    try:
        for _ in solutions(relation(old, var()), start, lambda goal: watch.watched(goal, 0)):
            pass
    except SearchBudgetError:
        pass  # what was reached until then
    return watch.furthest, watch.progress


class _Watch:
    """Keeps the failure of the goal that was reached last."""

    def __init__(self, root: Variable) -> None:
        self.root = root
        self.furthest: Failure | None = None
        self.progress: Progress = (-1, 0)

    def watched(self, goal: Any, passed: int) -> Goal:
        """Return a goal with the solutions of `goal`, which notes what in it fails.

        Parameters
        ----------
        passed
            How many goals hold before this one.
        """
        if isinstance(goal, Each):
            related = goal.relation
            return goal.with_relation(lambda x, y: self.watched(related(x, y), passed))
        code = code_of(goal)
        if code is CONJ:
            return lconj_seq(self.watched(g, passed + i) for i, g in enumerate(goals_of(goal)))
        if code is DISJ:
            return ldisj_seq(self.watched(g, passed) for g in goals_of(goal))
        cells = cells_of(goal) if code in (ZZZ, IFA) else {}
        if code is ZZZ:
            make = cells["gctor"]
            return lambda s: self.watched(make(*cells["args"], **cells["kwargs"]), passed)(s)
        if code is IFA:
            return ifa(self.watched(cells["g1"], passed), self.watched(cells["g2"], passed))
        return lambda s: self._run(goal, s, passed)

    def _run(self, goal: Any, s: Any, passed: int) -> Iterator[Any]:
        holds = False
        for after in isolated(goal)(s):
            holds = True
            yield after
        if not holds and passed >= self.progress[0]:
            failure, parts = self._failure(goal, s)
            if (passed, parts) > self.progress:
                self.furthest, self.progress = failure, (passed, parts)

    def _failure(self, goal: Any, s: Any) -> tuple[Failure, int]:
        """Return the failure of a goal in a state, and how many parts of a pattern matched."""
        if isinstance(goal, Condition):
            return refusal(goal, s), 0
        if code_of(goal) is not EQ:
            given = {k: reify(v, s) for k, v in _arguments(goal).items()}
            seen = {k: v for k, v in given.items() if not isvar(v)}
            return Failure(Reason.GOAL, wanted=name_of(goal), values=seen), 0
        u, v = reify(tuple(cells_of(goal)[name] for name in ("u", "v")), s)
        bindings = unify(u, v, {})
        if bindings is not False:
            return _rejected(s, {**s.data, **bindings}), 0
        for pattern, seen in ((u, v), (v, u)):
            if isinstance(seen, Variable) and not isinstance(pattern, Variable):
                failure, parts = part(pattern, seen)
                if failure is not None and seen is self.root:
                    return failure, parts
        return Failure(Reason.GOAL, wanted="eq", values={"u": u, "v": v}), 0


def _rejected(s: Any, bindings: Any) -> Failure:
    """Return which delayed condition rejects the bindings that an equation gives."""
    state = GuardedState(bindings, fgraph=s.fgraph)
    for condition in s.delayed:
        if condition.decide(state) is False:
            return refusal(condition, state)
    return Failure(Reason.GOAL, wanted="eq")


def _arguments(goal: Any) -> dict[str, Any]:
    """Return what a goal closes over, functions aside, by name."""
    if not getattr(goal, "__closure__", None):
        return {}
    return {k: v for k, v in cells_of(goal).items() if not callable(v) or isvar(v)}
