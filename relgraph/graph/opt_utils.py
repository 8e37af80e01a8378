"""The address under which the documents promise these two; `relgraph.compile` defines them."""

from relgraph.compile.optimize import is_same_graph, optimize_graph

__all__ = ["is_same_graph", "optimize_graph"]
