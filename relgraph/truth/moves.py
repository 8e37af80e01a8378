"""Ops that only move elements."""

from __future__ import annotations

from relgraph.graph.basic import Apply
from relgraph.tensor.assembly.creation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.subtensor import BaseIncSubtensor, Subtensor
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape

# The positions of the inputs that hold the elements (None: all inputs).
_MOVED_INPUTS: dict[type, tuple[int, ...] | None] = {
    AdvancedSubtensor: (0,),
    Alloc: (0,),
    DimShuffle: (0,),
    Join: None,
    Reshape: (0,),
    SpecifyShape: (0,),
    Split: (0,),
    Subtensor: (0,),
    BaseIncSubtensor: (0, 1),
}


def moved_inputs(node: Apply) -> tuple[int, ...] | None:
    """Return the positions of the inputs whose elements a node moves to its output.

    Returns
    -------
    positions
        None if the node computes new elements.
    """
    for cls, places in _MOVED_INPUTS.items():
        if isinstance(node.op, cls):
            return tuple(range(len(node.inputs))) if places is None else places
    return None
