"""Which rewriters look at the nodes of an Op, and how far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Tracked

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

# Patterns are not as wide as this, so that all nodes that are look the same to them.
WIDE = 32

# Ops made by the thousand (one for each inner graph) must not pile up in a long-lived table.
LIMIT = 10_000

# A rewriter that does not say how deep it looks most often looks at a node and what it reads.
USUAL_DEPTH = 2


def is_bag(head: Any) -> bool:
    """Whether the head of a variable is an op whose arguments are a bag."""
    known = head is not None and head is not Constant
    return known and bool(head.associative and head.commutative)


def heads_of_terms(fgraph: FunctionGraph | None, node: Apply) -> list[Any]:
    """The heads of the arguments of a sum, those of the sums of its op that are nested in it and
    that nothing else reads in their place; and the op itself, for nested sums that somebody may
    leave whole. Without a graph, nobody knows who else reads a sum, and each is taken apart."""
    op, heads = node.op, [node.op]
    seen: set[Variable] = set()
    stack = list(node.inputs)
    while stack:
        var = stack.pop()
        whole = var in seen if fgraph is None else len(fgraph.clients[var]) != 1
        if var.head is op and var.owner is not None and not whole:
            seen.add(var)
            stack += var.owner.inputs
        else:
            heads.append(var.head)
    return heads


class Dispatch(dict[Op, tuple[LocalOptimizer, ...]]):
    """An ordered group of LocalOptimizers, looked up by Op.

    The answer for an Op (those that track it, its class or a base class, and those that track
    nothing in particular, in the order given) is made once and kept.
    """

    def __init__(self, rewriters: Iterable[LocalOptimizer]):
        super().__init__()
        self.rewriters = tuple(rewriters)

    def on(self, node: Apply) -> tuple[LocalOptimizer, ...]:
        """The rewriters that may match `node`, and others of its structure."""
        rewriters = self[node.op]
        if len(node.inputs) >= WIDE and not is_bag(node.op):
            return rewriters
        return tuple([r for r in rewriters if r.might_match(node)])

    def __missing__(self, op: Op) -> tuple[LocalOptimizer, ...]:
        if len(self) >= LIMIT:
            self.clear()
        found = self[op] = tuple(r for r in self.rewriters if tracks_op(r, op))
        return found


class Reaches(dict[Op, int]):
    """By op, how many levels of nodes the rewriters for its nodes look at: those that may do
    something in a graph of some ops.

    Attributes
    ----------
    deepest
        How many levels any of them looks at.

    Parameters
    ----------
    ops
        Those of the graph; any if None.
    default
        What is said of the nodes of an op for which there are no rewriters.
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
        self.deepest = self._deepest(dispatch.rewriters)

    def __missing__(self, op: Op) -> int:
        if len(self) >= LIMIT:
            self.clear()
        found = self[op] = self._deepest(self._dispatch[op])
        return found

    def _deepest(self, rewriters: Iterable[LocalOptimizer]) -> int:
        here = self._here
        admitted = [r for r in rewriters if here is None or r.wants <= here]
        depths = [USUAL_DEPTH if r.depth is None else r.depth for r in admitted]
        return max(depths, default=self._default)


def tracks_op(rewriter: LocalOptimizer, op: Op) -> bool:
    """Whether `rewriter` wants to see nodes of `op`."""
    tracks = rewriter.tracks()
    return tracks is None or any(is_one(op, tracked) for tracked in tracks)


def is_one(op: Op, tracked: Tracked) -> bool:
    """Whether `op` is what a rewriter wants to see: that Op, or one of that class."""
    return isinstance(op, tracked) if isinstance(tracked, type) else op == tracked
