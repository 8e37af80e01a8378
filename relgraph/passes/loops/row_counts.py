"""Whether an array has as many rows as a loop makes steps, as far as its graph shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.tensor.assertion import Assert
from relgraph.tensor.contraction import Dot
from relgraph.tensor.elemwise.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing.indices import WHOLE, Placeholder, Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import minimum
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape
from relgraph.tensor.shapes.shape import MakeVector, Shape_i, shape_i

_FIRST = Slice(None, Placeholder.INTEGER)
_BACKWARDS = Slice(None, None, -1)


def has_as_many_rows(array: Any, steps: Any) -> bool:
    """Return whether it is known that the first axis of an array is as long as `steps` says."""
    if isinstance(steps, Constant):
        return bool(array.type.shape[0] == int(steps.data))
    asked = steps.owner
    while True:
        if asked is not None and asked.op == Shape_i(0) and asked.inputs[0] is array:
            return True
        node = array.owner
        if node is None:
            return False
        if isinstance(node.op, Scan):
            whole = array in node.op.split_results(node.outputs).rows
            return whole and not node.op.has_condition and node.inputs[0] is steps
        if isinstance(node.op, Subtensor) and node.op.idx_list[:1] == (_FIRST,):
            stop = node.inputs[1]
            if stop.owner is not None and isinstance(stop.owner.op, Assert):
                return stop.owner.inputs[0] is steps
            return stop is steps and is_one_of_least(shape_i(node.inputs[0], 0), steps)
        rule = _SAME_ROWS.get(type(node.op))
        found = None if rule is None else rule(node)
        if found is None:
            return False
        array = found


def is_one_of_least(length: Variable, steps: Variable) -> bool:
    """Return whether a number of steps is the least of some lengths, one of which is given."""
    asked = length.owner
    waiting = [steps]
    while asked is not None and waiting:
        node = waiting.pop().owner
        if node is None:
            continue
        if node.op is minimum:
            waiting += node.inputs
        elif node.op is asked.op and node.inputs == asked.inputs:
            return True
    return False


def _elementwise(node: Apply) -> Variable | None:
    return next((v for v in node.inputs if v.type.broadcastable[:1] != (True,)), None)


def _dimshuffle(node: Apply) -> Variable | None:
    return node.inputs[0] if node.op.new_order[:1] == (0,) else None


def _part(node: Apply) -> Variable | None:
    return node.inputs[0] if node.op.idx_list[:1] in ((), (WHOLE,), (_BACKWARDS,)) else None


def _product(node: Apply) -> Variable | None:
    return node.inputs[0] if node.inputs[0].type.ndim == 2 else None


def _reduction(node: Apply) -> Variable | None:
    return None if 0 in node.op.axes(node.inputs[0].type.ndim) else node.inputs[0]


def _reshape(node: Apply) -> Variable | None:
    """Return the array whose length the first one of the new shape is."""
    shape = node.inputs[1].owner
    if shape is None or not isinstance(shape.op, MakeVector) or not shape.inputs:
        return None
    first = shape.inputs[0].owner
    return first.inputs[0] if first is not None and first.op == Shape_i(0) else None


_SAME_ROWS: dict[type[Any], Callable[[Apply], Variable | None]] = {
    Elemwise: _elementwise,
    DimShuffle: _dimshuffle,
    Subtensor: _part,
    Dot: _product,
    CAReduce: _reduction,
    Reshape: _reshape,
}
"""For types of ops what gives the input that has as many rows as the output."""
