"""The state of a search: a substitution without cyclic terms, delayed goals and a budget.

Unification and reification are one loop each instead of the unification library's generators. The
results are those of the library: the most common pairs of classes are written out, over one copy
of the substitution, and all others are left to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from cons.core import ConsError, ConsPair, car, cdr, cons
from cons.unify import _unify_Cons
from etuples.core import ExpressionTuple
from kanren.constraints import ConstrainedState
from unification import Var
from unification.core import (
    _reify,
    _unify,
    _unify_Iterable,
    _unify_Var_object,
    reify,
    stream_eval,
    unify,
)
from unification.utils import transitive_get
from unification.variable import _glv

from relgraph.graph.kanren.terms import _IS_VAR, is_variable, parts_of
from relgraph.graph.unify import STEPS
from relgraph.graph.utils import Deadline

Bindings = dict[Any, Any]

_UNIFY_EQUAL = _unify.funcs[object, object, Mapping]
_REIFY_UNCHANGED = _reify.funcs[object, Mapping]
_REST = object()
_MISSING = object()

_LISTS = (tuple, list)

_UNIFIERS: dict[tuple[type, type], Any] = {}
_IS_UNCHANGED: dict[type, bool] = {}

# Deeper terms are left to the library, which does not recurse.
_MAX_RECURSION = 50


def _unifier_for(u: type, v: type) -> Any:
    """Return the library's function for a pair of classes, and keep it."""
    found = _UNIFIERS[u, v] = _unify.dispatch(u, v, dict)
    return found


def _walk(x: Any, s: Bindings) -> Any:
    """Return what `x` is bound to, through chains of variables; itself if it is not bound."""
    while is_variable(x):
        bound = s.get(x, _MISSING)
        if bound is _MISSING:
            return x
        x = bound
    return x


def fast_unify(u: Any, v: Any, s: Bindings) -> Bindings | bool:
    """Return what `unification.unify` returns: `s` itself, a larger copy, or False."""
    if _glv:
        return stream_eval(_unify(u, v, s))  # type: ignore[no-any-return]
    data = s
    stack = [(u, v)]
    while stack:
        u, v = stack.pop()
        if u is _REST:
            u, v = cdr(v[0]), cdr(v[1])
        unifier = _UNIFIERS.get((type(u), type(v))) or _unifier_for(type(u), type(v))
        if unifier is _UNIFY_EQUAL:
            if not (u == v):  # noqa: SIM201  (as in the library: a tracer records the question)
                return False
        elif u is v:
            continue
        elif unifier is _unify_Var_object:
            u, v = _walk(u, data), _walk(v, data)
            if u is v or (is_variable(u) and u == v):
                continue
            if not is_variable(u):
                u, v = v, u
            if not is_variable(u):
                stack.append((v, u))
                continue
            if data is s:
                data = s.copy()
            data[u] = v
        elif unifier in STEPS:
            found = STEPS[unifier](u, v)
            if found is False:
                return False
            if found is not True:
                stack.append(found)
        elif unifier is _unify_Iterable and type(u) in _LISTS:
            if len(u) != len(v):
                return False
            stack.extend(zip(reversed(u), reversed(v), strict=True))
        elif unifier is _unify_Cons and not isinstance(u, Iterator) and not isinstance(v, Iterator):
            try:
                first = car(u), car(v)
            except ConsError:
                return False
            stack.append((_REST, (u, v)))
            stack.append(first)
        else:
            found = stream_eval(unifier(u, v, data))
            if found is False:
                return False
            data = found
    return data


def written_alike(u: Any, v: Any) -> bool:
    """Return whether two parts of laws are written in the same way, as terms or as etuples."""
    return fast_unify(u, v, {}) == {}


def fast_reify(x: Any, s: Bindings) -> Any:
    """Return what `unification.reify` returns: `x` with the values of its logic variables."""
    if _glv:
        return stream_eval(_reify(x, s))
    return _reified(x, s, 0)


def _reified(x: Any, s: Bindings, depth: int) -> Any:
    x = _walk(x, s)
    cls = type(x)
    if _IS_VAR[cls] if cls in _IS_VAR else is_variable(x):
        return x
    if depth < _MAX_RECURSION:
        if cls is ExpressionTuple:
            return _reified_expression(x, s, depth + 1)
        if cls in _LISTS:
            return cls([_reified(item, s, depth + 1) for item in x])
        if cls is ConsPair:
            return cons(_reified(x.car, s, depth + 1), _reified(x.cdr, s, depth + 1))
    unchanged = _IS_UNCHANGED.get(cls)
    if unchanged is None:
        unchanged = _IS_UNCHANGED[cls] = _reify.dispatch(cls, dict) is _REIFY_UNCHANGED
    return x if unchanged else stream_eval(_reify(x, s))


def _reified_expression(x: ExpressionTuple, s: Bindings, depth: int) -> ExpressionTuple:
    items = x._tuple
    new = [_reified(item, s, depth) for item in items]
    changed = [i for i, item in enumerate(items) if new[i] is not item]
    if not changed:
        return x
    made = ExpressionTuple(new)
    if all(is_variable(items[i]) for i in changed):
        # `cons` of the head and this tail then still finds the expression it was taken from
        made._parent = x._parent
    return made


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
        How much work it may do, by a `Deadline`.
    """

    __slots__ = ("_deadline", "_seconds", "_steps", "_used", "who")

    def __init__(self, who: str, steps: int = 100_000, seconds: float = 20.0) -> None:
        self.who = who
        self._steps = steps
        self._seconds = seconds
        self._used = 0
        self._deadline: Deadline | None = None

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
            # a short search does not read the clock
            if self._deadline is None:
                self._deadline = Deadline(self._seconds)
            elif self._deadline.is_over:
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
        state = guarded(s)
        return _settled(state.copy({**state.data, **bindings}))
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
        parts = parts_of(item)
        if parts and id(item) not in seen:
            seen.add(id(item))
            stack.extend(parts)
    return False
