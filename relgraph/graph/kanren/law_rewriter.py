"""LawRewriter: one direction of a law as a local optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.function_memory import FunctionMemory
from relgraph.graph.kanren.relation_rewriter import KanrenRelationSub
from relgraph.graph.kanren.rules.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.rules.prefilter import (
    rule_might_match,
    rule_might_match_op,
    rule_might_match_sum,
)
from relgraph.graph.kanren.rules.rule import Rule, is_ac

if TYPE_CHECKING:
    from relgraph.graph.kanren.laws import Law


class _AttributeOfRule:
    """An attribute of the rule, found out when it is first asked for.

    Most laws of a phase are about ops that a graph has not.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, rewriter: Any, owner: type) -> Any:
        if rewriter is None:
            return self
        found = rewriter.__dict__[self._name] = getattr(rewriter.rule, self._name)
        return found


def _of_rule() -> Any:
    return _AttributeOfRule()


class LawRewriter(KanrenRelationSub):
    """One direction of a law as a local optimizer.

    Its rule is compiled when it is first used; a law that can't be compiled is searched on each
    node.

    Attributes
    ----------
    law
        The law.
    rule
        The rule of this direction.
    functions
        Where its function is kept for other processes; None if it is not.
    """

    functions: FunctionMemory | None = None

    depth = _of_rule()
    subsumes_nested = _of_rule()
    collapses = _of_rule()
    required_numbers = _of_rule()
    required_ops = _of_rule()

    def __init__(self, law: Law, rule: Rule, goal: Callable[[Any, Any], Any]) -> None:
        super().__init__(goal, name=rule.name)
        self.law = law
        self.rule = rule
        self.late, self.inward = law.late, law.inward

    def tracks(self) -> list[Any] | None:
        return None if self.rule.root is None else [self.rule.root]

    def inspected_pairs(self) -> frozenset[tuple[Any, Any]] | None:
        return self.rule.inspected_pairs

    def might_match_op(self, node: Apply) -> bool:
        return rule_might_match_op(self.rule, node.op)

    def might_match(self, node: Apply) -> bool:
        return rule_might_match(self.rule, node)

    def might_match_sum(self, heads: Sequence[Any]) -> bool:
        rule = self.rule
        return not rule.regroup or not is_ac(rule.root) or rule_might_match_sum(rule, heads)

    def transform(self, fgraph: Any, node: Apply) -> Any:
        # the compiled function hides this method: one call less for each node
        self.__dict__["transform"] = run = self._function()
        return run(fgraph, node)

    def _function(self) -> Callable[[Any, Apply], Any]:
        kept = self.functions
        try:
            compiled = compile_rule(self.rule) if kept is None else kept.compiled(self.rule)
        except NotCompilable:
            return self.search
        if getattr(self.rule.root, "nout", None) == 1 or self.rule.output is not None:
            return compiled
        # on a node with several outputs, each output that is used may match
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
