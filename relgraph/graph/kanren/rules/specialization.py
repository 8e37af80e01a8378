"""Specialization of an open relation for the structures of the nodes that it meets.

The questions that the relation asked of nodes form a decision tree, with its residual for each
structure at the leaves. For a node of a known structure there is no search: its answers to the
questions lead to the residual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.rules.compiled_relation import CROSS_CHECKS, same_answer
from relgraph.graph.kanren.staging.partial_evaluation import (
    Relation,
    Residual,
    StagingMismatch,
    asks_heads_only,
    fails_on,
    partially_evaluate,
)
from relgraph.graph.kanren.staging.tracers import (
    AnsweredQuestion,
    Question,
    Trace,
    VariableTracer,
    initial_values,
)

MAX_BRANCHES = 500
"""How many questions are kept; all are forgotten when there are more."""
MAX_TEXT = 100
"""How long a term may be in a report."""

Transform = Callable[[Any, Apply], Any]


class _Branch:
    """An inner node of the tree: a question, with a subtree for each answer."""

    __slots__ = ("answers", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answers: dict[Any, _Tree] = {}


class _Leaf:
    """A leaf of the tree: the residual for the nodes of one structure.

    Attributes
    ----------
    path
        The questions that lead to it, with their answers.
    checks_left
        On how many more nodes the residual is to be compared with a search.
    confirmations_left
        For how many more ops a search is to find no answer either, if the residual has none.
    """

    __slots__ = ("checks_left", "confirmations_left", "path", "residual")

    def __init__(self, residual: Residual, path: Sequence[AnsweredQuestion]) -> None:
        self.residual = residual
        self.path = path
        self.checks_left = self.confirmations_left = CROSS_CHECKS


_Tree = _Branch | _Leaf | None


class Specialization:
    """The residuals of an open relation for the structures of the nodes that it has met.

    A relation may depend on more of a node than the trace records. So the first nodes of each
    structure are searched as well, and if that gives another answer, all nodes are from then on.

    Parameters
    ----------
    relation
        The relation.
    search
        A function of a graph and a node with one output, which defines what `transform` returns.
    fitted
        A function of a node and an answer: the list that replaces the outputs of the node, or
        False.

    Attributes
    ----------
    fallback_reason
        Why all nodes are searched; empty if they aren't.
    max_depth
        How many levels of nodes the relation has looked at.
    """

    def __init__(
        self, relation: Relation, search: Transform, fitted: Callable[[Apply, Any], Any]
    ) -> None:
        self.fallback_reason = ""
        self.max_depth = 0
        self._relation = relation
        self._search = search
        self._fitted = fitted
        self._leaves: list[_Leaf] = []
        self._branches = 0
        self._tree: _Tree = None

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the first answer that can replace the output of `node`, as a list, or False."""
        if self.fallback_reason:
            return self._search(fgraph, node)
        try:
            leaf, values = self._leaf_for(fgraph, node)
            answer = None if leaf is None else self._answer(leaf.residual, node, values)
        except Exception:
            # a search may end before it comes to the error; if it doesn't it will raise it
            answer = None
        if answer is None or leaf is None:
            return self._search(fgraph, node)
        if leaf.checks_left:
            leaf.checks_left -= 1
            searched = self._search(fgraph, node)
            if not same_answer(answer, searched):
                self.fallback_reason = f"on {node} it gave another answer than on a tracer for it"
            return searched
        return answer

    def might_match_op(self, node: Apply) -> bool:
        """Return whether some node with the op of `node` may have an answer."""
        return self._may_answer(node, heads_of_inputs=False)

    def might_match(self, node: Apply) -> bool:
        """Return whether some node with the op and heads of `node` may have an answer."""
        return self._may_answer(node, heads_of_inputs=True)

    def _may_answer(self, node: Apply, heads_of_inputs: bool) -> bool:
        if self.fallback_reason:
            return True
        try:
            leaf, values = self._leaf_for(None, node)
            if leaf is None or not leaf.residual.fails:
                return True
            if not asks_heads_only(leaf.path, values, node, heads_of_inputs):
                return True
            if not leaf.confirmations_left:
                return False
            leaf.confirmations_left -= 1
            return not fails_on(self._relation, node)
        except StagingMismatch:
            self.fallback_reason = f"on {node} it has an answer, and on a tracer for it none"
            return True
        except Exception:
            return True

    def _leaf_for(self, fgraph: Any, node: Apply) -> tuple[_Leaf | None, list[Any]]:
        """Return the leaf for the structure of `node`, and the values known of `node`, by slot.

        A new structure is traced.
        """
        values = initial_values(node.outputs[0], fgraph)
        at = self._tree
        while type(at) is _Branch:
            at = at.answers.get(at.question.answer(values))
        if type(at) is _Leaf:
            return at, values
        if self._branches >= MAX_BRANCHES:
            self._tree, self._leaves, self._branches = None, [], 0
        trace = Trace(node.outputs[0], fgraph)
        leaf = _Leaf(partially_evaluate(self._relation, trace), trace.path)
        self.max_depth = max(self.max_depth, trace.max_depth)
        # the tree must not keep this node alive
        values, trace.values = trace.values, []
        self._tree, kept = self._inserted(trace.path, leaf)
        return (None if self.fallback_reason else kept), values

    def _inserted(self, path: Sequence[AnsweredQuestion], leaf: _Leaf) -> tuple[_Tree, _Leaf]:
        """Return the tree with `leaf` at the end of `path`, and the leaf that is there."""
        top = at = self._tree
        branch: _Branch | None = None
        key: Any = None
        for question, answer in (*path, (None, None)):
            if at is None:
                if question is None:
                    at = leaf
                    self._leaves.append(leaf)
                else:
                    at = _Branch(question)
                    self._branches += 1
                if branch is None:
                    top = at
                else:
                    branch.answers[key] = at
            if isinstance(at, _Leaf) or question is None:
                break
            if not at.question.is_same(question):
                self.fallback_reason = "it does not ask the same of the same nodes"
                break
            branch, key = at, answer
            at = branch.answers.get(key)
        return top, at if isinstance(at, _Leaf) else leaf

    def _answer(self, residual: Residual, node: Apply, values: Sequence[Any]) -> Any:
        """Return the answer for `node`, or None if only a search can tell."""
        for plan in residual.answers:
            new = self._fitted(node, plan(values))
            if new is not False:
                return new
        return None if residual.reason else False

    def __str__(self) -> str:
        if self.fallback_reason:
            return f"searched on every node: {self.fallback_reason}"
        if not self._leaves:
            return "no node met so far"
        residuals = [leaf.residual for leaf in self._leaves]
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
