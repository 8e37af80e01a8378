"""Dispatch: which rewriters to try on a node, by its op and the heads and numbers of its inputs.

`Dispatch` looks them up by op, `RewriterTables` by structure, which gives a `VisitPlan`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.kanren.matching import flat_arguments
from relgraph.graph.kanren.rules import is_ac
from relgraph.graph.notation import number_key, number_of
from relgraph.graph.op import WIDE, Op, fullest_heads
from relgraph.graph.opt.base import LocalOptimizer, Tracked
from relgraph.graph.utils import Memo

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class VisitPlan:
    """What an equilibrium does on the nodes of one structure: one op, and one head of each input.

    A node of an associative and commutative op is called a sum here, and one that another sum of
    that op reads a nested sum.

    Attributes
    ----------
    idle
        Whether there is nothing to try.
    rewriters
        All rewriters, in the order in which they were given.
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
    numbers
        The numbers that rewriters require among the inputs. If there are any, the plan for a node
        is that of `with_numbers_of`.
    """

    def __init__(
        self,
        rewriters: Sequence[LocalOptimizer],
        is_sum: bool = False,
        has_nested_sum: bool = False,
        input_sum_ops: frozenset[Op] = frozenset(),
    ) -> None:
        self.idle = not rewriters
        self.rewriters = tuple(rewriters)
        self.late = tuple([r for r in rewriters if r.late])
        self.inward = tuple([r for r in rewriters if r.inward and not r.late])
        self.early = tuple([r for r in rewriters if not r.late and not r.inward])
        self.early_nested = tuple([r for r in self.early if not r.subsumes_nested])
        self.unbounded = tuple([r for r in rewriters if r.depth is None])
        self.is_sum, self.has_nested_sum = is_sum, has_nested_sum
        self.input_sum_ops = input_sum_ops
        self.subsumes_nested = is_sum and len(self.early_nested) < len(self.early)
        self.postpones = bool(self.inward or self.late)
        required = [] if has_nested_sum else [n for r in rewriters for n in r.required_numbers]
        # a nested sum may have the number among its own arguments
        self.numbers = tuple(dict.fromkeys(required))
        self._bits: Memo[Hashable, int] = Memo(100)
        self._by_bits: dict[int, VisitPlan] = {}

    def only(self, keep: Callable[[LocalOptimizer], bool]) -> VisitPlan:
        """A plan with only the rewriters of which `keep` holds."""
        kept = [r for r in self.rewriters if keep(r)]
        return VisitPlan(kept, self.is_sum, self.has_nested_sum, self.input_sum_ops)

    def with_numbers_of(self, node: Apply) -> VisitPlan:
        """The plan for `node`, without the rewriters that require a number which it has not."""
        bits = 0
        for var in node.inputs:
            head = var.head
            if head is not None and (head is Constant or head.repeats is not None):
                number = number_of(var)
                if number is not None:
                    bits |= self._bits_of(number)
        found = self._by_bits.get(bits)
        if found is None:
            here = {n for i, n in enumerate(self.numbers) if bits >> i & 1}
            found = self._by_bits[bits] = self.only(lambda r: r.required_numbers <= here)
        return found

    def _bits_of(self, number: Any) -> int:
        """Return the bits of the required numbers that `number` is."""
        key = number_key(number)
        bits = self._bits.recall(key)
        if bits is None:
            bits = sum(1 << i for i, n in enumerate(self.numbers) if n.may_be(number))
            self._bits.keep(key, bits)
        return bits


# Most rewriters of unknown depth look at a node and at what computes its inputs.
USUAL_DEPTH = 2


class Dispatch(Memo[Op, tuple[LocalOptimizer, ...]]):
    """An ordered group of LocalOptimizers, looked up by op.

    An op is given those that track it, its class or a base class, and those that track everything,
    in the order of the group. The answer is computed once.
    """

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        super().__init__()
        self.rewriters = tuple(rewriters)
        self._of_op: Memo[Op, tuple[LocalOptimizer, ...]] = Memo()

    def candidates(self, node: Apply) -> tuple[LocalOptimizer, ...]:
        """The rewriters that may match `node`, or another node of its structure."""
        rewriters = self._of_op.recall(node.op)
        if rewriters is None:
            asked = tuple([r for r in self[node.op] if r.might_match_op(node)])
            rewriters = self._of_op.keep(node.op, asked)
        if len(node.inputs) >= WIDE and not is_ac(node.op):
            return rewriters
        return tuple([r for r in rewriters if r.might_match(node)])

    def __missing__(self, op: Op) -> tuple[LocalOptimizer, ...]:
        places = self._by_tracked
        chosen: set[int] = set()
        for tracked in (None, op, *type(op).__mro__):
            chosen.update(places.get(tracked, ()))
        return self.keep(op, tuple([self.rewriters[i] for i in sorted(chosen)]))

    @cached_property
    def _by_tracked(self) -> dict[Tracked | None, list[int]]:
        """The places of the rewriters by the ops and classes that they track; None for all."""
        places: dict[Tracked | None, list[int]] = {}
        for i, rewriter in enumerate(self.rewriters):
            tracks = rewriter.tracks()
            for tracked in (None,) if tracks is None else tracks:
                places.setdefault(tracked, []).append(i)
        return places


class DepthByOp(Memo[Op, int]):
    """By op, how many levels of nodes its rewriters look at."""

    def __init__(self, dispatch: Dispatch) -> None:
        super().__init__()
        self._dispatch = dispatch

    def __missing__(self, op: Op) -> int:
        depths = [USUAL_DEPTH if r.depth is None else r.depth for r in self._dispatch[op]]
        return self.keep(op, max(depths, default=1))


class MayCollapse(Memo[Op, bool]):
    """By op, whether one of its rewriters may collapse a node. Sums never do."""

    def __init__(self, dispatch: Dispatch) -> None:
        super().__init__()
        self._dispatch = dispatch

    def __missing__(self, op: Op) -> bool:
        found = not is_ac(op) and any(r.collapses for r in self._dispatch[op])
        return self.keep(op, found)


class RewriterTables:
    """Which of some rewriters an equilibrium tries on which nodes, and how far they look.

    The answers are kept by the structure of the nodes, so the tables should live as long as the
    rewriters.

    Parameters
    ----------
    rewriters
        The rewriters, in the order in which they are tried.
    superset
        Tables of these rewriters and others, from whose plans those of these tables are taken.

    Attributes
    ----------
    bounded
        The rewriters of known depth.
    has_unbounded
        Whether there are others.
    dispatch
        The rewriters by op.
    depths
        How many levels of nodes they look at, by op.
    may_collapse
        Whether they may collapse a node, by op.
    """

    def __init__(
        self,
        rewriters: Iterable[LocalOptimizer],
        superset: RewriterTables | None = None,
    ) -> None:
        self._superset = superset
        self.dispatch = Dispatch(rewriters)
        self._unions: Memo[tuple[RewriterTables, ...], RewriterTables] = Memo(WIDE)
        self._plans: Memo[tuple[Any, ...], VisitPlan] = Memo()
        self._affected: Memo[tuple[frozenset[RewriterTables], int], RewriterTables] = Memo(WIDE)
        self.depths = DepthByOp(self.dispatch)
        self.may_collapse = MayCollapse(self.dispatch)
        self._on_nested_sums: Memo[tuple[Any, ...], tuple[LocalOptimizer, ...]] = Memo()

    # Computed on first use: of most tables they are never needed.

    @cached_property
    def bounded(self) -> frozenset[LocalOptimizer]:
        return frozenset(r for r in self.dispatch.rewriters if r.depth is not None)

    @cached_property
    def has_unbounded(self) -> bool:
        return any(r.depth is None for r in self.dispatch.rewriters)

    def plan_for(self, node: Apply) -> VisitPlan:
        """What to try on `node`, by its op, and the heads and numbers of its inputs."""
        op, inputs = node.op, node.inputs
        count = len(inputs)
        key: tuple[Any, ...]
        if count == 1:
            key = (op, inputs[0].head)
        elif count == 2:
            key = (op, inputs[0].head, inputs[1].head)
        elif is_ac(op):
            # the order of the heads does not count, nor how often each is there
            key = (op, min(count, WIDE), frozenset([v.head for v in inputs]))
        elif count < WIDE:
            key = (op, *[v.head for v in inputs])
        else:
            key = (op, WIDE)
        found = self._plans.get(key)
        if found is None:
            found = self._plan_for_structure(key, node)
        return found.with_numbers_of(node) if found.numbers else found

    def _plan_for_structure(self, key: tuple[Any, ...], node: Apply) -> VisitPlan:
        """The plan for all nodes with the key of `node`."""
        found = self._plans.recall(key)
        return self._plans.keep(key, self._made_plan(key, node)) if found is None else found

    def on_nested_sums(
        self, fgraph: FunctionGraph | None, node: Apply, plan: VisitPlan
    ) -> tuple[LocalOptimizer, ...]:
        """The rewriters of a plan to try on a sum after the sums nested in it are done.

        Those that don't subsume nested sums have been tried before, unless they are late.
        """
        op = node.op
        heads = [v.head for v in flat_arguments(fgraph, node)[0]]
        kinds = frozenset(heads)
        key = (plan.early, plan.late, op, kinds, len(kinds) < len(heads))
        found = self._on_nested_sums.recall(key)
        if found is None:
            fullest = fullest_heads(heads, same_count=False)
            early = [r for r in plan.early if r.subsumes_nested and r.might_match_sum(fullest)]
            # late ones may flatten, so the nested sums are told too
            late = [r for r in plan.late if r.might_match_sum((op, *fullest))]
            found = self._on_nested_sums.keep(key, (*early, *late))
        return found

    def _made_plan(self, key: tuple[Any, ...], node: Apply) -> VisitPlan:
        if self._superset is None:
            heads, is_sum = [v.head for v in node.inputs], is_ac(node.op)
            sums = frozenset([head for head in heads if is_ac(head)])
            nested = is_sum and node.op in heads
            return VisitPlan(self.dispatch.candidates(node), is_sum, nested, sums)
        here = set(self.dispatch.rewriters)
        return self._superset._plan_for_structure(key, node).only(here.__contains__)

    @cached_property
    def collapsing(self) -> RewriterTables:
        """The tables of the rewriters that collapse or flatten."""
        return RewriterTables(r for r in self.dispatch.rewriters if r.collapses or r.flattens)

    @cached_property
    def flattening(self) -> dict[Any, LocalOptimizer]:
        """The rewriters that flatten sums, by op."""
        return {op: r for r in self.dispatch.rewriters if r.flattens for op in r.tracks() or ()}

    def union(self, others: tuple[RewriterTables, ...]) -> RewriterTables:
        """The tables of these rewriters and those of other tables, each rewriter once."""
        found = self._unions.recall(others)
        if found is not None:
            return found
        every = [r for tables in (self, *others) for r in tables.dispatch.rewriters]
        return self._unions.keep(others, RewriterTables(dict.fromkeys(every)))

    def affected(self, tried: frozenset[RewriterTables], distance: int) -> RewriterTables:
        """The tables of the rewriters worth trying on a node after a change below it.

        Parameters
        ----------
        tried
            Tables whose rewriters did nothing on the node before the change.
        distance
            How many levels below the node the change is.

        Returns
        -------
        tables
            These very tables if all their rewriters are worth it.
        """
        key = (tried, distance)
        found = self._affected.recall(key)
        if found is not None:
            return found
        idle = {r for tables in tried for r in tables.bounded}
        every = self.dispatch.rewriters
        left = [r for r in every if r not in idle or r.depth is None or r.depth > distance]
        all_left = len(left) == len(every)
        return self._affected.keep(key, self if all_left else RewriterTables(left, self))


def union_of(tables: Sequence[RewriterTables]) -> RewriterTables | None:
    """The tables of the rewriters of all given tables; None if none are given."""
    return tables[0].union(tuple(tables[1:])) if tables else None
