"""The address under which the documents promise it; `features.destroy_handler` defines it."""

from relgraph.graph.features.destroy_handler import DestroyHandler, MutableInputs

__all__ = ["DestroyHandler", "MutableInputs"]
