"""A feature that finds nodes by their op."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph.features.feature import Bookkeeper, Feature

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.op import Op


class NodeFinder(Bookkeeper):
    """Adds ``fgraph.get_nodes(op)``: the nodes that apply `op`, found without a search."""

    def __init__(self) -> None:
        self._by_op: dict[Op, dict[Apply, None]] = {}

    def clone(self) -> Feature:
        return type(self)()

    def on_attach(self, fgraph: FunctionGraph) -> None:
        fgraph.publish(self, get_nodes=self.get_nodes)
        self._by_op.clear()
        super().on_attach(fgraph)

    def on_detach(self, fgraph: FunctionGraph) -> None:
        self._by_op.clear()

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._by_op.setdefault(node.op, {})[node] = None

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        nodes = self._by_op[node.op]
        del nodes[node]
        if not nodes:
            del self._by_op[node.op]

    def get_nodes(self, op: Op) -> list[Apply]:
        """Return the nodes that apply `op`, in the order in which they came in."""
        return list(self._by_op.get(op, ()))
