"""The graph container that rewriting works on."""

from relgraph.graph.fg.graph import FunctionGraph, outputs_of
from relgraph.graph.fg.structure import Client
from relgraph.graph.utils import MissingInputError

__all__ = ["Client", "FunctionGraph", "MissingInputError", "outputs_of"]
