"""Rewriter tables: which rewriters to try on which nodes, and which nodes they inspect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.base import WIDE, LocalOptimizer, fullest_heads
from relgraph.graph.opt.dispatch.by_op import (
    DepthByOp,
    Dispatch,
    depth_of,
    flat_heads,
    is_ac,
    is_tracked_by,
)
from relgraph.graph.opt.dispatch.visit_plan import VisitPlan, by_numbers, restricted
from relgraph.graph.utils import Memo

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


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
    opaque_depths
        The same for the opaque rewriters: those that don't say which pairs of ops they inspect
        (see `LocalOptimizer.inspected_pairs`). 0 where there are none.
    opaque_depth
        How many levels any opaque rewriter looks at.
    """

    __slots__ = (
        "__dict__",
        "_affected",
        "_collapsing",
        "_depths_among",
        "_inspects",
        "_on_nested_sums",
        "_plans",
        "_superset",
        "_unions",
        "depths",
        "dispatch",
    )

    def __init__(
        self,
        rewriters: Iterable[LocalOptimizer],
        superset: RewriterTables | None = None,
    ) -> None:
        self._superset = superset
        self.dispatch = Dispatch(rewriters)
        self._collapsing: RewriterTables | None = None
        self._unions: dict[tuple[RewriterTables, ...], RewriterTables] = {}
        self._plans: Memo[tuple[Any, ...], VisitPlan] = Memo()
        self._affected: dict[tuple[frozenset[RewriterTables], int], RewriterTables] = {}
        self.depths = DepthByOp(self.dispatch)
        self._on_nested_sums: Memo[tuple[Any, ...], tuple[LocalOptimizer, ...]] = Memo()
        self._depths_among: Memo[frozenset[Op], DepthByOp] = Memo(WIDE)
        self._inspects: Memo[tuple[Op, Op], bool] = Memo()

    # Found out when they are asked for: of most tables they never are.

    @cached_property
    def bounded(self) -> frozenset[LocalOptimizer]:
        return frozenset(r for r in self.dispatch.rewriters if r.depth is not None)

    @cached_property
    def has_unbounded(self) -> bool:
        return any(r.depth is None for r in self.dispatch.rewriters)

    @cached_property
    def _pairs(self) -> frozenset[tuple[Any, Any]]:
        """The pairs of ops that the rewriters inspect, but for the opaque ones."""
        inspected = [r.inspected_pairs() for r in self.dispatch.rewriters]
        return frozenset(pair for pairs in inspected for pair in pairs or ())

    @cached_property
    def opaque_depths(self) -> DepthByOp:
        opaque = [r for r in self.dispatch.rewriters if r.inspected_pairs() is None]
        return DepthByOp(Dispatch(opaque), default=0)

    @cached_property
    def opaque_depth(self) -> int:
        deepest, found = self.depths.max_depth, 0
        for rewriter in self.dispatch.rewriters:
            if depth_of(rewriter) > found and rewriter.inspected_pairs() is None:
                found = depth_of(rewriter)
                if found == deepest:
                    break
        return found

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
        return found if found.by_numbers is None else found.by_numbers.plan_for(node)

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
        op, heads = node.op, flat_heads(fgraph, node)
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
        if self._superset is not None:
            here = set(self.dispatch.rewriters)
            general = self._superset._plan_for_structure(key, node)
            return by_numbers(restricted(general, here.__contains__))
        return by_numbers(self._general_plan(node))

    def _general_plan(self, node: Apply) -> VisitPlan:
        rewriters, heads = self.dispatch.candidates(node), [v.head for v in node.inputs]
        late = tuple(r for r in rewriters if r.late)
        inward = tuple(r for r in rewriters if r.inward and not r.late)
        early = tuple(r for r in rewriters if not r.late and not r.inward)
        is_sum = is_ac(node.op)
        return VisitPlan(
            not rewriters,
            early,
            inward,
            late,
            tuple(r for r in early if not r.subsumes_nested),
            tuple(r for r in rewriters if r.depth is None),
            is_sum,
            is_sum and node.op in heads,
            frozenset([head for head in heads if is_ac(head)]),
            is_sum and any(r.subsumes_nested for r in early),
            bool(inward or late),
        )

    def collapsing(self) -> RewriterTables:
        """The tables of the rewriters that collapse."""
        if self._collapsing is None:
            self._collapsing = RewriterTables(r for r in self.dispatch.rewriters if r.collapses)
        return self._collapsing

    def union(self, others: tuple[RewriterTables, ...]) -> RewriterTables:
        """The tables of these rewriters and those of other tables, each rewriter once."""
        found = self._unions.get(others)
        if found is None:
            if len(self._unions) >= WIDE:
                self._unions.clear()
            every = [r for tables in (self, *others) for r in tables.dispatch.rewriters]
            found = self._unions[others] = RewriterTables(dict.fromkeys(every))
        return found

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
        found = self._affected.get(key)
        if found is None:
            if len(self._affected) >= WIDE:
                self._affected.clear()
            idle = {r for tables in tried for r in tables.bounded}
            every = self.dispatch.rewriters
            left = [r for r in every if r not in idle or r.depth is None or r.depth > distance]
            found = self if len(left) == len(every) else RewriterTables(left, self)
            self._affected[key] = found
        return found

    def inspects(self, outer: Op, inner: Op) -> bool:
        """Whether a rewriter looks at the inputs of a node of `inner` that one of `outer` reads.

        Opaque rewriters do not count.
        """
        found = self._inspects.recall((outer, inner))
        if found is None:
            found = (
                inner.repeats is not None
                or (outer is inner and is_ac(outer))
                or any(is_tracked_by(outer, a) and is_tracked_by(inner, b) for a, b in self._pairs)
            )
            self._inspects.keep((outer, inner), found)
        return found

    def depths_among(self, ops: frozenset[Op]) -> DepthByOp:
        """How many levels of nodes the rewriters look at in a graph that has only these ops."""
        found = self._depths_among.recall(ops)
        return (
            self._depths_among.keep(ops, DepthByOp(self.dispatch, ops)) if found is None else found
        )


def union_of(tables: Sequence[RewriterTables]) -> RewriterTables | None:
    """The tables of the rewriters of all given tables; None if none are given."""
    return tables[0].union(tuple(tables[1:])) if tables else None
