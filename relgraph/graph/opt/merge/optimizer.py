"""MergeOptimizer: what is computed twice is computed once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TextIO

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt.base import GlobalOptimizer
from relgraph.graph.opt.decorators import require_replace_validate
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.merge.hash_consing import HashConsing, hashed, merge_pairs, replaceable_by
from relgraph.graph.opt.profile.timing import callback_time, since, validate_time
from relgraph.graph.opt.replacement import apply_replacement
from relgraph.graph.traversal import toposort_and_leaves
from relgraph.graph.utils import InconsistencyError

MERGE = "MergeOptimizer"


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

    name = MERGE
    merges_first = True

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)

    def collapsing(self) -> tuple[RewriterTables, ...]:
        return ()

    def apply(self, fgraph: FunctionGraph) -> MergeRecord:
        require_replace_validate(fgraph)
        start, measured = time.perf_counter(), fgraph.profile is not None
        validating, calling = validate_time(fgraph), callback_time(fgraph)
        with hashed(fgraph) as table:
            merging = Merging(fgraph, table)
            merging.visit_all(fgraph.toposort())
        return MergeRecord(
            merging.failed,
            time.perf_counter() - start,
            since(validating, validate_time(fgraph)) if measured else None,
            since(calling, callback_time(fgraph)) if measured else None,
            {},
            merging.merged,
            merging.constants,
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


class Merging:
    """The merging of nodes of a graph that are not in its table yet, and counts of what was done.

    Attributes
    ----------
    merged, constants
        How many nodes and constants another one has taken the place of.
    failed
        How many merges were rejected.
    """

    def __init__(self, fgraph: FunctionGraph, table: HashConsing) -> None:
        self.fgraph = fgraph
        self.table = table
        self.failed = self.merged = self.constants = 0

    def visit_all(self, nodes: Iterable[Apply]) -> None:
        """Visit all the nodes of the graph, given in topological order."""
        known, here = self.table.keys, self.fgraph.apply_nodes
        for node in nodes:
            if node not in known and node in here:
                self.visit_constants(node)
                self.visit(node)

    def visit_constants(self, node: Apply) -> bool:
        """Let the first constant of each type and value stand for those that `node` reads; whether
        that changed the graph."""
        constants, before = self.table.constants, self.constants
        for var in node.inputs:
            if var.head is Constant:
                known = constants.representative(var)
                if known is not var and var in self.fgraph.clients:
                    self.fgraph.replace(var, known, reason=MERGE)
                    self.constants += 1
        return self.constants != before

    def visit(self, node: Apply) -> Apply | None:
        """Merge `node`, which is not in the table, with one that computes the same.

        Returns
        -------
        twin
            The node that has taken its place, or None if it has kept it.
        """
        first = self.table.twin(node)
        if first is None:
            return None
        if replaceable_by(node, first):
            return first if self._replace(node, first) else None
        if replaceable_by(first, node) and self._replace(first, node):
            # Same computation, but `node` knows more about its type.
            self.table.twin(node)
        return None

    def _replace(self, node: Apply, twin: Apply) -> bool:
        """Let `twin` take the place of `node`, unless a feature objects."""
        pairs = merge_pairs(self.fgraph, node, twin)
        try:
            apply_replacement(self.fgraph, pairs, [], MERGE)
        except InconsistencyError:
            self.failed += 1
            return False
        self.merged += 1
        return True


def merged_copy(outputs: Sequence[Variable], tables: RewriterTables | None = None) -> FunctionGraph:
    """Return a copy of a graph in which nothing is computed twice.

    It is what a `MergeOptimizer` makes of a copy, without the copies of what it would remove. The
    graph has the table of its nodes attached, for the optimizers to come (see `hashed`).

    Parameters
    ----------
    tables
        Rewriters that collapse (see `LocalOptimizer`), which are applied on the way.
    """
    table = HashConsing()
    order, leaves = toposort_and_leaves(outputs)
    inputs: list[Variable] = []
    copies: dict[Variable, Variable] = {}
    for var in leaves:
        if isinstance(var, Constant):
            copies[var] = table.constants.copy(var)
        else:
            copies[var] = copy = var.clone()
            inputs.append(copy)
    nodes = table.copies(order, copies, tables)
    results = [copies[v] for v in outputs]
    if table.collapsed:
        nodes = table.needed(nodes, results)
    fgraph = FunctionGraph.of_nodes(inputs, nodes, results)
    fgraph.attach_feature(table)
    return fgraph
