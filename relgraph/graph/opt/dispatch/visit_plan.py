"""Visit plans: which rewriters an equilibrium tries on the nodes of one structure, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.notation.numbers import number_key, number_of
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.utils import Memo


@dataclass(frozen=True, slots=True)
class VisitPlan:
    """What an equilibrium does on the nodes of one structure: one op, and one head of each input.

    A node of an associative and commutative op is called a sum here, and one that another sum of
    that op reads a nested sum.

    Attributes
    ----------
    idle
        Whether there is nothing to try.
    early, inward, late
        The rewriters to try at the visit; those of `LocalOptimizer.inward`, tried when no early one
        has anything left to do; and those of `LocalOptimizer.late`, tried after these.
    early_nested
        The early rewriters to try on a nested sum.
    unbounded
        The rewriters of unknown depth.
    is_sum
        Whether the node is a sum.
    has_nested_sum
        Whether an input is computed by the same op, and the node a sum.
    input_sum_ops
        The ops of the inputs that are sums.
    subsumes_nested
        Whether the node is a sum, and fewer rewriters are tried on it if it is nested.
    postpones
        Whether there are inward or late rewriters.
    by_numbers
        The plans to use instead, by the numbers among the inputs, if a rewriter requires one.
    """

    idle: bool
    early: tuple[LocalOptimizer, ...]
    inward: tuple[LocalOptimizer, ...]
    late: tuple[LocalOptimizer, ...]
    early_nested: tuple[LocalOptimizer, ...]
    unbounded: tuple[LocalOptimizer, ...]
    is_sum: bool
    has_nested_sum: bool
    input_sum_ops: frozenset[Op]
    subsumes_nested: bool
    postpones: bool
    by_numbers: PlansByNumbers | None = None


class PlansByNumbers:
    """The plans for the nodes of one structure, by the numbers among their inputs."""

    __slots__ = ("_bits", "_general", "_numbers", "_plans")

    def __init__(self, general: VisitPlan) -> None:
        self._general = general
        rewriters = (*general.early, *general.inward, *general.late)
        self._numbers = tuple(dict.fromkeys(n for r in rewriters for n in r.required_numbers))
        self._bits: Memo[Hashable, int] = Memo(100)
        self._plans: dict[int, VisitPlan] = {}

    def plan_for(self, node: Apply) -> VisitPlan:
        """The plan for `node`."""
        bits = 0
        for var in node.inputs:
            head = var.head
            if head is not None and (head is Constant or head.repeats is not None):
                number = number_of(var)
                if number is not None:
                    bits |= self._bits_of(number)
        found = self._plans.get(bits)
        if found is None:
            found = self._plans[bits] = self._plan(bits)
        return found

    def _bits_of(self, number: Any) -> int:
        """Return the bits of the required numbers that `number` is."""
        key = number_key(number)
        bits = self._bits.recall(key)
        if bits is None:
            bits = sum(1 << i for i, n in enumerate(self._numbers) if n.may_be(number))
            self._bits.keep(key, bits)
        return bits

    def _plan(self, bits: int) -> VisitPlan:
        here = {n for i, n in enumerate(self._numbers) if bits >> i & 1}
        return restricted(self._general, lambda r: r.required_numbers <= here)


def restricted(plan: VisitPlan, keep: Callable[[LocalOptimizer], bool]) -> VisitPlan:
    """A plan with only the rewriters of which `keep` holds."""
    groups = (plan.early, plan.inward, plan.late, plan.early_nested, plan.unbounded)
    early, inward, late, nested, unbounded = [
        tuple([r for r in group if keep(r)]) for group in groups
    ]
    idle = not early and not inward and not late
    subsumes = plan.is_sum and len(nested) < len(early)
    kind = plan.is_sum, plan.has_nested_sum, plan.input_sum_ops, subsumes, bool(inward or late)
    return VisitPlan(idle, early, inward, late, nested, unbounded, *kind)


def by_numbers(plan: VisitPlan) -> VisitPlan:
    """`plan`, with plans by number if one of its rewriters requires a number."""
    # a nested sum may have the number among its own arguments
    if plan.has_nested_sum or not any(
        r.required_numbers for r in (*plan.early, *plan.inward, *plan.late)
    ):
        return plan
    return replace(plan, by_numbers=PlansByNumbers(plan))
