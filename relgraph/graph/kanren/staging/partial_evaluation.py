"""What a relation does with all nodes of one structure, found out by one run on stand-ins.

A relation with recursion has no finite list of rules, but on a sum of three it does one thing. Only
goals that are known to look at nodes through what `standins` writes down may be run that way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from kanren.assoccomm import associative
from kanren.core import fail, ifa, lconj_seq, ldisj_seq, succeed
from kanren.graph import reduceo, walko
from unification import var
from unification.core import reify, unify
from unification.variable import isvar

import relgraph.graph.kanren.staging.tracer_unification  # noqa: F401  (how stand-ins unify)
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.search.goal_inspection import (
    APPLYO,
    ASSOC_FLATTEN,
    CONJ,
    DISJ,
    EQ,
    IFA,
    NEQ,
    REDUCEO,
    TERM_SHAPE_GOALS,
    WALKO,
    ZZZ,
    cells_of,
    code_of,
    goals_of,
    name_of,
)
from relgraph.graph.kanren.search.goals import Compute, Condition, OneClient, Where, read_once
from relgraph.graph.kanren.search.guards import agree
from relgraph.graph.kanren.search.solutions import Goal, solutions
from relgraph.graph.kanren.search.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.search.variadic import Each
from relgraph.graph.kanren.staging.build_plans import Plan
from relgraph.graph.kanren.staging.tracers import (
    HeadOf,
    InputsOf,
    Trace,
    Unstageable,
)
from relgraph.graph.kanren.terms.building import build
from relgraph.graph.kanren.terms.term import Term
from relgraph.graph.op import Op
from relgraph.graph.opt.base import paused_collector

STEPS = 5_000
SECONDS = 0.5
MAX_ANSWERS = 20

Relation = Callable[[Any, Any], Any]

_reduceo: Any = reduceo
_walko: Any = walko


@dataclass(frozen=True)
class Residual:
    """What a relation does with the nodes of a structure.

    Attributes
    ----------
    answers
        How its answers are built, in order.
    rules
        The same as pairs of terms: what the structure is known to be, and what replaces it.
    reason
        Why there may be more answers, which take a search; empty if these are all.
    """

    answers: tuple[Plan, ...] = ()
    rules: tuple[tuple[Any, Any], ...] = ()
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether the relation has no answer for any node of the structure."""
        return not self.answers and not self.reason


def partially_evaluate(relation: Relation, trace: Trace) -> Residual:
    """Run a relation on the stand-in at the root of `trace`.

    The answers are for all nodes that answer the questions in the trace the same way.
    """
    answers: list[Plan] = []
    rules: list[tuple[Any, Any]] = []
    reason = ""
    try:
        q = var()
        goal = relation(trace.root, q)
        start = GuardedState(budget=Budget("on a stand-in", STEPS, SECONDS))
        # a collection walks all graphs there are: that is not the relation's time
        with paused_collector():
            for state in solutions(goal, start, lambda g: watched(g, trace)):
                if len(answers) == MAX_ANSWERS:
                    reason = f"it has more than {MAX_ANSWERS} answers"
                    break
                answer = reify(q, state)
                answers.append(Plan(answer, len(trace.values)))
                rules.append((trace.root, build(answer, _as_term)))
    except Unstageable as why:
        reason = str(why)
    except SearchBudgetError:
        reason = "its answers do not come to an end"
    except Exception as error:
        # whatever a relation does with a stand-in, on a node of its own it will raise for all
        reason = f"on a stand-in it raises {type(error).__name__}: {error}"
    return Residual(tuple(answers), tuple(rules), reason)


def _as_term(parts: list[Any], source: Any) -> Term:
    return Term(parts[0], parts[1:], None)


# -- what is run ---------------------------------------------------------------------------------


def watched(goal: Any, trace: Trace) -> Goal:
    """Return `goal` so that it asks `trace` about nodes, and in the order of kanren's search.

    On a state it raises `Unstageable` if it comes to one that may look at nodes otherwise.
    """
    if isinstance(goal, Condition):
        return _WatchedCondition(goal, trace)
    if isinstance(goal, Each):
        return goal.with_relation(_Watched(goal.relation, trace))
    code = code_of(goal)
    if code is EQ or code in TERM_SHAPE_GOALS or goal is succeed or goal is fail:
        known: Goal = goal
        return known
    return _REMADE.get(code, _refused)(goal, trace)


def _refused(goal: Any, trace: Trace) -> Goal:
    def refuse(s: Any) -> NoReturn:
        raise Unstageable(f"its goal {name_of(goal)} may look at more of a node than is seen")

    return refuse


def _watched_all(goal: Any, trace: Trace) -> Goal:
    return lconj_seq(watched(g, trace) for g in goals_of(goal))


def _watched_any(goal: Any, trace: Trace) -> Goal:
    return ldisj_seq(watched(g, trace) for g in goals_of(goal))


