"""Open relations, specialized for the structures of nodes that they meet.

What a relation has asked of nodes, and what it does with those that gave each series of answers, is
kept as a tree. A node is taken through it by answering the questions, without a search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.rules.compiled_relation import CROSS_CHECKS, alike
from relgraph.graph.kanren.staging.partial_evaluation import (
    Relation,
    Residual,
    StagingMismatch,
    asks_heads_only,
    fails_on,
    partially_evaluate,
)
from relgraph.graph.kanren.staging.tracers import Answered, Question, Trace, VariableTracer, start

MAX_BRANCHES = 20_000
"""How many questions are kept; structures met after that are left to search."""
WIDEST = 100
"""How long a term may get in a report."""

Transform = Callable[[Any, Apply], Any]


class _Branch:
    """A question, and what follows from each answer."""

    __slots__ = ("answers", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answers: dict[Any, _Known] = {}


class _Structure:
    """What is done with all nodes that gave the same answers.

    Attributes
    ----------
    by_heads
        Whether all nodes with one op and one list of their inputs' ops are of the structure.
    unchecked
        On how many nodes what the stand-in has given is still to be compared with a search.
    confirmed
        Whether a search has found nothing either where the stand-in has shown that nothing is.
    """

    __slots__ = ("by_heads", "confirmed", "staged", "unchecked")

    def __init__(self, staged: Residual, by_heads: bool) -> None:
        self.staged = staged
        self.by_heads = by_heads
        self.unchecked = CROSS_CHECKS
        self.confirmed = False


_Known = _Branch | _Structure | None


class Specialization:
    """What an open relation comes down to for the nodes that it has met.

    A relation may look at more of a node than it is seen to ask. So the first nodes of each
    structure are searched as well, and if that gives anything else, all nodes are from then on.

    Parameters
    ----------
    relation
        The relation.
    search
        Takes a graph and a node with one output; what `transform` gives is what this gives.
    fitted
        Takes a node and an answer; gives the list of what replaces its outputs, or False.

    Attributes
    ----------
    distrust
        Why all nodes are searched; empty while they aren't.
    deepest
        How many levels the relation has looked at of the nodes that it met.
    """

    def __init__(
        self, relation: Relation, search: Transform, fitted: Callable[[Apply, Any], Any]
    ) -> None:
        self.distrust = ""
        self.max_depth = 0
        self._relation = relation
        self._search = search
        self._fitted = fitted
        self._structures: list[_Structure] = []
        self._branches = 0
        self._top: _Known = None

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the first answer that fits in the place of `node`, as a list, or False."""
        if self.distrust:
            return self._search(fgraph, node)
        try:
            structure, values = self._structure_of(fgraph, node)
            answer = None if structure is None else self._answer(structure.staged, node, values)
        except Exception:
            # a search may not get as far, and if it does it will raise for all to see
            answer = None
        if answer is None or structure is None:
            return self._search(fgraph, node)
        if structure.unchecked:
            structure.unchecked -= 1
            searched = self._search(fgraph, node)
            if not alike(answer, searched):
                self.distrust = f"on {node} it gave another answer than to a stand-in for that"
            return searched
        return answer

    def might_match(self, node: Apply) -> bool:
        """Return whether there is an answer for some node with the op and inputs' ops of `node`."""
        if self.distrust:
            return True
        try:
            structure, _ = self._structure_of(None, node)
            if structure is None or not (structure.by_heads and structure.staged.fails):
                return True
            if structure.confirmed:
                return False
            structure.confirmed = True
            return not fails_on(self._relation, node)
        except StagingMismatch:
            self.distrust = f"for {node} there is an answer, for a stand-in for that there is none"
            return True
        except Exception:
            return True

    def _structure_of(self, fgraph: Any, node: Apply) -> tuple[_Structure | None, list[Any]]:
        """Return what is done with nodes like `node`, with what was asked of this one."""
        values = start(node.outputs[0], fgraph)
        at = self._top
        while type(at) is _Branch:
            at = at.answers.get(at.question.answer(values))
        if type(at) is _Structure:
            return at, values
        if self._branches >= MAX_BRANCHES:
            return None, values
        trace = Trace(node.outputs[0], fgraph)
        structure = _Structure(
            partially_evaluate(self._relation, trace), asks_heads_only(trace, node)
        )
        self.max_depth = max(self.max_depth, trace.max_depth)
        # what is kept for all nodes must not keep this one alive
        values, trace.values = trace.values, []
        self._top, kept = self._with(trace.path, structure)
        return (None if self.distrust else kept), values

    def _with(self, path: Sequence[Answered], structure: _Structure) -> tuple[_Known, _Structure]:
        """Return the tree with a path to `structure`, and what it has at the end of that path."""
        top = at = self._top
        branch: _Branch | None = None
        key: Any = None
        for question, answer in (*path, (None, None)):
            if at is None:
                if question is None:
                    at = structure
                    self._structures.append(structure)
                else:
                    at = _Branch(question)
                    self._branches += 1
                if branch is None:
                    top = at
                else:
                    branch.answers[key] = at
            if isinstance(at, _Structure) or question is None:
                break
            if not at.question.is_like(question):
                self.distrust = "it does not ask the same of the same nodes"
                break
            branch, key = at, answer
            at = branch.answers.get(key)
        return top, at if isinstance(at, _Structure) else structure

    def _answer(self, staged: Residual, node: Apply, values: Sequence[Any]) -> Any:
        """Return the answer to `node`, or None if it takes a search to tell."""
        for plan in staged.answers:
            new = self._fitted(node, plan(values))
            if new is not False:
                return new
        return None if staged.reason else False

    def __str__(self) -> str:
        if self.distrust:
            return f"searched on every node: {self.distrust}"
        if not self._structures:
            return "no node met so far"
        staged = [structure.staged for structure in self._structures]
        reasons = Counter(s.reason for s in staged if s.reason)
        ruled_out = sum(s.fails for s in staged)
        special = len(staged) - ruled_out - reasons.total()
        lines = [
            f"structures met so far: {ruled_out} ruled out, {special} specialized, "
            f"{reasons.total()} left to search"
        ]
        lines.extend(f"  {_text(left)} → {_text(right)}" for s in staged for left, right in s.rules)
        lines.extend(f"  {count} × search: {reason}" for reason, count in reasons.items())
        return "\n".join(lines)


def _text(x: Any) -> str:
    text = str(x.as_term() if isinstance(x, VariableTracer) else x)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
