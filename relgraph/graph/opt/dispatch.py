"""Which rewriters to try on a node, by its Op."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Tracked


class Dispatch:
    """An ordered group of LocalOptimizers, looked up by Op.

    The answer for an Op (those that track it, its class or a base class, and those that track
    nothing in particular, in the order given) is made once and kept.
    """

    __slots__ = ("_by_op", "_by_structure", "rewriters")

    # Patterns are not as wide as this, so that all nodes that are look the same to them.
    WIDE = 32

    # Ops made by the thousand (one for each inner graph) must not pile up in a long-lived group.
    LIMIT = 10_000

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        self.rewriters = tuple(rewriters)
        self._by_op: dict[Op, tuple[LocalOptimizer, ...]] = {}
        self._by_structure: dict[Any, tuple[LocalOptimizer, ...]] = {}

    def on(self, node: Apply) -> tuple[LocalOptimizer, ...]:
        """The rewriters that may match `node`, by its op and the heads of its inputs."""
        op, inputs = node.op, node.inputs
        count = len(inputs)
        key: Any
        if count == 1:
            key = (op, inputs[0].head)
        elif count == 2:
            key = (op, inputs[0].head, inputs[1].head)
        elif op.commutative and op.associative:
            # of a bag it matters which heads there are, not where
            key = (op, min(count, self.WIDE), frozenset([v.head for v in inputs]))
        elif count < self.WIDE:
            key = (op, *[v.head for v in inputs])
        else:
            return self[op]
        found = self._by_structure.get(key)
        return self._for_structure(key, node) if found is None else found

    def _for_structure(self, key: Any, node: Apply) -> tuple[LocalOptimizer, ...]:
        if len(self._by_structure) >= self.LIMIT:
            self._by_structure.clear()
        found = tuple(r for r in self[node.op] if r.might_match(node))
        self._by_structure[key] = found
        return found

    def __getitem__(self, op: Op) -> tuple[LocalOptimizer, ...]:
        found = self._by_op.get(op)
        if found is None:
            if len(self._by_op) >= self.LIMIT:
                self._by_op.clear()
            found = self._by_op[op] = tuple(r for r in self.rewriters if tracks_op(r, op))
        return found


class RewriterTables:
    """Which of some rewriters an equilibrium tries on which nodes, and how far they see.

    What is found out about the structures of nodes is kept, so that it pays to keep the tables for
    as long as the rewriters.

    Attributes
    ----------
    early, late
        Those to try at once, and those to try when the others have nothing left to do.
    nested
        Of the early ones, those to try on a sum that only another sum reads.
    unknown
        Those that may depend on anything, however far from the node.
    blind
        How many levels are looked at by those that don't tell what they look into; 0 if all do.
    """

    __slots__ = ("_pairs", "_reach", "_seen", "blind", "early", "late", "nested", "unknown")

    # A rewriter that does not say how deep it looks most often looks at a node and what it reads.
    USUAL_DEPTH = 2

    def __init__(self, rewriters: Iterable[LocalOptimizer]) -> None:
        every = tuple(rewriters)
        self.early = Dispatch(r for r in every if not r.late)
        self.late = Dispatch(r for r in every if r.late)
        self.nested = Dispatch(r for r in every if not r.late and not r.regroups)
        self.unknown = Dispatch(r for r in every if r.depth is None)
        self._reach: dict[Any, int] = {None: self._deepest(every)}
        told = [(r, r.looks_into()) for r in every]
        self._pairs = frozenset(pair for _, pairs in told for pair in pairs or ())
        self._seen: dict[tuple[Op, Op], bool] = {}
        silent = [r for r, pairs in told if pairs is None]
        self.blind = self._deepest(silent) if silent else 0

    def see_into(self, outer: Op, inner: Op) -> bool:
        """Whether some rewriter looks at the inputs of a node of `inner` that one of `outer` reads.

        That is among those that tell; see `blind` for the others.
        """
        found = self._seen.get((outer, inner))
        if found is None:
            if len(self._seen) >= Dispatch.LIMIT:
                self._seen.clear()
            found = self._seen[outer, inner] = (
                inner.repeats is not None
                or (outer is inner and outer.associative and outer.commutative)
                or any(_is_one(outer, a) and _is_one(inner, b) for a, b in self._pairs)
            )
        return found

    def reach(self, op: Any) -> int:
        """How many levels of nodes the rewriters for nodes of `op` look at; None: for any node."""
        found = self._reach.get(op)
        if found is None:
            if len(self._reach) > Dispatch.LIMIT:
                self._reach = {None: self._reach[None]}
            found = self._reach[op] = self._deepest((*self.early[op], *self.late[op]))
        return found

    def _deepest(self, rewriters: Iterable[LocalOptimizer]) -> int:
        depths = [self.USUAL_DEPTH if r.depth is None else r.depth for r in rewriters]
        return max(depths, default=1)


def tracks_op(rewriter: LocalOptimizer, op: Op) -> bool:
    """Whether `rewriter` wants to see nodes of `op`."""
    tracks = rewriter.tracks()
    return tracks is None or any(_is_one(op, tracked) for tracked in tracks)


def _is_one(op: Op, tracked: Tracked) -> bool:
    return isinstance(op, tracked) if isinstance(tracked, type) else op == tracked
