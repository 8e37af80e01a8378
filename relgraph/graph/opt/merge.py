"""MergeOptimizer: what is computed twice is computed once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.opt.base import GlobalOptimizer
from relgraph.graph.opt.functions import require_replace_validate
from relgraph.graph.opt.hashcons import ConstantTable, merge_pairs, node_key, replaceable_by
from relgraph.graph.opt.timing import callback_time, since, validate_time
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class MergeRecord(NamedTuple):
    """What a MergeOptimizer did; the tuple that the documents show.

    `validate_time` and `callback_time` are None unless the graph is profiled (`fgraph.profile`).
    """

    nb_fail: int
    apply_time: float
    validate_time: float | None
    callback_time: float | None
    callbacks_time: dict[Any, float]
    nb_merged: int
    nb_constant: int

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class MergeOptimizer(GlobalOptimizer):
    """Merge nodes that apply the same op to the same inputs, and constants of the same value.

    The two operands of a commutative op may stand in either order; so may more of them where the
    dtype is exact. The first node met, in topological order, stays. A merge that the graph's
    features reject (a value would be destroyed before it is used, say) is left out and counted.
    """

    name = "MergeOptimizer"

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)

    def apply(self, fgraph: FunctionGraph) -> MergeRecord:
        require_replace_validate(fgraph)
        start, measured = time.perf_counter(), fgraph.profile is not None
        validating, calling = validate_time(fgraph), callback_time(fgraph)
        sweep = _Sweep(fgraph)
        for node in fgraph.toposort():
            sweep.visit(node)
        return MergeRecord(
            sweep.failed,
            time.perf_counter() - start,
            since(validating, validate_time(fgraph)) if measured else None,
            since(calling, callback_time(fgraph)) if measured else None,
            {},
            sweep.merged,
            sweep.constants,
        )

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        indent = "    " * level
        print(f"{indent}{cls.__name__}", file=stream)
        for label, value in (
            ("nb fail", prof.nb_fail),
            ("merged", prof.nb_merged),
            ("constant", prof.nb_constant),
            ("time", f"{prof.apply_time:.6f}"),
            ("validate_time", prof.validate_time),
            ("callback_time", prof.callback_time),
        ):
            print(f"{indent}    {label} {value}", file=stream)


class _Sweep:
    """One pass over a graph, with what it has met so far."""

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.fgraph = fgraph
        self.first: dict[tuple[Any, ...], Apply] = {}
        self.table = ConstantTable()
        self.failed = self.merged = self.constants = 0

    def visit(self, node: Apply) -> None:
        for var in node.inputs:
            if var.head is Constant:
                self.merge_constant(var)
        first = self.first.setdefault(node_key(node), node)
        if first is node:
            return
        if replaceable_by(node, first):
            self.merged += self.replace(node, first)
        elif replaceable_by(first, node):
            # Same computation, but `node` knows more about its type.
            self.first[node_key(node)] = node
            self.merged += self.replace(first, node)

    def merge_constant(self, constant: Constant) -> None:
        known = self.table.representative(constant)
        if known is not constant and constant in self.fgraph.clients:
            self.fgraph.replace(constant, known, reason="MergeOptimizer")
            self.constants += 1

    def replace(self, node: Apply, twin: Apply) -> bool:
        """Let `twin` take the place of `node`, unless a feature objects."""
        try:
            pairs = merge_pairs(self.fgraph, node, twin)
            self.fgraph.replace_all_validate(pairs, reason="MergeOptimizer")
        except InconsistencyError:
            self.failed += 1
            return False
        return True
