"""The state that relations run in: bounded, without cyclic terms, with goals held back."""

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
    """A relation went on for longer than its budget; the message names it."""


class Budget:
    """How long a search may go on.

    Parameters
    ----------
    who
        What is searched, for the error.
    steps
        How many unifications it may make.
    seconds
        How much time it may take.
    """

    __slots__ = ("_deadline", "_seconds", "_steps", "_used", "who")

    def __init__(self, who: str, steps: int = 100_000, seconds: float = 20.0) -> None:
        self.who = who
        self._steps = steps
        self._seconds = seconds
        self._used = 0
        self._deadline: float | None = None

    def step(self) -> None:
        """Count a step.

        Raises
        ------
        SearchBudgetError
            If that was one too many, or the time is up.
        """
        self._used += 1
        if self._used > self._steps:
            raise SearchBudgetError(
                f"the relation {self.who} made {self._steps} unifications without coming to an end"
            )
        if self._used % 64 == 1:
            now = time.perf_counter()
            if self._deadline is None:
                self._deadline = now + self._seconds
            elif now > self._deadline:
                raise SearchBudgetError(
                    f"the relation {self.who} searched for {self._seconds:g} s "
                    "without coming to an end"
                )


class GuardedState(ConstrainedState):
    """A kanren state that counts its steps and holds goals back until they can be decided.

    Goals never change a state that they are given; they return another one.

    Attributes
    ----------
    held
        The goals that wait for a variable to be bound. An answer that still holds one is none.
    budget
        What the search may cost, shared by all states that come of one.
    fgraph
        The FunctionGraph of the node that is looked at, if it is part of one.
    """

    __slots__ = ("budget", "fgraph", "held")

    def __init__(
        self,
        data: Mapping[Any, Any] | None = None,
        constraints: Mapping[Any, Any] | None = None,
        held: tuple[Any, ...] = (),
        budget: Budget | None = None,
        fgraph: Any = None,
    ) -> None:
        super().__init__({} if data is None else data, constraints=constraints)  # type: ignore[no-untyped-call]
        self.held = held
        self.budget = budget
        self.fgraph = fgraph

    def copy(self, data: Any = None) -> GuardedState:
        made = GuardedState.__new__(GuardedState)
        made.data = dict(self.data) if data is None else data
        made.constraints = (
            {k: v.copy() for k, v in self.constraints.items()} if self.constraints else {}
        )
        made.held = self.held
        made.budget = self.budget
        made.fgraph = self.fgraph
        return made

    def hold(self, goal: Any) -> GuardedState:
        """Return this state with one more goal held back."""
        made = self.copy()
        made.held = (*self.held, goal)
        return made

    def extended(self, bindings: Mapping[Any, Any]) -> GuardedState | bool:
        """Return this state with more bindings, or False if a goal held back rejects them."""
        return _settled(self.copy({**self.data, **bindings}))


def guarded(s: Any) -> GuardedState:
    """Return a kanren state as one that can hold goals back."""
    if isinstance(s, GuardedState):
        return s
    if isinstance(s, ConstrainedState):
        return GuardedState(s.data, s.constraints)
    return GuardedState(s)


def extended(s: Any, bindings: Mapping[Any, Any]) -> Any:
    """Return any kind of state with more bindings, or False if it rejects them."""
    if isinstance(s, ConstrainedState):
        return guarded(s).extended(bindings)
    return {**s, **bindings}


def is_settled(s: Any) -> bool:
    """Return whether a state holds no goal back, so that it is an answer."""
    return not getattr(s, "held", ())


def _settled(state: GuardedState) -> GuardedState | bool:
    """Run the goals held back until none of them can be decided any more."""
    progress = True
    while progress and state.held:
        progress = False
        for i, goal in enumerate(state.held):
            # without the goal itself: what it binds settles the others in turn
            rest = state.copy(state.data)
            rest.held = (*state.held[:i], *state.held[i + 1 :])
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
    return _settled(s.copy(new)) if s.held else s.copy(new)


unify.add((object, object, GuardedState), _unify_guarded)


def _reify_guarded(x: Any, s: GuardedState) -> Any:
    return fast_reify(x, s.data) if s.data else x


reify.add((object, GuardedState), _reify_guarded)


def _reify_open(x: Any, s: GuardedState) -> Iterator[Any]:
    # as in a plain state: kanren's own would wrap the variable in one that prints constraints
    found = transitive_get(x, s.data)
    if found is x:
        yield x
    else:
        yield _reify(found, s)


_reify.add((Var, GuardedState), _reify_open)


def occurs(var: Any, s: Mapping[Any, Any]) -> bool:
    """Return whether what `var` is bound to contains `var`, which no finite term does."""
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
