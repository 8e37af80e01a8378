"""A closed relation as the functions compiled from its rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.rules.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules.extraction import Extraction
from relgraph.graph.kanren.rules.rule import rule_might_match
from relgraph.graph.op import Op
from relgraph.graph.traversal import equal_computations

CROSS_CHECKS = 2


class CompiledRelation:
    """The compiled rules of a relation, tried in order.

    A relation may do with a node what no list of rules says, by a Python test for example. So the
    first nodes that it meets are searched as well, and whoever uses this compares.

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
        self.unchecked = CROSS_CHECKS
        self._ruled_out: Counter[Op] = Counter()

    def might_match(self, node: Apply) -> bool:
        """Return whether a rule fits some node of the structure of `node`."""
        return any(rule_might_match(rule, node) for rule in self.rules)

    def is_trusted(self, node: Apply) -> bool:
        """Return whether it has been seen often enough that what fits no rule has no answer either,
        for nodes with the op of `node`; counts the call."""
        self._ruled_out[node.op] += 1
        return self._ruled_out[node.op] > CROSS_CHECKS

    def transform(self, fgraph: Any, node: Apply) -> Any:
        """Return the answer of the first rule that has one, or False.

        Return None where several have one, and which comes first takes a search to tell.
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
        """Return whether what the rules gave is what the search gave; counts the comparison."""
        self.unchecked -= 1
        return alike(answer, searched)


def alike(answer: Any, searched: Any) -> bool:
    """Return whether two answers of a local optimizer for a node with one output are the same."""
    if answer is False or searched is False:
        return answer is searched
    return isinstance(searched, list) and equal_computations(answer, searched)
