"""What an equilibrium does on the nodes of one structure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.notation.numbers import number_key, number_of
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.opt.dispatch.by_op import LIMIT


@dataclass(frozen=True, slots=True)
class Plan:
    """What an equilibrium does on the nodes of one structure.

    Attributes
    ----------
    idle
        Whether there is nothing to do.
    early, inward, late
        The rewriters to try at once; those to try when these have nothing left to do, because they
        take something inwards; and those to try after that.
    nested
        Of the early ones, those to try on a sum that only another sum reads.
    unknown
        Those that may depend on anything, however far from the node.
    bag
        Whether the op is one whose arguments are a bag; the node is called a sum then.
    postpones
        Whether some of them are to be tried when others have nothing left to do.
    regroups
        Whether it is a sum, and some of the early ones are not to be tried on it if it is nested.
    nest
        Whether an input is computed by the same op.
    sums
        The ops of those inputs that are sums.
    by_numbers
        What knows better if some of them want a number among the arguments.
    """

    idle: bool
    early: tuple[LocalOptimizer, ...]
    inward: tuple[LocalOptimizer, ...]
    late: tuple[LocalOptimizer, ...]
    nested: tuple[LocalOptimizer, ...]
    unknown: tuple[LocalOptimizer, ...]
    bag: bool
    nest: bool
    sums: frozenset[Op]
    regroups: bool
    postpones: bool
    by_numbers: ByNumbers | None = None


class ByNumbers:
    """The plans for nodes of one structure, which differ in the numbers among their arguments."""

    __slots__ = ("_bits", "_numbers", "_plans", "_whole")

    def __init__(self, whole: Plan) -> None:
        self._whole = whole
        rewriters = (*whole.early, *whole.inward, *whole.late)
        self._numbers = tuple(dict.fromkeys(n for r in rewriters for n in r.numbers))
        self._bits: dict[Hashable, int] = {}
        self._plans: dict[int, Plan] = {}

    def on(self, node: Apply) -> Plan:
        """What to do on `node`."""
        bits = 0
        for var in node.inputs:
            head = var.head
            if head is not None and (head is Constant or head.repeats is not None):
                number = number_of(var)
                if number is not None:
                    bits |= self._told(number)
        found = self._plans.get(bits)
        if found is None:
            found = self._plans[bits] = self._plan(bits)
        return found

    def _told(self, number: Any) -> int:
        """Return which of the numbers that rewriters want this is."""
        key = number_key(number)
        bits = self._bits.get(key)
        if bits is None:
            if len(self._bits) >= LIMIT:
                self._bits.clear()
            bits = sum(1 << i for i, n in enumerate(self._numbers) if n.is_value(number))
            self._bits[key] = bits
        return bits

    def _plan(self, bits: int) -> Plan:
        here = {n for i, n in enumerate(self._numbers) if bits >> i & 1}
        return narrowed(self._whole, lambda r: r.numbers <= here)


def narrowed(plan: Plan, wanted: Callable[[LocalOptimizer], bool]) -> Plan:
    """What is left of a plan of which only some rewriters are wanted."""
    groups = (plan.early, plan.inward, plan.late, plan.nested, plan.unknown)
    early, inward, late, nested, unknown = [
        tuple([r for r in group if wanted(r)]) for group in groups
    ]
    idle = not early and not inward and not late
    regroups = plan.bag and len(nested) < len(early)
    kind = plan.bag, plan.nest, plan.sums, regroups, bool(inward or late)
    return Plan(idle, early, inward, late, nested, unknown, *kind)


def by_numbers(plan: Plan) -> Plan:
    """The same plan, which tells apart nodes with different numbers if a rewriter does."""
    # the numbers may be arguments of a sum in the sum
    if plan.nest or not any(r.numbers for r in (*plan.early, *plan.inward, *plan.late)):
        return plan
    return replace(plan, by_numbers=ByNumbers(plan))
