"""`NodeTask`: what Dask calls to compute one node on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType


class NodeTask:
    """A function of the values of a node's inputs, which gives the value of its output, or a tuple.

    It is pickled as the Op and the types of the inputs. Equal Ops are one object in a process, so
    that a worker compiles a kernel once, and keeps it.

    Parameters
    ----------
    op
        The Op.
    types
        The types of the inputs.
    names
        Their names, for errors.
    """

    def __init__(self, op: Op, types: Sequence[Type], names: Sequence[str | None]) -> None:
        self.op = op
        self.types = tuple(types)
        self.names = tuple(names)
        pairs = zip(self.types, self.names, strict=True)
        self.node = op.make_node(*[t.make_variable(name) for t, name in pairs])

    def __call__(self, *values: Any) -> Any:
        found = performed(self.node, values)
        return found[0] if len(found) == 1 else tuple(found)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.op, self.types, self.names)

    def __dask_tokenize__(self) -> str:
        return unique(self.op)


def performed(node: Apply, values: Sequence[Any]) -> list[Any]:
    """Return what the `perform` of a node makes of values, none of which it changes."""
    given = [
        np.asarray(x) if isinstance(v.type, TensorType) else x
        for v, x in zip(node.inputs, values, strict=True)
    ]
    for positions in node.op.destroy_map.values():
        for i in positions:
            given[i] = node.inputs[i].type.filter(given[i]).copy()
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, given, cells)
    return [
        np.asarray(cell[0]) if isinstance(v.type, TensorType) else cell[0]
        for v, cell in zip(node.outputs, cells, strict=True)
    ]


def whole_task(node: Apply) -> NodeTask:
    """Return the task that computes a node."""
    return NodeTask(node.op, [v.type for v in node.inputs], [v.name for v in node.inputs])


def block_task(node: Apply, op: Op | None = None) -> NodeTask:
    """Return the task that computes a node on blocks of its inputs.

    Of their static lengths it knows only which are 1: these broadcast.

    Parameters
    ----------
    op
        What is computed in the place of the node's Op.
    """
    types = [block_type(v.type) for v in node.inputs]
    return NodeTask(node.op if op is None else op, types, [v.name for v in node.inputs])


def block_type(t: Type) -> Type:
    """Return the type of the blocks of arrays of a type."""
    if not isinstance(t, TensorType):
        return t
    return TensorType(t.dtype, [1 if n == 1 else None for n in t.shape])


def unique(op: Any) -> str:
    """Return a name for the tasks of an Op, or of a function, that no other tasks have."""
    name = getattr(op, "__name__", type(op).__name__)
    return f"{name.lower().strip('_')}-{uuid4().hex}"


Task = Callable[..., Any]