def _watched_later(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    make = _Watched(cells["gctor"], trace)
    return lambda s: make(*cells["args"], **cells["kwargs"])(s)


def _watched_neq(goal: Any, trace: Trace) -> Goal:
    return lambda s: goal(s.copy())  # it writes into the state


class _Watched:
    """A goal constructor whose goals are watched."""

    def __init__(self, make: Any, trace: Trace) -> None:
        self.make: Any = make.make if isinstance(make, _Watched) else make
        self.trace = trace

    def __call__(self, *args: Any, **kwargs: Any) -> Goal:
        return watched(self.make(*args, **kwargs), self.trace)


def _watched_reduceo(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    relation = _Watched(cells["relation"], trace)
    terms = cells["in_term"], cells["out_term"]
    remade: Goal = _reduceo(relation, *terms, *cells["args"], **cells["kwargs"])
    return remade


def _watched_walko(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    on_op = cells["rator_goal"]
    remade: Goal = _walko(
        _Watched(cells["goal"], trace),
        cells["graph_in"],
        cells["graph_out"],
        rator_goal=None if on_op is None else _Watched(on_op, trace),
        null_type=cells["null_type"],
        map_rel=_Watched(cells["map_rel"], trace),
    )
    return remade


def _watched_ifa(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    return ifa(watched(cells["g1"], trace), watched(cells["g2"], trace))


def _watched_flatten(goal: Any, trace: Trace) -> Goal:
    whole = cells_of(goal)["a"]

    def flatten(s: Any) -> Iterator[Any]:
        seen = reify(whole, s)
        if isinstance(seen, Sequence) and len(seen):
            trace.test(_is_associative, seen[0])
        yield from goal(s)

    return flatten


def _is_associative(op: Any) -> bool:
    return (op,) in associative.facts


def _watched_applyo(goal: Any, trace: Trace) -> Goal:
    cells = cells_of(goal)
    parts = tuple(cells[name] for name in ("obj", "o_rator", "o_rands"))

    def apply(s: Any) -> Iterator[Any]:
        seen = reify(parts, s)
        if [isvar(part) for part in seen] == [True, False, False]:
            raise Unstageable("its goal applyo builds a node")
        yield from goal(s)

    return apply


_REMADE: dict[Any, Callable[[Any, Trace], Goal]] = {
    CONJ: _watched_all,
    DISJ: _watched_any,
    ZZZ: _watched_later,
    NEQ: _watched_neq,
    REDUCEO: _watched_reduceo,
    WALKO: _watched_walko,
    IFA: _watched_ifa,
    ASSOC_FLATTEN: _watched_flatten,
    APPLYO: _watched_applyo,
}


class _WatchedCondition(Condition):
    """A condition that is decided by the node that the stand-ins stand for."""

    def __init__(self, goal: Condition, trace: Trace) -> None:
        self.goal = goal
        self.trace = trace
        self.variables = goal.variables

    def check(self, values: tuple[Any, ...], s: Any) -> Any:
        goal, trace = self.goal, self.trace
        if isinstance(goal, Where):
            return s if trace.test(goal.predicate, *values) else False
        if isinstance(goal, OneClient):
            return s if trace.test(read_once, trace.fgraph, *values) else False
        if not isinstance(goal, Compute):
            raise Unstageable(f"its condition {goal} is a goal of another kind")
        if goal.asks_graph:
            raise Unstageable(f"its condition {goal} asks the graph")
        value, known = trace.compute(goal.function, *values), reify(goal.out, s)
        if isinstance(known, Variable):
            return s if trace.test(agree, known, value) else False
        return unify(goal.out, value, s)

    def __str__(self) -> str:
        return str(self.goal)


# -- ruling out ----------------------------------------------------------------------------------


class StagingMismatch(Exception):
    """A relation looks at more than is written down, so that a stand-in can't speak for a node."""


def asks_heads_only(trace: Trace, node: Apply) -> bool:
    """Return whether nothing was asked but what all nodes of one key in `opt.dispatch` share.

    That is the op of `node` and the heads of its inputs, whose order does not count in a sum.
    """
    op, count = node.op, len(node.inputs)
    bag = op.commutative and op.associative
    heads = range(2, 2 + count) if not bag or count <= 2 else ()
    for question, answer in trace.path:
        if isinstance(question, InputsOf):
            told = question.slot == 0 and not (bag and count >= 32)
        else:
            told = isinstance(question, HeadOf) and (question.slot == 0 or question.slot in heads)
            told = told and (not isinstance(answer, Op) or answer.nout == 1)
        if not told:
            return False
    return True


def rules_out(relation: Relation, node: Apply) -> bool:
    """Return whether `relation` fails finitely on all nodes like `node`.

    These are the nodes with its op and its inputs' ops. Goals may look at more than is known of
    them, so the relation is run on `node` itself as well.

    Raises
    ------
    StagingMismatch
        If it has an answer there nonetheless: the relation is not to be staged.
    """
    trace = Trace(node.outputs[0])
    return (
        partially_evaluate(relation, trace).fails
        and asks_heads_only(trace, node)
        and fails_on(relation, node)
    )


def fails_on(relation: Relation, node: Apply) -> bool:
    """Return True if `relation` has no answer for `node`, as was concluded without it.

    Raises
    ------
    StagingMismatch
        If it has one, or raises.
    """
    q = var()
    try:
        goal = relation(node.outputs[0], q)
        state = GuardedState(budget=Budget("a node", STEPS, SECONDS))
        answered = next(solutions(goal, state), None) is not None
    except Exception:
        # it is left to raise where somebody sees it
        answered = True
    if answered:
        raise StagingMismatch
    return True
