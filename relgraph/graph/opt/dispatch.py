"""Which rewriters to try on a node, by its Op."""

from __future__ import annotations

from collections.abc import Iterable

from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer


class Dispatch:
    """An ordered group of LocalOptimizers, looked up by Op.

    The answer for an Op (those that track it, its class or a base class, and those that track
    nothing in particular, in the order given) is made once and kept.
    """

    __slots__ = ("_by_op", "rewriters")

    # Ops made by the thousand (one for each inner graph) must not pile up in a long-lived group.
    LIMIT = 10_000

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        self.rewriters = tuple(rewriters)
        self._by_op: dict[Op, tuple[LocalOptimizer, ...]] = {}

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
