"""Rule extraction: a relation is run on two fresh variables, and its answers are its rules.

Only goals that do nothing but unify may run that way. Goals that inspect the state (kanren's
`assoc_flatten`, `nullo`, `ground_order`, a Python test) would see an unbound variable in the place
of a term, and their answers would not hold for terms. So the goals of a relation are inspected, and
only those known to be safe are run; any other goal makes the relation open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from types import FunctionType
from typing import Any, TypeVar

from cons.core import ConsPair
from etuples import etuple
from etuples.core import ExpressionTuple
from kanren.core import fail, succeed
from unification import var
from unification.core import unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.kanren.rules.rule import Rule, split
from relgraph.graph.kanren.search.goal_inspection import (
    CONJ,
    DISJ,
    EQ,
    ZZZ,
    cells_of,
    code_of,
    goals_of,
    name_of,
)
from relgraph.graph.kanren.search.goals import Condition
from relgraph.graph.kanren.search.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.terms.term import Term

T = TypeVar("T")

STEPS = 2_000
SECONDS = 1.0
MAX_RULES = 200


class OpenRelation(Exception):
    """A relation has no finite list of rules, or it can't be found; the message says why."""


@dataclass(frozen=True)
class Extraction:
    """The rules of one direction of a relation, or why it has none.

    Attributes
    ----------
    name
        The name of the relation, with the direction.
    status
        ``closed``: `rules` are all that it does. ``open``: it is searched on each node, because of
        `reason`. ``none``: there is no such direction, because of `reason`.
    rules
        The rules of a closed relation, in the order of the answers.
    reason
        Why it is not closed.
    ordered
        Whether the answers on any node come in the order of the rules. If one choice follows
        another, kanren's interleaving depends on which of them fail.
    """

    name: str
    status: str
    rules: tuple[Rule, ...] = ()
    reason: str = ""
    ordered: bool = True

    def __str__(self) -> str:
        if self.status != "closed":
            return f"{self.name}: {self.status}: {self.reason}"
        count = f"{len(self.rules)} rule{'s' if len(self.rules) != 1 else ''}"
        lines = [f"{self.name}: closed, {count}"]
        for rule in self.rules:
            where = ", ".join(map(str, rule.conditions))
            text = f"  {rule.pattern} → {rule.template}"
            lines.append(f"{text}  where {where}" if where else text)
        return "\n".join(lines)

    __repr__ = __str__


def extract(relation: Callable[[Any, Any], Any], name: str) -> Extraction:
    """Return the rules of a relation from left to right."""
    in_lv, out_lv = var(prefix="in"), var(prefix="out")
    run = _Run(Budget(name, STEPS, SECONDS))
    rules: list[Rule] = []
    try:
        goal = relation(in_lv, out_lv)
        for state in _states(goal, GuardedState(budget=run.budget), run):
            if len(rules) == MAX_RULES:
                raise OpenRelation(f"it has more than {MAX_RULES} answers")
            rules.append(_rule(name, in_lv, out_lv, state))
    except OpenRelation as why:
        return Extraction(name, "open", reason=str(why))
    except SearchBudgetError:
        return Extraction(name, "open", reason="its answers do not come to an end")
    except Exception as error:
        # an error that is not due to the unbound variables will be raised again on a node
        reason = f"with open ends it raises {type(error).__name__}: {error}"
        return Extraction(name, "open", reason=reason)
    if not rules:
        return Extraction(name, "open", reason="with open ends it has no answer at all")
    return Extraction(name, "closed", tuple(rules), ordered=run.ordered)


def _rule(name: str, in_lv: Any, out_lv: Any, state: GuardedState) -> Rule:
    pattern, template = _resolved(in_lv, state), _resolved(out_lv, state)
    parts = split(pattern)
    if parts is None:
        raise OpenRelation(f"its left side is {pattern}, which is not an op on arguments")
    if isinstance(parts[0], FunctionType):
        raise OpenRelation(f"its left side calls {parts[0].__name__}, which is a function, no op")
    if state.constraints:
        raise OpenRelation("it holds constraints other than whereo and computo")
    held = tuple(
        goal.rename({v: _resolved(v, state) for v in goal.open_variables()})
        for goal in state.delayed
    )
    return Rule(name, pattern, template, held, as_written=True)


def _resolved(x: Any, s: GuardedState) -> Any:
    """Return the value of `x` in a state; unlike in reification, terms stay terms.

    Raises
    ------
    OpenRelation
        If it contains a list of unknown length.
    """
    x = transitive_get(x, s.data)
    if isinstance(x, Term):
        return Term(_resolved(x.op, s), [_resolved(a, s) for a in x.args], x._ops)
    if isinstance(x, ExpressionTuple):
        return etuple(*[_resolved(a, s) for a in x])
    if isinstance(x, list | tuple):
        return type(x)(_resolved(a, s) for a in x)
    if type(x) is ConsPair:
        head, tail = _resolved(x.car, s), _resolved(x.cdr, s)
        if isvar(tail) or type(tail) is ConsPair:
            raise OpenRelation("the number of arguments of an op is open")
        return etuple(head, *tail)
    return x


class _Run:
    """One run of a relation on two fresh variables.

    Attributes
    ----------
    ordered
        Whether the streams were never really interleaved, so that on any node the answers come in
        the same order.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.ordered = True

    def interleaved(self, streams: Iterable[Iterator[T]]) -> Iterator[T]:
        """Yield an item of each stream in turn, as kanren does."""
        rounds: list[list[int]] = []  # the streams that had an item, round by round
        places: Iterable[tuple[int, Iterator[T]]] = enumerate(streams)
        while places:
            going = []
            for i, stream in places:
                for item in stream:
                    yield item
                    going.append((i, stream))
                    break
            places = going
            rounds.append([i for i, _ in going])
        # in order only if all streams but the last have one item
        if len(rounds) > 1 and any(i != rounds[0][-1] for i in rounds[1]):
            self.ordered = False


def _states(goal: Any, s: GuardedState, run: _Run) -> Iterator[GuardedState]:
    """Run a goal whose parts are known to be safe; the order of the answers is kanren's.

    Raises
    ------
    OpenRelation
        If a part is not known to be safe.
    """
    run.budget.step()
    if isinstance(goal, Condition):
        yield from goal(s)
        return
    code = code_of(goal)
    if code is EQ:
        parts = cells_of(goal)
        after = unify(parts["u"], parts["v"], s)
        if after is not False:
            yield after
    elif code is CONJ:
        yield from reduce(
            lambda stream, g: run.interleaved(_states(g, t, run) for t in stream),
            goals_of(goal),
            iter((s,)),
        )
    elif code is DISJ:
        yield from run.interleaved(_states(g, s, run) for g in goals_of(goal))
    elif code is ZZZ:
        parts = cells_of(goal)
        made = parts["gctor"](*parts["args"], **parts["kwargs"])
        yield from _states(made, s, run)
    elif goal is succeed:
        yield s
    elif goal is not fail:
        raise OpenRelation(f"its goal {name_of(goal)} may look at the state instead of unifying")
