"""Compilation of relations: to rules where they are closed, by the structure of nodes where open.

A relation is run on two fresh variables, and if the stream of answers ends, these are its rules.
Only goals that do nothing but unify may run that way: others would see an unbound variable in the
place of a term. An open relation is specialized for the structures of the nodes that it meets: the
questions that it asks of nodes form a decision tree, with its residuals at the leaves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import FunctionType
from typing import Any

from cons.core import ConsPair
from etuples import etuple
from kanren.core import fail, succeed
from unification import var
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.codegen import NotCompilable, Transform, compile_rule
from relgraph.graph.kanren.goals import (
    CONJ,
    DISJ,
    EQ,
    ZZZ,
    Condition,
    Goal,
    code_of,
    fitted,
    goals_of,
    name_of,
    over_parts,
)
from relgraph.graph.kanren.partial_evaluation import (
    CROSS_CHECKS,
    AnsweredQuestion,
    Question,
    Relation,
    Residual,
    Trace,
    VariableTracer,
    initial_values,
    partially_evaluate,
)
from relgraph.graph.kanren.rules import Rule, split
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.kanren.terms import parts_of, with_parts
from relgraph.graph.traversal import equal_computations

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
        Whether the answers on any node come in the order of the rules. They do if there is one
        disjunction at most: of several, kanren interleaves the streams of those that don't fail.
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
    run = OpenRun(relation, Budget(name, STEPS, SECONDS))
    rules: list[Rule] = []
    try:
        for pattern, template, state in run.answers():
            if len(rules) == MAX_RULES:
                raise OpenRelation(f"it has more than {MAX_RULES} answers")
            rules.append(_rule(name, pattern, template, state))
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
    return Extraction(name, "closed", tuple(rules), ordered=run.choices < 2)


def _rule(name: str, in_lv: Any, out_lv: Any, state: GuardedState) -> Rule:
    pattern, template = _resolved(in_lv, state), _resolved(out_lv, state)
    head = split(pattern).head
    if head is None:
        raise OpenRelation(f"its left side is {pattern}, which is not an op on arguments")
    if isinstance(head, FunctionType):
        raise OpenRelation(f"its left side calls {head.__name__}, which is a function, no op")
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
    if type(x) is ConsPair:
        head, tail = _resolved(x.car, s), _resolved(x.cdr, s)
        if isvar(tail) or type(tail) is ConsPair:
            raise OpenRelation("the number of arguments of an op is open")
        return etuple(head, *tail)
    parts = parts_of(x)
    return with_parts(x, [_resolved(part, s) for part in parts]) if parts else x


class OpenRun:
    """A run of a relation on two fresh variables.

    Attributes
    ----------
    choices
        How many disjunctions have been run.
    """

    def __init__(self, relation: Relation, budget: Budget) -> None:
        self._relation, self._budget = relation, budget
        self.choices = 0

    def answers(self) -> Iterator[tuple[Any, Any, GuardedState]]:
        """Yield the two variables and each state in which the relation holds between them.

        Raises
        ------
        OpenRelation
            If it reaches a goal that may do more than unify, or holds other constraints.
        """
        old, new = var(prefix="in"), var(prefix="out")
        for state in self.prepared(self._relation(old, new))(GuardedState(budget=self._budget)):
            if state.constraints:
                raise OpenRelation("it holds constraints other than whereo and computo")
            yield old, new, state

    def prepared(self, goal: Any) -> Goal:
        """Return a goal with the states of `goal`, which raises an error if it may be unsafe.

        Raises
        ------
        OpenRelation
            If it reaches a goal that may do more than unify.
        """
        self._budget.step()
        code = code_of(goal)
        if code in (CONJ, DISJ, ZZZ):
            self.choices += code is DISJ and len(list(islice(goals_of(goal), 2))) > 1
            parts = over_parts(goal, lambda part, _: self.prepared(part))
            assert parts is not None
            return parts
        if code is EQ or goal is succeed or goal is fail or isinstance(goal, Condition):
            known: Goal = goal
            return known
        raise OpenRelation(f"its goal {name_of(goal)} may look at the state instead of unifying")


class StagedRelation(ABC):
    """A relation whose answers are found without a search.

    They may not be those of a search: a relation may do more than its rules say, by a Python test
    on a node for example, and depend on more of a node than a trace records. So the first nodes are
    searched as well, and if that gives another answer, all nodes are from then on.

    Parameters
    ----------
    relation
        The relation.
    search
        A function of a graph and a node with one output, which defines what `transform` returns.

    Attributes
    ----------
    fallback_reason
        Why all nodes are searched; empty if they aren't.
    """

    def __init__(self, relation: Relation, search: Transform) -> None:
        self.fallback_reason = ""
        self._relation = relation
        self._search = search

    @abstractmethod
    def _answer(self, fgraph: Any, node: Apply) -> tuple[Any, Any]:
        """Return the answer for `node`, or None if only a search can tell; and what has in
        `checks_left` on how many more nodes such an answer is to be compared with a search."""

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the first answer that can replace the output of `node`, as a list, or False."""
        if self.fallback_reason:
            return self._search(fgraph, node)
        try:
            answer, trial = self._answer(fgraph, node)
        except Exception:
            # a search may end before it reaches the error; else it raises it
            answer = trial = None
        if answer is None:
            return self._search(fgraph, node)
        if trial.checks_left:
            trial.checks_left -= 1
            searched = self._search(fgraph, node)
            if not same_answer(answer, searched):
                self.fallback_reason = f"on {node} a search gave another answer"
            return searched
        return answer


