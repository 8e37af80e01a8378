"""Rewriters by op: which ones track an op, and how many levels of nodes they look at."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.opt.base import WIDE, LocalOptimizer, Tracked
from relgraph.graph.opt.dispatch.memory import KeptCandidates, those_that_may_match
from relgraph.graph.utils import Memo

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

# The answers of so many rewriters are worth keeping together.
LARGE = 50

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
        of_op = len(node.inputs) >= WIDE and not is_ac(node.op)
        if self._parts is None:
            return self._asked(node, of_op)
        kept, others = self._parts
        found = kept.candidates(node, of_op)
        found += others.candidates(node)
        return tuple(sorted(found, key=self._places.__getitem__))

    def _asked(self, node: Apply, of_op: bool) -> tuple[LocalOptimizer, ...]:
        rewriters = self._of_op.recall(node.op)
        if rewriters is None:
            asked = those_that_may_match(self[node.op], node, True)
            rewriters = self._of_op.keep(node.op, asked)
        return rewriters if of_op else those_that_may_match(rewriters, node, False)

    @cached_property
    def _parts(self) -> tuple[KeptCandidates, Dispatch] | None:
        """The rewriters whose answers are kept, and the others; None if few are kept."""
        memories = {r.memory for r in self.rewriters if r.memory is not None}
        kept = [r for r in self.rewriters if r.memory is not None and r.name is not None]
        if len(memories) != 1 or len(kept) < LARGE:
            return None
        others = Dispatch([r for r in self.rewriters if r.memory is None or r.name is None])
        asked = Dispatch(kept) if others.rewriters else self
        return KeptCandidates(kept, memories.pop(), asked._asked), others

    @cached_property
    def required(self) -> frozenset[Any]:
        """The ops and classes that a rewriter requires to be in the graph."""
        return frozenset().union(*[r.required_ops for r in self.rewriters])

    @cached_property
    def _places(self) -> dict[LocalOptimizer, int]:
        return {rewriter: i for i, rewriter in enumerate(self.rewriters)}

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
        self._here: frozenset[Any] | None = None
        if ops is not None:
            here = frozenset([*ops, *(cls for op in ops for cls in type(op).__mro__)])
            # an op that no rewriter requires is not kept alive
            self._here = here & dispatch.required

    @cached_property
    def max_depth(self) -> int:
        return self._depth(self._dispatch.rewriters)

    def __missing__(self, op: Op) -> int:
        return self.keep(op, self._depth(self._dispatch[op]))

    def _depth(self, rewriters: Iterable[LocalOptimizer]) -> int:
        here, found = self._here, self._default
        for rewriter in rewriters:
            depth = depth_of(rewriter)
            if depth > found and (here is None or rewriter.required_ops <= here):
                found = depth
        return found


def depth_of(rewriter: LocalOptimizer) -> int:
    """How many levels of nodes a rewriter looks at."""
    return USUAL_DEPTH if rewriter.depth is None else rewriter.depth


def is_tracked_by(op: Op, tracked: Tracked) -> bool:
    """Whether `op` is the tracked Op, or of the tracked class."""
    return tracked in type(op).__mro__ if isinstance(tracked, type) else op == tracked
