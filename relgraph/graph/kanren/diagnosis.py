"""Diagnosis: why a rule or a relation does not match a variable.

The matcher, the guards and the search of goals are run with their failures kept. Of all
attempts the one that got furthest is reported: the one that had matched the most parts of the
pattern when it failed. The failure of a guard is further than any of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from unification import var
from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.goals import (
    EQ,
    Compute,
    Condition,
    Goal,
    Readers,
    Where,
    cells_of,
    code_of,
    finite_constants,
    fitted,
    found_in,
    isolated,
    name_of,
    outcomes,
    over_parts,
)
from relgraph.graph.kanren.matching import (
    MATCHED,
    Bindings,
    LeftOver,
    Refused,
    conditions_of,
    match_root,
    result_of,
)
from relgraph.graph.kanren.partial_evaluation import SECONDS, STEPS
from relgraph.graph.kanren.rules import Failure, Reason, Rule
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError, guarded, is_settled
from relgraph.graph.kanren.terms import OpenAnswerError, build, variables_of

Progress = tuple[int, int]

GUARDS = 1_000_000
"""The progress of an attempt that has matched all of its pattern."""


class Diagnosis(NamedTuple):
    """The outcome of all attempts to match: a failure, or bindings and a result."""

    failure: Failure | None
    bindings: Bindings
    result: Variable | None
    progress: Progress


class _Furthest:
    """The failure of the attempt that got furthest; an observer of `matching`."""

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.progress: Progress = (-1, 0)

    def __call__(self, s: Bindings, failure: Failure, near: int) -> None:
        progress = (s.get(MATCHED, 0), near)
        if progress > self.progress:
            shared = {
                str(v): s[v]
                for v in variables_of(failure.wanted)
                if v in s and isinstance(s[v], Variable)
            }
            self.keep(replace(failure, values=shared), progress)

    def keep(self, failure: Failure | None, progress: Progress) -> None:
        if progress > self.progress:
            self.failure, self.progress = failure, progress


def diagnose(rule: Rule, var: Variable, fgraph: FunctionGraph | None = None) -> Diagnosis:
    """Return how `rule` matches `var`, or the failure of the attempt that got furthest.

    Conditions about the clients of a value are evaluated on `fgraph`; without one they hold.
    """
    furthest = _Furthest()
    for s, rest in match_root(rule.pattern, var, {}, rule.regroup, fgraph, furthest):
        verdict = _verdict(rule, var, s, rest, fgraph)
        if verdict.failure is None:
            return verdict
        furthest.keep(verdict.failure, verdict.progress)
    failure, progress = furthest.failure, furthest.progress
    if not rule.regroup and progress[0] < GUARDS and _matches_regrouped(rule, var):
        place = () if failure is None else failure.path
        failure = Failure(Reason.GROUPING, place, rule.pattern, var)
    return Diagnosis(failure, {}, None, progress)


def _matches_regrouped(rule: Rule, var: Variable) -> bool:
    return next(match_root(rule.pattern, var, {}, True), None) is not None


def _verdict(
    rule: Rule, var: Variable, s: Bindings, rest: LeftOver, fgraph: FunctionGraph | None
) -> Diagnosis:
    """Return what the guards of a rule say of a match."""
    bindings = {v: x for v, x in s.items() if isvar(v)}
    passed = GUARDS
    try:
        answer = _decided(conditions_of(rule, var), GuardedState(bindings, fgraph=fgraph))
        passed += 1
        new = result_of(rule, var, s, rest, answer)
        passed += 1
        result = _fitted(new, var, rule.template)
    except Refused as refused:
        return Diagnosis(refused.failure, bindings, None, (passed, 0))
    named = dict.fromkeys([*variables_of((rule.pattern, rule.template)), *bindings])
    return Diagnosis(None, {v: reify(v, answer) for v in named}, result, (passed, 0))


def _decided(conditions: list[Any], state: Any) -> Any:
    """Return the state in which all conditions hold, each decided as soon as it can be."""
    while conditions:
        for i, condition in enumerate(conditions):
            if isinstance(condition, Condition):
                after = condition.decide(state)
            else:
                after = next(iter(condition(state)), False)
            if after is False:
                raise Refused(refusal(condition, state))
            if after is not None:
                del conditions[i]
                state = guarded(after)
                break
        else:
            raise Refused(Failure(Reason.PENDING, wanted=conditions[0]))
    return state


def _fitted(new: Any, var: Variable, wanted: Any = None) -> Variable:
    """Return a result fitted to the type of a variable, which it is not itself."""
    try:
        new = build(new)
    except OpenAnswerError as error:
        raise Refused(Failure(Reason.OPEN, (), wanted, str(error))) from None
    result = fitted(new, var)
    if result is None:
        raise Refused(Failure(Reason.TYPE, (), var.type, new))
    if result is var:
        raise Refused(Failure(Reason.SAME, (), None, result))
    return result


def refusal(condition: Any, state: Any) -> Failure:
    """Return the failure of a condition in a state, with the values of its variables."""
    if not isinstance(condition, Condition):
        return Failure(Reason.CONDITION, wanted=condition)
    values = {str(v): reify(v, state) for v in variables_of(condition.variables)}
    if isinstance(condition, Where) and condition.predicate is finite_constants:
        name, value = next((v, x) for v, x in values.items() if not finite_constants(x))
        return Failure(Reason.NOT_FINITE, (), name, value, {name: value})
    fgraph = getattr(state, "fgraph", None)
    if isinstance(condition, Readers) and fgraph is not None:
        (read,) = condition.values(state)
        read = found_in(fgraph, read)
        shared = len(fgraph.clients.get(read, ())) > 1
        return Failure(Reason.READ if shared else Reason.CONDITION, (), condition, read, values)
    if not isinstance(condition, Compute):
        return Failure(Reason.CONDITION, wanted=condition, values=values)
    computed = condition.computed(condition.values(state), fgraph)
    values.update((str(v), reify(v, state)) for v in condition.binds)
    return Failure(Reason.COMPUTED, wanted=condition, found=computed, values=values)


def diagnose_search(relation: Any, old: Variable, fgraph: Any = None) -> Diagnosis:
    """Return why a search finds no answer of a relation that can replace a variable.

    If there is an answer, it is why the last one is none. If not, it is the failure of the goal
    that was reached after the most other goals, and, if it is an equation, after the most parts of
    its pattern have matched.

    Parameters
    ----------
    relation
        A function of a variable and a logic variable that returns a goal.
    old
        The variable.
    fgraph
        Its graph.
    """
    watch, q = _Watch(old), var()
    start = GuardedState(budget=Budget(name_of(relation), STEPS, SECONDS), fgraph=fgraph)
    try:
        for state in outcomes(relation(old, q), start, watch.watched):
            if is_settled(state):
                watch.furthest.keep(_refusal_of(reify(q, state), old), (GUARDS + 1, 0))
            else:
                held = Failure(Reason.PENDING, (), state.delayed[0], old)
                watch.furthest.keep(held, (GUARDS, 0))
    except SearchBudgetError:
        pass  # what was reached until then
    failure = watch.furthest.failure or Failure(Reason.NO_ANSWER)
    return Diagnosis(failure, {}, None, max(watch.furthest.progress, (0, 0)))


def _refusal_of(answer: Any, old: Variable) -> Failure:
    """Return why an answer of a relation does not replace a variable."""
    try:
        _fitted(answer, old)
    except Refused as refused:
        return refused.failure
    return Failure(Reason.FILTER, found="its results filter takes none of its answers")


class _Watch:
    """Keeps the failure of the goal that was reached last."""

    def __init__(self, root: Variable) -> None:
        self.root = root
        self.furthest = _Furthest()

    def watched(self, goal: Any, passed: int = 0) -> Goal:
        """Return a goal with the solutions of `goal`, which notes what in it fails.

        Parameters
        ----------
        passed
            How many goals hold before this one.
        """
        parts = over_parts(goal, lambda part, i: self.watched(part, passed + i))
        return (lambda s: self._run(goal, s, passed)) if parts is None else parts

    def _run(self, goal: Any, s: Any, passed: int) -> Iterator[Any]:
        holds = False
        for after in isolated(goal)(s):
            holds = True
            yield after
        if not holds and passed >= self.furthest.progress[0]:
            failure, parts = self._failure(goal, s)
            self.furthest.keep(failure, (passed, parts))

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
                furthest = _Furthest()
                matches = match_root(pattern, seen, {}, False, observer=furthest)
                if seen is self.root and next(matches, None) is None and furthest.failure:
                    return furthest.failure, furthest.progress[0]
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
