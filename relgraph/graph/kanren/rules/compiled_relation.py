"""A closed relation, compiled: one Python function for each of its rules."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.rules.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules.extraction import Extraction
from relgraph.graph.kanren.rules.prefilter import rule_might_match
from relgraph.graph.op import Op
from relgraph.graph.traversal import equal_computations
from relgraph.graph.utils import Memo

CROSS_CHECKS = 2
"""On how many nodes a result that was found without a search is compared with one."""


class CompiledRelation:
    """The compiled rules of a closed relation, tried in order.

    A relation may do more than its rules say, by a Python test on a node for example. So its caller
    searches the first nodes as well, and compares the answers.

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

    def __init__(self, extraction: Extraction) -> None:
        if extraction.status != "closed":
            raise NotCompilable(extraction.reason)
        self.rules = extraction.rules
        self._ordered = extraction.ordered
        self._functions = [compile_rule(rule) for rule in extraction.rules]
        self.checks_left = CROSS_CHECKS
        self._ruled_out: Memo[Op, int] = Memo()

    def might_match(self, node: Apply) -> bool:
        """Return whether a rule may match some node of the structure of `node`."""
        return any(rule_might_match(rule, node) for rule in self.rules)

    def is_trusted(self, node: Apply) -> bool:
        """Return whether nodes of this op that fit no rule have been searched often enough.

        Each call counts as one.
        """
        ruled_out = (self._ruled_out.recall(node.op) or 0) + 1
        self._ruled_out.keep(node.op, ruled_out)
        return ruled_out > CROSS_CHECKS

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the answer of the first rule that has one, or False.

        Return None if several rules have one, and only a search can tell which comes first.
        """
        found = False
        for function in self._functions:
            answer = function(fgraph, node)
            if answer is not False:
                if self._ordered:
                    return answer
                if found is not False:
                    return None
                found = answer
        return found

    def agrees(self, answer: Any, searched: Any) -> bool:
        """Return whether the answers of the rules and of a search are the same; count the check."""
        self.checks_left -= 1
        return same_answer(answer, searched)


def same_answer(answer: Any, searched: Any) -> bool:
    """Return whether two answers of local optimizers, for a node with one output, are the same."""
    if answer is False or searched is False:
        return answer is searched
    return isinstance(searched, list) and equal_computations(answer, searched)
