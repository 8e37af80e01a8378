"""Partial evaluation of a relation: what it does on all nodes of one structure, by one traced run.

A recursive relation has no finite list of rules, but on sums of three terms it may always do the
same. A goal may be run on tracers only if they are known to record all that it depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from kanren.assoccomm import associative
from kanren.core import fail, succeed
from kanren.graph import reduceo, walko
from unification import var
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.kanren.goals import (
    APPLYO,
    ASSOC_FLATTEN,
    EQ,
    NEQ,
    REDUCEO,
    TERM_SHAPE_GOALS,
    WALKO,
    Compute,
    Each,
    Goal,
    Readers,
    Where,
    cells_of,
    code_of,
    name_of,
    over_parts,
    solutions,
)
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.terms import Term, build
from relgraph.graph.kanren.tracers import (
    Trace,
    Unstageable,
    plan,
)
from relgraph.graph.opt.base import paused_collector

STEPS = 5_000
SECONDS = 0.5
MAX_ANSWERS = 20

Relation = Callable[[Any, Any], Any]

_reduceo: Any = reduceo
_walko: Any = walko


@dataclass(frozen=True)
class Residual:
    """The residual of a relation: what is left of it for the nodes of one structure.

    Attributes
    ----------
    answers
        The functions that build its answers, in order; see `plan`.
    rules
        The answers as pairs of terms: what is known of the nodes, and what replaces them.
    reason
        Why there may be more answers, which only a search finds; empty if there are none.
    """

    answers: tuple[Callable[[Sequence[Any]], Any], ...] = ()
    rules: tuple[tuple[Any, Any], ...] = ()
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether the relation has no answer for any node of the structure."""
        return not self.answers and not self.reason


def partially_evaluate(relation: Relation, trace: Trace) -> Residual:
    """Run a relation on the tracer at the root of `trace`.

    The residual holds for all nodes that give the same answers to the questions in the trace.
    """
    answers: list[Callable[[Sequence[Any]], Any]] = []
    rules: list[tuple[Any, Any]] = []
    reason = ""
    try:
        q = var()
        goal = relation(trace.root, q)
        start = GuardedState(budget=Budget("on a tracer", STEPS, SECONDS), fgraph=trace.fgraph)
        # the time of a garbage collection does not count against the budget
        with paused_collector():
            for state in solutions(goal, start, lambda g: traced(g, trace)):
                if len(answers) == MAX_ANSWERS:
                    reason = f"it has more than {MAX_ANSWERS} answers"
                    break
                answer = reify(q, state)
                answers.append(plan(answer))
                rules.append((trace.root, build(answer, _as_term)))
    except Unstageable as why:
        reason = str(why)
    except SearchBudgetError:
        reason = "its answers do not come to an end"
    except Exception as error:
        # an error that is not due to the tracer will be raised again on a node
        reason = f"on a tracer it raises {type(error).__name__}: {error}"
    return Residual(tuple(answers), tuple(rules), reason)


def _as_term(parts: list[Any], source: Any) -> Term:
    return Term(parts[0], parts[1:], None)


# -- traced goals --------------------------------------------------------------------------------


def traced(goal: Any, trace: Trace) -> Goal:
    """Return a goal with the solutions of `goal`, in that order, that asks `trace` about nodes.

    When run, it raises `Unstageable` if it reaches a goal that may look at nodes in another way.
    """
    if isinstance(goal, Each):
        return goal.with_relation(_TracedConstructor(goal.relation, trace))
    code = code_of(goal)
    plain = code is EQ or code in TERM_SHAPE_GOALS or goal is succeed or goal is fail
    if plain or type(goal) in (Where, Compute, Readers):
        known: Goal = goal
        return known
    special = _TRACED_BY_CODE.get(code)
    if special is not None:
        return special(goal, trace)
    parts = over_parts(goal, lambda part, _: traced(part, trace))
    return _refused(goal) if parts is None else parts


def _refused(goal: Any) -> Goal:
    def refuse(s: Any) -> NoReturn:
        raise Unstageable(f"its goal {name_of(goal)} may look at more of a node than is traced")

    return refuse


def _traced_neq(goal: Any, trace: Trace) -> Goal:
    return lambda s: goal(s.copy())  # it modifies the state


class _TracedConstructor:
    """A goal constructor whose goals are traced."""

    def __init__(self, make: Any, trace: Trace) -> None:
        self.make: Any = make.make if isinstance(make, _TracedConstructor) else make
        self.trace = trace

    def __call__(self, *args: Any, **kwargs: Any) -> Goal:
        return traced(self.make(*args, **kwargs), self.trace)


def _traced_reduceo(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    relation = _TracedConstructor(cells["relation"], trace)
    terms = cells["in_term"], cells["out_term"]
    remade: Goal = _reduceo(relation, *terms, *cells["args"], **cells["kwargs"])
    return remade


def _traced_walko(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    on_op = cells["rator_goal"]
    remade: Goal = _walko(
        _TracedConstructor(cells["goal"], trace),
        cells["graph_in"],
        cells["graph_out"],
        rator_goal=None if on_op is None else _TracedConstructor(on_op, trace),
        null_type=cells["null_type"],
        map_rel=_TracedConstructor(cells["map_rel"], trace),
    )
    return remade


def _traced_assoc_flatten(goal: Any, trace: Trace) -> Goal:
    term = cells_of(goal)["a"]

    def flatten(s: Any) -> Iterator[Any]:
        seen = reify(term, s)
        if isinstance(seen, Sequence) and len(seen):
            trace.compute(_is_associative, seen[0])
        yield from goal(s)

    return flatten


def _is_associative(op: Any) -> bool:
    return (op,) in associative.facts


def _traced_applyo(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    parts = tuple(cells[name] for name in ("obj", "o_rator", "o_rands"))

    def apply(s: Any) -> Iterator[Any]:
        seen = reify(parts, s)
        if [isvar(part) for part in seen] == [True, False, False]:
            raise Unstageable("its goal applyo builds a node")
        yield from goal(s)

    return apply


_TRACED_BY_CODE: dict[Any, Callable[[Any, Trace], Goal]] = {
    NEQ: _traced_neq,
    REDUCEO: _traced_reduceo,
    WALKO: _traced_walko,
    ASSOC_FLATTEN: _traced_assoc_flatten,
    APPLYO: _traced_applyo,
}
