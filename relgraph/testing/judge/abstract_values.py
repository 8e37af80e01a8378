"""How what is known of the elements of an op's inputs carries over to those of its output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.tensor.along_axes.repetition import Cumulate
from relgraph.tensor.assembly.allocation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.contraction import Product
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.subtensor import Increment, Subtensor
from relgraph.tensor.nnet import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape

Array = np.ndarray[Any, Any]

# Ops that move elements, and which of their inputs hold them; None: all.
MOVERS: dict[type, tuple[int, ...] | None] = {
    AdvancedSubtensor: (0,),
    Alloc: (0,),
    DimShuffle: (0,),
    Join: None,
    Reshape: (0,),
    SpecifyShape: (0,),
    Split: (0,),
    Subtensor: (0,),
}


def moved_inputs(node: Apply) -> tuple[int, ...] | None:
    """Return which inputs of `node` hold the elements that it moves, or None if it does more."""
    for cls, places in MOVERS.items():
        if isinstance(node.op, cls):
            return tuple(range(len(node.inputs))) if places is None else places
    if isinstance(node.op, Increment):
        return (0, 1)
    return None


def carried(
    node: Apply, marks: Sequence[Array], values: Sequence[Array], shape: tuple[int, ...]
) -> Array:
    """Return for each element of the output the largest mark among the elements it comes from.

    Parameters
    ----------
    marks
        An array for each input, of its shape: truth values, or numbers from 0 on.
    values
        The values of the inputs, which say which elements are moved where.
    shape
        The shape of the output.

    Where an op is not known to go element by element, all elements of its inputs count.
    """
    op: Any = node.op
    if isinstance(op, Elemwise):
        unread = op.scalar_op.unread
        read = [m for i, m in enumerate(marks) if i not in unread]
        out = read[0]
        for mark in read[1:]:
            out = np.maximum(out, mark)
        return np.broadcast_to(out, shape)
    if isinstance(op, CAReduce):
        axes = op.axes(values[0].ndim)
        return np.asarray(np.max(marks[0], axis=axes, initial=0)).astype(marks[0].dtype)
    moved = moved_inputs(node)
    if moved is not None and len(node.outputs) == 1:
        inputs = [marks[i] if i in moved else v for i, v in enumerate(values)]
        storage: list[list[Any]] = [[None]]
        op.perform(node, inputs, storage)
        return np.asarray(storage[0][0])
    along = _along_axes(op, marks, shape)
    if along is not None:
        return along
    most = max((m.max() for m in marks if m.size), default=0)
    return np.full(shape, most)


def _along_axes(op: Any, marks: Sequence[Array], shape: tuple[int, ...]) -> Array | None:
    """Return what is carried by an op that goes along some axes, or None if `op` is none."""
    if isinstance(op, Product):
        left, right = (m.astype("float64") for m in marks)
        most = np.maximum(np.matmul(left, right * 0 + 1), np.matmul(left * 0 + 1, right))
        return np.asarray(most > 0 if marks[0].dtype.kind == "b" else most)
    if isinstance(op, LogSumExp | LogSoftmax | Softmax | Cumulate):
        most = np.max(marks[0], axis=op.axis, keepdims=not isinstance(op, LogSumExp), initial=0)
        return np.broadcast_to(np.asarray(most).astype(marks[0].dtype), shape)
    return None
