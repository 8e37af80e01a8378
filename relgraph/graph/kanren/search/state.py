"""The state of a search: a substitution without cyclic terms, delayed goals and a budget."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from cons.core import ConsPair
from etuples.core import ExpressionTuple
from kanren.constraints import ConstrainedState
from unification import Var
from unification.core import _reify, reify, unify
from unification.utils import transitive_get

from relgraph.graph.kanren.search.fast_unification import fast_reify, fast_unify, is_variable
from relgraph.graph.kanren.terms.term import Term


class SearchBudgetError(RuntimeError):
    """The search of a relation exceeded its budget; the message names the relation."""


class Budget:
    """Bounds on a search.

    Parameters
    ----------
    who
        The name of what is searched, for the error.
    steps
        How many unifications it may make.
    seconds
        How much processor time it may take.
    """

    __slots__ = ("_deadline", "_seconds", "_steps", "_used", "who")

    def __init__(self, who: str, steps: int = 100_000, seconds: float = 20.0) -> None:
        self.who = who
        self._steps = steps
        self._seconds = seconds
        self._used = 0
        self._deadline: float | None = None

    def step(self) -> None:
        """Count a unification.

        Raises
        ------
        SearchBudgetError
            If there have been too many, or the time is up.
        """
        self._used += 1
        if self._used > self._steps:
            raise SearchBudgetError(
                f"the relation {self.who} made {self._steps} unifications without coming to an end"
            )
        if self._used % 64 == 0:
            # not the time of the wall: what a relation comes down to does not depend on what else
            # the machine is doing; a short search does not ask for it
            now = time.thread_time()
            if self._deadline is None:
                self._deadline = now + self._seconds
            elif now > self._deadline:
                raise SearchBudgetError(
                    f"the relation {self.who} searched for {self._seconds:g} s "
                    "without coming to an end"
                )


class GuardedState(ConstrainedState):
    """A kanren state that delays goals until they can be decided, and counts unifications.

    Goals never change a state that they are given; they return another one.

    Attributes
    ----------
    delayed
        The goals that wait for a variable to be bound. A state with delayed goals is no answer.
    budget
        The bounds on the search, shared by all states that are made from one.
    fgraph
        The FunctionGraph of the node that the search is about, if it is in one.
    """

    __slots__ = ("budget", "delayed", "fgraph")

    def __init__(
        self,
        data: Mapping[Any, Any] | None = None,
        constraints: Mapping[Any, Any] | None = None,
        delayed: tuple[Any, ...] = (),
        budget: Budget | None = None,
        fgraph: Any = None,
    ) -> None:
        super().__init__({} if data is None else data, constraints=constraints)  # type: ignore[no-untyped-call]
        self.delayed = delayed
        self.budget = budget
        self.fgraph = fgraph

    def copy(self, data: Any = None) -> GuardedState:
        made = GuardedState.__new__(GuardedState)
        made.data = dict(self.data) if data is None else data
        made.constraints = (
            {k: v.copy() for k, v in self.constraints.items()} if self.constraints else {}
        )
        made.delayed = self.delayed
        made.budget = self.budget
        made.fgraph = self.fgraph
        return made

    def delay(self, goal: Any) -> GuardedState:
        """Return this state with one more delayed goal."""
        made = self.copy()
        made.delayed = (*self.delayed, goal)
        return made

    def extended(self, bindings: Mapping[Any, Any]) -> GuardedState | bool:
        """Return this state with more bindings, or False if a delayed goal rejects them."""
        return _settled(self.copy({**self.data, **bindings}))


def guarded(s: Any) -> GuardedState:
    """Return a kanren state as a `GuardedState`."""
    if isinstance(s, GuardedState):
        return s
    if isinstance(s, ConstrainedState):
        return GuardedState(s.data, s.constraints)
    return GuardedState(s)


def extended(s: Any, bindings: Mapping[Any, Any]) -> Any:
    """Return a state of any class with more bindings, or False if it rejects them."""
    if isinstance(s, ConstrainedState):
        return guarded(s).extended(bindings)
    return {**s, **bindings}


def is_settled(s: Any) -> bool:
    """Return whether a state has no delayed goals, so that it is an answer."""
    return not getattr(s, "delayed", ())


def _settled(state: GuardedState) -> GuardedState | bool:
    """Run delayed goals until none of the rest can be decided."""
    progress = True
    while progress and state.delayed:
        progress = False
        for i, goal in enumerate(state.delayed):
            # without this goal: its bindings may decide the others in turn
            rest = state.copy(state.data)
            rest.delayed = (*state.delayed[:i], *state.delayed[i + 1 :])
            after = goal.decide(rest)
            if after is False:
                return False
            if after is not None:
                state = after
                progress = True
                break
    return state


def _unify_guarded(u: Any, v: Any, s: GuardedState) -> GuardedState | bool:
    if s.budget is not None:
        s.budget.step()
    old = s.data
    new = fast_unify(u, v, old)
    if isinstance(new, bool):
        return False
    if new is old:
        return s
    if any(occurs(var, new) for var in islice(new, len(old), None)):
        return False
    if s.constraints:
        if not s.pre_unify_checks(u, v):  # type: ignore[no-untyped-call]
            return False
        checked = s.post_unify_checks(new, u, v)  # type: ignore[no-untyped-call]
        return checked if checked is False else _settled(checked)
    return _settled(s.copy(new)) if s.delayed else s.copy(new)


unify.add((object, object, GuardedState), _unify_guarded)


def _reify_guarded(x: Any, s: GuardedState) -> Any:
    return fast_reify(x, s.data) if s.data else x


reify.add((object, GuardedState), _reify_guarded)


def _reify_open(x: Any, s: GuardedState) -> Iterator[Any]:
    # as in a plain state: kanren would wrap the variable in one that prints its constraints
    found = transitive_get(x, s.data)
    if found is x:
        yield x
    else:
        yield _reify(found, s)


_reify.add((Var, GuardedState), _reify_open)


def occurs(var: Any, s: Mapping[Any, Any]) -> bool:
    """Return whether `var` is bound to a term that contains it (the occurs check)."""
    seen: set[int] = set()
    stack = [s[var]]
    while stack:
        item = stack.pop()
        if is_variable(item):
            if item is var or item == var:
                return True
            if item in s:
                stack.append(s[item])
            continue
        parts = _parts(item)
        if parts is not None and id(item) not in seen:
            seen.add(id(item))
            stack.extend(parts)
    return False


def _parts(item: Any) -> Iterable[Any] | None:
    if isinstance(item, ExpressionTuple):
        return item._tuple  # type: ignore[no-any-return]
    if isinstance(item, Term):
        return (item.op, *item.args)
    if isinstance(item, tuple | list):
        return item
    if type(item) is ConsPair:
        return (item.car, item.cdr)
    return None
