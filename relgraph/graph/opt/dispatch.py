"""Which rewriters to try on a node, by its Op."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer


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


def tracks_op(rewriter: LocalOptimizer, op: Op) -> bool:
    """Whether `rewriter` wants to see nodes of `op`."""
    tracks = rewriter.tracks()
    return tracks is None or any(
        isinstance(op, t) if isinstance(t, type) else op == t for t in tracks
    )
