"""Rewriters by op: which ones track an op, and how many levels of nodes they look at."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Tracked
from relgraph.graph.opt.dispatch.memory import those_that_may_match

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

# No pattern has this many arguments, so nodes with as many inputs are not told apart.
WIDE = 32

# Ops made by the thousand (one for each inner graph) must not pile up in a long-lived table.
LIMIT = 10_000

# Most rewriters of unknown depth look at a node and at what computes its inputs.
USUAL_DEPTH = 2


def is_ac(head: Any) -> bool:
    """Whether the head of a variable is an associative and commutative op."""
    known = head is not None and head is not Constant
    return known and bool(head.associative and head.commutative)


def flat_heads(fgraph: FunctionGraph | None, node: Apply) -> list[Any]:
    """The heads of the arguments of a sum once the sums nested in it are flattened.

    A nested sum is flattened if nothing else reads it; without a graph that is not known, and each
    one is. The op of the sum is among the heads too, since a rewriter need not flatten.
    """
    op, heads = node.op, [node.op]
    seen: set[Variable] = set()
    stack = list(node.inputs)
    while stack:
        var = stack.pop()
        kept = var in seen if fgraph is None else len(fgraph.clients[var]) != 1
        if var.head is op and var.owner is not None and not kept:
            seen.add(var)
            stack += var.owner.inputs
        else:
            heads.append(var.head)
    return heads


class Dispatch(dict[Op, tuple[LocalOptimizer, ...]]):
    """An ordered group of LocalOptimizers, looked up by op.

    An op is given those that track it, its class or a base class, and those that track everything,
    in the order of the group. The answer is computed once.
    """

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        super().__init__()
        self.rewriters = tuple(rewriters)
        self._of_op: dict[Op, tuple[LocalOptimizer, ...]] = {}

    def candidates(self, node: Apply) -> tuple[LocalOptimizer, ...]:
        """The rewriters that may match `node`, or another node of its structure."""
        rewriters = self._of_op.get(node.op)
        if rewriters is None:
            if len(self._of_op) >= LIMIT:
                self._of_op.clear()
            rewriters = self._of_op[node.op] = those_that_may_match(self[node.op], node, True)
        if len(node.inputs) >= WIDE and not is_ac(node.op):
            return rewriters
        return those_that_may_match(rewriters, node, False)

    def __missing__(self, op: Op) -> tuple[LocalOptimizer, ...]:
        if len(self) >= LIMIT:
            self.clear()
        own, others = self._by_tracked
        chosen = [*own.get(op, ()), *(i for i in others if tracks_op(self.rewriters[i], op))]
        found = self[op] = tuple([self.rewriters[i] for i in sorted(chosen)])
        return found

    @cached_property
    def _by_tracked(self) -> tuple[dict[Op, list[int]], list[int]]:
        """The places of the rewriters that track one op alone, by that op; and of all others."""
        own: dict[Op, list[int]] = {}
        others: list[int] = []
        for i, rewriter in enumerate(self.rewriters):
            tracks = rewriter.tracks()
            if tracks is not None and len(tracks) == 1 and isinstance(tracks[0], Op):
                own.setdefault(tracks[0], []).append(i)
            else:
                others.append(i)
        return own, others


class DepthByOp(dict[Op, int]):
    """By op, how many levels of nodes its rewriters look at.

    Attributes
    ----------
    max_depth
        How many levels any of the rewriters looks at.

    Parameters
    ----------
    ops
        The ops of a graph: rewriters that require another op do not count. All count if None.
    default
        The depth of an op without rewriters.
    """

    def __init__(
        self, dispatch: Dispatch, ops: Iterable[Op] | None = None, default: int = 1
    ) -> None:
        super().__init__()
        self._dispatch = dispatch
        self._default = default
        self._here: set[Any] | None = None
        if ops is not None:
            self._here = {*ops, *(cls for op in ops for cls in type(op).__mro__)}
        self.max_depth = self._depth(dispatch.rewriters)

    def __missing__(self, op: Op) -> int:
        if len(self) >= LIMIT:
            self.clear()
        found = self[op] = self._depth(self._dispatch[op])
        return found

    def _depth(self, rewriters: Iterable[LocalOptimizer]) -> int:
        here = self._here
        admitted = [r for r in rewriters if here is None or r.required_ops <= here]
        depths = [USUAL_DEPTH if r.depth is None else r.depth for r in admitted]
        return max(depths, default=self._default)


def tracks_op(rewriter: LocalOptimizer, op: Op) -> bool:
    """Whether `rewriter` tracks `op`."""
    tracks = rewriter.tracks()
    return tracks is None or any(is_tracked_by(op, tracked) for tracked in tracks)


def is_tracked_by(op: Op, tracked: Tracked) -> bool:
    """Whether `op` is the tracked Op, or of the tracked class."""
    return tracked in type(op).__mro__ if isinstance(tracked, type) else op == tracked
