"""Which rewriters to try on a node, by its Op and what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.opt.dispatch.by_op import (
    LIMIT,
    WIDE,
    Dispatch,
    Reaches,
    heads_of_terms,
    is_bag,
    is_one,
)
from relgraph.graph.opt.dispatch.plan import Plan, by_numbers, narrowed

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class RewriterTables:
    """Which of some rewriters an equilibrium tries on which nodes, and how far they see.

    What is found out about the structures of nodes is kept, so that it pays to keep the tables for
    as long as the rewriters.

    Attributes
    ----------
    unknown
        Whether some of them may depend on anything, however far from the node.
    bounded
        The others.
    dispatch
        They themselves, by op.
    reaches
        How many levels of nodes they look at, by op.
    blind_reaches
        The same for those that don't tell what they look into; 0 if all do.
    blind
        How many levels any of those looks at.
    """

    __slots__ = (
        "_collapsing",
        "_concerned",
        "_nests",
        "_pairs",
        "_plans",
        "_reaches_among",
        "_seen",
        "_together",
        "_whole",
        "blind",
        "blind_reaches",
        "bounded",
        "dispatch",
        "reaches",
        "unknown",
    )

    def __init__(
        self,
        rewriters: Iterable[LocalOptimizer],
        whole: RewriterTables | None = None,
    ) -> None:
        every = tuple(rewriters)
        self._whole = whole
        self.bounded = frozenset(r for r in every if r.depth is not None)
        self.unknown = len(self.bounded) < len(set(every))
        self.dispatch = Dispatch(every)
        self._collapsing: RewriterTables | None = None
        self._together: dict[tuple[RewriterTables, ...], RewriterTables] = {}
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._concerned: dict[tuple[frozenset[RewriterTables], int], RewriterTables] = {}
        self.reaches = Reaches(self.dispatch)
        self._nests: dict[tuple[Any, ...], tuple[LocalOptimizer, ...]] = {}
        self._reaches_among: dict[frozenset[Op], Reaches] = {}
        told = [(r, r.looks_into()) for r in every]
        self._pairs = frozenset(pair for _, pairs in told for pair in pairs or ())
        self._seen: dict[tuple[Op, Op], bool] = {}
        silent = Dispatch(r for r, pairs in told if pairs is None)
        self.blind_reaches = Reaches(silent, default=0)
        self.blind = self.blind_reaches.deepest

    def on(self, node: Apply) -> Plan:
        """What to do on `node`, by its op, and the heads and numbers of its inputs."""
        op, inputs = node.op, node.inputs
        count = len(inputs)
        key: tuple[Any, ...]
        if count == 1:
            key = (op, inputs[0].head)
        elif count == 2:
            key = (op, inputs[0].head, inputs[1].head)
        elif is_bag(op):
            # of a bag it matters which heads there are, not where
            key = (op, min(count, WIDE), frozenset([v.head for v in inputs]))
        elif count < WIDE:
            key = (op, *[v.head for v in inputs])
        else:
            key = (op, WIDE)
        found = self._plans.get(key)
        if found is None:
            found = self._on_structure(key, node)
        return found if found.by_numbers is None else found.by_numbers.on(node)

    def _on_structure(self, key: tuple[Any, ...], node: Apply) -> Plan:
        """What to do on nodes like `node`, which have this key."""
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= LIMIT:
                self._plans.clear()
            found = self._plans[key] = self._plan(key, node)
        return found

    def on_nest(
        self, fgraph: FunctionGraph | None, node: Apply, plan: Plan
    ) -> tuple[LocalOptimizer, ...]:
        """Those of the early rewriters of a plan to try on `node`, a sum with sums nested in it,
        when these have come to rest; the others have been tried."""
        heads = heads_of_terms(fgraph, node)
        kinds = frozenset(heads)
        key = (plan.early, kinds, len(kinds) < len(heads))
        found = self._nests.get(key)
        if found is None:
            if len(self._nests) >= LIMIT:
                self._nests.clear()
            told = [*kinds, *kinds] if len(kinds) < len(heads) else heads
            found = self._nests[key] = tuple(
                [r for r in plan.early if r.regroups and r.fits_sum(told)]
            )
        return found

    def _plan(self, key: tuple[Any, ...], node: Apply) -> Plan:
        if self._whole is not None:
            here = set(self.dispatch.rewriters)
            return by_numbers(narrowed(self._whole._on_structure(key, node), here.__contains__))
        return by_numbers(self._whole_plan(node))

    def _whole_plan(self, node: Apply) -> Plan:
        rewriters, heads = self.dispatch.on(node), [v.head for v in node.inputs]
        late = tuple(r for r in rewriters if r.late)
        inward = tuple(r for r in rewriters if r.inward and not r.late)
        early = tuple(r for r in rewriters if not r.late and not r.inward)
        bag = is_bag(node.op)
        return Plan(
            not rewriters,
            early,
            inward,
            late,
            tuple(r for r in early if not r.regroups),
            tuple(r for r in rewriters if r.depth is None),
            bag,
            bag and node.op in heads,
            frozenset([head for head in heads if is_bag(head)]),
            bag and any(r.regroups for r in early),
            bool(inward or late),
        )

    def collapsing(self) -> RewriterTables:
        """The tables of those that collapse."""
        if self._collapsing is None:
            self._collapsing = RewriterTables(r for r in self.dispatch.rewriters if r.collapses)
        return self._collapsing

    def together_with(self, others: tuple[RewriterTables, ...]) -> RewriterTables:
        """The tables of these rewriters and those of others, each once."""
        found = self._together.get(others)
        if found is None:
            if len(self._together) >= WIDE:
                self._together.clear()
            every = [r for tables in (self, *others) for r in tables.dispatch.rewriters]
            found = self._together[others] = RewriterTables(dict.fromkeys(every))
        return found

    def concerned(self, tried: frozenset[RewriterTables], distance: int) -> RewriterTables:
        """The tables of the rewriters that may do something on nodes on which those of `tried` did
        nothing before a change so many levels below; these tables, if that is all."""
        key = (tried, distance)
        found = self._concerned.get(key)
        if found is None:
            if len(self._concerned) >= WIDE:
                self._concerned.clear()
            idle = {r for tables in tried for r in tables.bounded}
            every = self.dispatch.rewriters
            left = [r for r in every if r not in idle or r.depth is None or r.depth > distance]
            found = self if len(left) == len(every) else RewriterTables(left, self)
            self._concerned[key] = found
        return found

    def see_into(self, outer: Op, inner: Op) -> bool:
        """Whether some rewriter looks at the inputs of a node of `inner` that one of `outer` reads.

        That is among those that tell; see `blind` for the others.
        """
        found = self._seen.get((outer, inner))
        if found is None:
            if len(self._seen) >= LIMIT:
                self._seen.clear()
            found = self._seen[outer, inner] = (
                inner.repeats is not None
                or (outer is inner and is_bag(outer))
                or any(is_one(outer, a) and is_one(inner, b) for a, b in self._pairs)
            )
        return found

    def reaches_among(self, ops: frozenset[Op]) -> Reaches:
        """How many levels of nodes those look at that may do something where there are no other
        ops than these."""
        found = self._reaches_among.get(ops)
        if found is None:
            if len(self._reaches_among) >= LIMIT:
                self._reaches_among.clear()
            found = self._reaches_among[ops] = Reaches(self.dispatch, ops)
        return found


def together(tables: Sequence[RewriterTables]) -> RewriterTables | None:
    """The tables of the rewriters of all tables, each once; None if there are no tables."""
    return tables[0].together_with(tuple(tables[1:])) if tables else None
