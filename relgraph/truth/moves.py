"""Ops that only move elements."""

from __future__ import annotations

from functools import cache
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.tensor.assembly import Alloc, Join, Split
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.shapes import Reshape, SpecifyShape
from relgraph.tensor.subtensor import BaseIncSubtensor, Subtensor

_ALL = object()

# The positions of the inputs that hold the elements.
_MOVED_INPUTS: dict[type, Any] = {
    AdvancedSubtensor: (0,),
    Alloc: (0,),
    DimShuffle: (0,),
    ExtractDiag: (0,),
    Join: _ALL,
    Reshape: (0,),
    SpecifyShape: (0,),
    Split: (0,),
    Subtensor: (0,),
    BaseIncSubtensor: (0, 1),
    SetDiagonal: (0, 1),
}


def moved_inputs(node: Apply) -> tuple[int, ...] | None:
    """Return the positions of the inputs whose elements a node moves to its output.

    Returns
    -------
    positions
        None if the node computes new elements.
    """
    op_class: Any = type(node.op)
    places = _places(op_class)
    return tuple(range(len(node.inputs))) if places is _ALL else places


@cache
def _places(op_class: type) -> Any:
    return next((p for cls, p in _MOVED_INPUTS.items() if issubclass(op_class, cls)), None)
