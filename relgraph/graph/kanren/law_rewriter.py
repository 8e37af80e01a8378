"""A law in one direction, as a local optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.rules.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules.rule import Rule, fits_sum, is_bag, rule_fits

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
        self.depth, self.regroups = rule.depth, rule.regroups
        self.late, self.inward = law.late, law.inward
        self.numbers, self.wants = rule.numbers, rule.heads
        self.collapses = rule.collapses

    def tracks(self) -> list[Any] | None:
        return None if self.rule.root is None else [self.rule.root]

    def looks_into(self) -> frozenset[tuple[Any, Any]] | None:
        return self.rule.looks_into

    def might_match(self, node: Apply) -> bool:
        return rule_fits(self.rule, node)

    def fits_sum(self, heads: Sequence[Any]) -> bool:
        return not self.rule.regroup or not is_bag(self.rule.root) or fits_sum(self.rule, heads)

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

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "transform"}
