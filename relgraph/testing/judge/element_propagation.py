"""Propagation of marks from the elements of an op's inputs to the elements of its output.

A mark is a truth value or a number from 0 on. An op with known data flow passes it from element to
element; any other op passes it from every element of its inputs to all of its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.tensor.along_axes.cumulative import Cumulate
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.linalg.systems.solving import LinearSolve
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.pairs import Cosine, Covariance
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.truth.moves import moved_inputs

Array = np.ndarray[Any, Any]

ELEMENTWISE_OPS: list[type] = [Elemwise]
"""Ops whose output elements are each computed from the input elements in the same place."""


def is_elementwise(op: Any) -> bool:
    """Return whether an op is one of `ELEMENTWISE_OPS`."""
    return isinstance(op, tuple(ELEMENTWISE_OPS))


def propagate_marks(
    node: Apply, marks: Sequence[Array], values: Sequence[Array], shape: tuple[int, ...]
) -> Array:
    """Return for each output element the largest mark of the input elements it is computed from.

    Parameters
    ----------
    node
        The node; of several outputs, the one that has `shape`.
    marks
        For each input an array of its shape, of booleans or of numbers from 0 on.
    values
        The values of the inputs; indices and shapes among them say where elements move.
    shape
        The shape of the output.

    Returns
    -------
    marks
        An array of the shape of the output.
    """
    op: Any = node.op
    if is_elementwise(op):
        unread = op.scalar_op.ignored_inputs if isinstance(op, Elemwise) else ()
        read = [m for i, m in enumerate(marks) if i not in unread]
        largest = read[0]
        for mark in read[1:]:
            largest = np.maximum(largest, mark)
        return largest if largest.shape == shape else np.broadcast_to(largest, shape)
    if isinstance(op, CAReduce | Norm | Cosine | Covariance):
        axes = op.axes(values[0].ndim)
        both = marks[0] if len(marks) == 1 else np.maximum(*marks)
        return np.asarray(np.max(both, axis=axes, initial=0)).astype(marks[0].dtype)
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
    """Return the output marks of an op that works along some axes, or None for any other op."""
    if isinstance(op, MatrixProduct):
        left, right = (m.astype("float64") for m in marks)
        most = np.maximum(np.matmul(left, right * 0 + 1), np.matmul(left * 0 + 1, right))
        return np.asarray(most > 0 if marks[0].dtype.kind == "b" else most)
    if isinstance(op, LinearSolve):
        # a column of the solution is that of its column of the right side, and of the matrix
        matrix, right = marks
        whole = np.max(matrix, axis=(-2, -1), initial=0)
        if right.ndim == 1:
            most = np.maximum(whole, right.max(initial=0))[..., None]
        else:
            most = np.maximum(
                whole[..., None, None], np.max(right, axis=-2, keepdims=True, initial=0)
            )
        return np.broadcast_to(most.astype(marks[0].dtype), shape)
    if isinstance(op, LogSumExp | LogSoftmax | Softmax | Cumulate):
        most = np.max(marks[0], axis=op.axis, keepdims=not isinstance(op, LogSumExp), initial=0)
        return np.broadcast_to(np.asarray(most).astype(marks[0].dtype), shape)
    return None
