"""`lower`: what a node computes, on blocks; and what becomes of Ops that have no lowering.

While a graph is lowered a value is one of three:

- a NumPy array, or another value that is in memory: what depends on such values alone is computed
  then and there;
- a Dask array: its blocks are computed when the result is;
- a `Delayed` of Dask, for a value that is no array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed, delayed

from relgraph.engines.dask.blocks import Blocks, Task, is_blocked, unique, whole_task
from relgraph.graph import reference
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op
from relgraph.graph.utils import MethodNotDefined, MissingInputError
from relgraph.tensor.type import TensorType

Lowering = Callable[..., Any]
"""Takes an Op, a node of it, the values of its inputs and the `Blocks`; returns the value of the
output, or a tuple of several."""

Reads = Callable[[Apply], Sequence[int]]
Spreads = Callable[..., tuple[int, ...] | None]

WHOLE = "whole arrays in one task"


class Entry(NamedTuple):
    """How Ops of a class are computed; see `register`."""

    lowering: Lowering
    way: str
    reads: Reads
    spreads: Spreads


TABLE: dict[type[Op], Entry] = {}
"""How Ops are computed, by their classes."""


def entry_of(kind: type[Any]) -> Entry:
    """Return how Ops of a class are computed."""
    return next(TABLE[c] for c in kind.__mro__ if c in TABLE)


def lower(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    """Return the value of the output of a node, or a tuple of several.

    An Op without a lowering of its own is computed on whole arrays, in one task.

    Parameters
    ----------
    op, node
        The Op and the node.
    values
        The values of its inputs, one of which at least is not in memory or is to be cut.
    blocks
        How arrays are cut.
    """
    return entry_of(type(op)).lowering(op, node, values, blocks)


def _otherwise(op: Op, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    return values[0] if op.is_identity else on_the_whole(node, values, blocks)


def register(
    *kinds: type[Op],
    way: str = "by blocks",
    reads: Reads = lambda node: (),
    spreads: Spreads = lambda node, values: None,
) -> Callable[[Lowering], Lowering]:
    """Say how Ops of some classes are lowered, and of their subclasses; a decorator.

    What it decorates takes the Op, the node, the values of the inputs and the `Blocks`, and returns
    the value of the output, or a tuple of several.

    Parameters
    ----------
    kinds
        The classes.
    way
        What a table of coverage says of them.
    reads
        Takes a node; returns the positions of the inputs whose values have to be known when it is
        lowered: lengths, indices, conditions.
    spreads
        Takes a node and values that are all in memory; returns the shape of the output if that may
        be larger than they are, else None.
    """

    def registered(lowering: Lowering) -> Lowering:
        TABLE.update(dict.fromkeys(kinds, Entry(lowering, way, reads, spreads)))
        return lowering

    return registered


register(Op, way=WHOLE)(_otherwise)


def way_of(kind: type[Op]) -> str:
    """Return how Ops of a class are computed, in words."""
    return "handed on" if kind.is_identity else entry_of(kind).way


def inferred_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    """Return the shape of the output of a node, as its Op infers it; None if it can't."""
    shapes = output_shapes(node, values)
    return None if shapes is None else shapes[0]


def becomes_large(node: Apply, values: Sequence[Any], blocks: Blocks) -> bool:
    """Return whether the output of a node is to be cut, whose inputs are in memory."""
    shape = entry_of(type(node.op)).spreads(node, values)
    if shape is None or min(shape, default=0) < 0:
        return False
    return blocks.several(shape, node.outputs[0].type.dtype)


def is_in_memory(x: Any) -> bool:
    """Return whether a value is known while a graph is lowered."""
    return not is_blocked(x) and not isinstance(x, Delayed)


def on_the_whole(node: Apply, values: Sequence[Any], blocks: Blocks) -> tuple[Any, ...]:
    """Compute a node by the `perform` of its Op on whole arrays, in one task.

    Where the shape of an output depends on values, or another call would give something else, the
    task is computed at once.
    """
    shapes = None
    if node.op.pure and not any(isinstance(x, Delayed) for x in values):
        shapes = output_shapes(node, values)
    return from_task(whole_task(node), values, node.outputs, shapes, blocks)


def from_task(
    task: Task,
    values: Sequence[Any],
    outputs: Sequence[Variable],
    shapes: Sequence[Any] | None,
    blocks: Blocks,
) -> tuple[Any, ...]:
    """Return the results of one task.

    Parameters
    ----------
    task
        Takes the values, in memory.
    outputs
        Variables of the types of the results.
    shapes
        The shapes of the results; None if they are not known.
    """
    count = len(outputs)
    result = delayed(task, pure=False, nout=count if count > 1 else None)(
        *values, dask_key_name=unique(getattr(task, "op", task))
    )
    parts = [result] if count == 1 else [result[i] for i in range(count)]
    tensors = [isinstance(v.type, TensorType) for v in outputs]
    if shapes is None and any(tensors):
        # whoever reads the results gets these
        found: tuple[Any, ...] = dask.compute(*parts)
        return found
    return tuple(
        _as_array(x, shape, v.type.numpy_dtype, blocks) if is_tensor else x
        for x, shape, v, is_tensor in zip(
            parts, shapes or [None] * count, outputs, tensors, strict=True
        )
    )


def _as_array(x: Any, shape: Sequence[int], dtype: Any, blocks: Blocks) -> Any:
    made = da.from_delayed(x, tuple(shape), meta=np.empty((0,) * len(shape), dtype))
    return made.rechunk(blocks.chunks_of(shape, dtype)) if blocks.several(shape, dtype) else made


def output_shapes(node: Apply, values: Sequence[Any]) -> list[tuple[int, ...]] | None:
    """Return the shapes of the outputs of a node, as far as they follow from what is known.

    Returns
    -------
    shapes
        None if they depend on values that are not in memory. The shape of what is no tensor is
        empty.
    """
    shapes = [tuple(x.shape) if hasattr(x, "shape") else () for x in values]
    pairs = zip(node.inputs, values, strict=True)
    known = {v: x for v, x in pairs if is_in_memory(x)}
    try:
        return reference.output_shapes(node, shapes, known)
    except (MethodNotDefined, MissingInputError):
        return None