def same_answer(answer: Any, searched: Any) -> bool:
    """Return whether two answers of local optimizers, for a node with one output, are the same."""
    if answer is False or searched is False:
        return answer is searched
    return isinstance(searched, list) and equal_computations(answer, searched)


class CompiledRelation(StagedRelation):
    """The compiled rules of a closed relation, tried in order.

    Attributes
    ----------
    rules
        The rules.
    checks_left
        On how many more nodes the answer is to be compared with a search.

    Raises
    ------
    NotCompilable
        If the relation is not closed, or a rule can't be compiled.
    """

    def __init__(self, relation: Relation, search: Transform, extraction: Extraction) -> None:
        super().__init__(relation, search)
        if extraction.status != "closed":
            raise NotCompilable(extraction.reason)
        self.rules = extraction.rules
        self._ordered = extraction.ordered
        self._functions = [compile_rule(rule) for rule in extraction.rules]
        self.checks_left = CROSS_CHECKS

    def _answer(self, fgraph: Any, node: Apply) -> tuple[Any, Any]:
        """Return the answer of the first rule that has one, or False.

        If several rules have one, only a search may be able to tell which comes first.
        """
        found = False
        for function in self._functions:
            answer = function(fgraph, node)
            if answer is not False:
                if self._ordered:
                    return answer, self
                if found is not False:
                    return None, self
                found = answer
        return found, self


MAX_BRANCHES = 500
"""How many questions are kept; all are forgotten when there are more."""
MAX_TEXT = 100
"""How long a term may be in a report."""


@dataclass(slots=True, eq=False)
class _Branch:
    """An inner node of the tree: a question, with a subtree for each answer."""

    question: Question
    answers: dict[Any, _Branch | Residual] = field(default_factory=dict)


class Specialization(StagedRelation):
    """The residuals of an open relation for the structures of the nodes that it has met.

    Parameters
    ----------
    relation, search
        See `StagedRelation`.

    Attributes
    ----------
    max_depth
        How many levels of nodes the relation has looked at.
    """

    def __init__(self, relation: Relation, search: Transform) -> None:
        super().__init__(relation, search)
        self.max_depth = 0
        self._forget()

    def _forget(self) -> None:
        self._residuals: list[Residual] = []
        self._branches = 0
        # under None the top of the tree
        self._tree: dict[Any, _Branch | Residual] = {}

    def _answer(self, fgraph: Any, node: Apply) -> tuple[Any, Any]:
        residual, values = self._residual_for(fgraph, node)
        if self.fallback_reason:
            return None, None
        (old,) = node.outputs
        for plan in residual.answers:
            new = fitted(plan(values), old)
            if new is not None and new is not old:
                return [new], residual
        return (None if residual.reason else False), residual

    def _residual_for(self, fgraph: Any, node: Apply) -> tuple[Residual, list[Any]]:
        """Return the residual for the structure of `node`, and the values known of `node`, by slot.

        A new structure is traced.
        """
        values = initial_values(node.outputs[0], fgraph)
        at = self._tree.get(None)
        while type(at) is _Branch:
            at = at.answers.get(at.question.answer(values))
        if isinstance(at, Residual):
            return at, values
        if self._branches >= MAX_BRANCHES:
            self._forget()
        trace = Trace(node.outputs[0], fgraph)
        residual = partially_evaluate(self._relation, trace)
        self.max_depth = max(self.max_depth, trace.max_depth)
        # the tree must not keep this node alive
        values, trace.values = trace.values, []
        self._insert(trace.path, residual)
        return residual, values

    def _insert(self, path: Sequence[AnsweredQuestion], residual: Residual) -> None:
        """Put a residual at the end of a path into the tree."""
        answers, key = self._tree, None
        for question, answer in path:
            at = answers.get(key)
            if at is None:
                at = answers[key] = _Branch(question)
                self._branches += 1
            if not isinstance(at, _Branch) or not at.question.is_same(question):
                break
            answers, key = at.answers, answer
        else:
            if key not in answers:
                answers[key] = residual
                self._residuals.append(residual)
                return
        self.fallback_reason = "it does not ask the same of the same nodes"

    def __str__(self) -> str:
        if self.fallback_reason:
            return f"searched on every node: {self.fallback_reason}"
        residuals = self._residuals
        if not residuals:
            return "no node met so far"
        reasons = Counter(r.reason for r in residuals if r.reason)
        ruled_out = sum(r.fails for r in residuals)
        special = len(residuals) - ruled_out - reasons.total()
        lines = [
            f"structures met so far: {ruled_out} ruled out, {special} specialized, "
            f"{reasons.total()} left to search"
        ]
        lines.extend(f"  {_text(lhs)} → {_text(rhs)}" for r in residuals for lhs, rhs in r.rules)
        lines.extend(f"  {count} × search: {reason}" for reason, count in reasons.items())
        return "\n".join(lines)

    __repr__ = __str__


def _text(x: Any) -> str:
    text = str(x.as_term() if isinstance(x, VariableTracer) else x)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
