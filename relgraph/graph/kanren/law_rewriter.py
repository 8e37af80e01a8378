"""A law in one direction, as a local optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.relation_rewriter import KanrenRelationSub
from relgraph.graph.kanren.rules.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules.rule import Rule, is_ac, might_match_sum, rule_might_match

if TYPE_CHECKING:
    from relgraph.graph.kanren.laws import Law


class LawRewriter(KanrenRelationSub):
    """A law in one direction, as a local optimizer.

    It runs as a function compiled from its rule when it is first used; a law that can't be
    compiled is searched on each node.

    Attributes
    ----------
    law
        The law.
    rule
        What it comes down to in this direction.
    """

    def __init__(self, law: Law, rule: Rule, goal: Callable[[Any, Any], Any]) -> None:
        super().__init__(goal, name=rule.name)
        self.law = law
        self.rule = rule
        self.depth, self.subsumes_nested = rule.depth, rule.subsumes_nested
        self.late, self.inward = law.late, law.inward
        self.required_numbers, self.required_ops = rule.required_numbers, rule.required_ops
        self.collapses = rule.collapses

    def tracks(self) -> list[Any] | None:
        return None if self.rule.root is None else [self.rule.root]

    def inspected_pairs(self) -> frozenset[tuple[Any, Any]] | None:
        return self.rule.inspected_pairs

    def might_match(self, node: Apply) -> bool:
        return rule_might_match(self.rule, node)

    def might_match_sum(self, heads: Sequence[Any]) -> bool:
        return (
            not self.rule.regroup or not is_ac(self.rule.root) or might_match_sum(self.rule, heads)
        )

    def transform(self, fgraph: Any, node: Apply) -> Any:
        # the function takes the place of this method: one call less on each node
        self.__dict__["transform"] = run = self._function()
        return run(fgraph, node)

    def _function(self) -> Callable[[Any, Apply], Any]:
        try:
            compiled = compile_rule(self.rule)
        except NotCompilable:
            return self.search
        if getattr(self.rule.root, "nout", None) == 1 or self.rule.output is not None:
            return compiled
        # of a node with several outputs each one that is used may match
        return lambda fgraph, node: (
            compiled(fgraph, node) if len(node.outputs) == 1 else self.search(fgraph, node)
        )

    def __copy__(self) -> LawRewriter:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> LawRewriter:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        backward = self.rule.name != self.law.name
        return getattr, (self.law, "backward" if backward else "forward")
