"""MergeOptimizer: common subexpression elimination, also while a graph is copied."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TextIO

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt.base import GlobalOptimizer, LocalOptimizer, display_name
from relgraph.graph.opt.decorators import require_replace_validate
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.merge.hash_consing import (
    HashConsing,
    hash_consing_table,
    merge_pairs,
    replaceable_by,
)
from relgraph.graph.opt.profile.timing import callback_time, elapsed, validate_time
from relgraph.graph.opt.replacement import apply_replacement
from relgraph.graph.traversal import toposort_and_leaves
from relgraph.graph.utils import InconsistencyError

MERGE = "MergeOptimizer"


class MergeRecord(NamedTuple):
    """The profile of a MergeOptimizer: a tuple, as the documents show it.

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

    The two operands of a commutative op may be in either order; so may more operands if the dtype
    is exact. Of equal nodes the first in topological order is kept. A merge that a feature of the
    graph rejects (a value would be destroyed before it is used, say) is not made, and counted.
    """

    name = MERGE
    merges_first = True

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)

    def collapsing_first(self) -> tuple[RewriterTables, ...]:
        return ()

    def apply(self, fgraph: FunctionGraph) -> MergeRecord:
        require_replace_validate(fgraph)
        start, measured = time.perf_counter(), fgraph.profile is not None
        validating, calling = validate_time(fgraph), callback_time(fgraph)
        with hash_consing_table(fgraph) as table:
            merger = NodeMerger(fgraph, table)
            merger.merge_all(fgraph.toposort(with_orderings=False))
        return MergeRecord(
            merger.failed,
            time.perf_counter() - start,
            elapsed(validating, validate_time(fgraph)) if measured else None,
            elapsed(calling, callback_time(fgraph)) if measured else None,
            {},
            merger.merged,
            merger.constants,
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


class NodeMerger:
    """Merges nodes of a graph with equal ones in its hash-consing table, and counts the merges.

    Attributes
    ----------
    merged, constants
        How many nodes, and how many constants, were replaced by equal ones.
    failed
        How many merges were rejected.
    """

    def __init__(self, fgraph: FunctionGraph, table: HashConsing) -> None:
        self.fgraph = fgraph
        self.table = table
        self.failed = self.merged = self.constants = 0

    def merge_all(self, nodes: Iterable[Apply]) -> None:
        """Merge all nodes of the graph that are not in the table, given in topological order."""
        known, here = self.table.keys, self.fgraph.apply_nodes
        for node in nodes:
            if node not in known and node in here:
                self.merge_constants(node)
                self.merge(node)

    def merge_constants(self, node: Apply) -> bool:
        """Merge the constants that `node` reads; return whether that changed the graph."""
        constants, before = self.table.constants, self.constants
        for var in node.inputs:
            if var.head is Constant:
                known = constants.representative(var)
                if known is not var and var in self.fgraph.clients:
                    self.fgraph.replace(var, known, reason=MERGE)
                    self.constants += 1
        return self.constants != before

    def merge(self, node: Apply) -> Apply | None:
        """Merge `node`, which is not in the table, with an equal node.

        Returns
        -------
        kept
            The node that has replaced it, or None if it has stayed.
        """
        first = self.table.intern(node)
        if first is None:
            return None
        if replaceable_by(node, first):
            return first if self._replace(node, first) else None
        if replaceable_by(first, node) and self._replace(first, node):
            # the same computation, but the types of `node` are more specific
            self.table.intern(node)
        return None

    def collapse_all(self, nodes: Iterable[Apply]) -> None:
        """Apply the collapsing rewriters that wait to nodes given in topological order, as
        `merged_copy` does while it copies them; merge what is equal then."""
        table, here = self.table, self.fgraph.apply_nodes
        tables, table.waiting = table.waiting, None
        if tables is None:
            return
        for node in nodes:
            if node in here:
                self.merge_all((node,))
            if tables.dispatch[node.op] and node in table.keys:
                found = table.collapsed_form(node, tables.plan_for(node).early)
                if found is not None and self._collapse(node, *found):
                    table.collapsed[found[0]] += 1

    def _collapse(self, node: Apply, rewriter: LocalOptimizer, below: Variable) -> bool:
        """Replace the output of `node`; return whether no feature rejected that."""
        try:
            apply_replacement(self.fgraph, [(node.outputs[0], below)], [], display_name(rewriter))
        except InconsistencyError:
            return False
        return True

    def _replace(self, node: Apply, kept: Apply) -> bool:
        """Replace `node` by `kept`; return whether no feature rejected that."""
        pairs = merge_pairs(self.fgraph, node, kept)
        try:
            apply_replacement(self.fgraph, pairs, [], MERGE)
        except InconsistencyError:
            self.failed += 1
            return False
        self.merged += 1
        return True


def merged_copy(outputs: Sequence[Variable], tables: RewriterTables | None = None) -> FunctionGraph:
    """Return a merged copy of a graph, with the same inputs.

    It is what a `MergeOptimizer` makes of a copy, but equal nodes are never copied twice. The
    hash-consing table of the copy is attached to it, for the optimizers that follow.

    Parameters
    ----------
    outputs
        The outputs of the graph.
    tables
        Collapsing rewriters (see `LocalOptimizer`), which are applied to the copies of nodes.
    """
    table = HashConsing()
    order, leaves = toposort_and_leaves(outputs)
    inputs: list[Variable] = []
    copies: dict[Variable, Variable] = {}
    for var in leaves:
        if isinstance(var, Constant):
            copies[var] = table.constants.copy(var)
        else:
            copies[var] = var
            inputs.append(var)
    nodes = table.copy_nodes(order, copies, tables)
    results = [copies[v] for v in outputs]
    if table.collapsed:
        nodes = table.live_nodes(nodes, results)
    fgraph = FunctionGraph.of_nodes(inputs, nodes, results)
    fgraph.attach_feature(table)
    table.begin_with(tables)
    table.waiting = None
    return fgraph
