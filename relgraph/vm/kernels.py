"""How one node is computed: its op's own `perform` or thunk, on fresh storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op

# Takes the values of a node's inputs and one list of length 1 for each output.
Kernel = Callable[[Sequence[Any], Sequence[list[Any]]], None]


def kernel_of(node: Apply) -> Kernel:
    """Return what computes `node`."""
    if type(node.op).make_thunk is not Op.make_thunk:
        return _from_thunk(node)
    return partial(node.op.perform, node)


def _from_thunk(node: Apply) -> Kernel:
    """Return a kernel that runs a thunk of the op's own making.

    The thunk is tied to one set of cells, so such a node can't be computed by two threads at once.
    """
    storage: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
    thunk = node.op.make_thunk(node, storage, None, list(node.outputs))
    taken = [storage[v] for v in node.inputs]
    given = [storage[v] for v in node.outputs]

    def kernel(inputs: Sequence[Any], cells: Sequence[list[Any]]) -> None:
        for cell, value in zip(taken, inputs, strict=True):
            cell[0] = value
        try:
            thunk()
            for cell, result in zip(cells, given, strict=True):
                cell[0] = result[0]
        finally:
            for cell in (*taken, *given):
                cell[0] = None  # values are not kept alive between calls

    return kernel
