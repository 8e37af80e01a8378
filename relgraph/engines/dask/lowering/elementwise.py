"""Elementwise nodes: one task for each block, which runs the kernel of the fused group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.engines.dask.blocks import Blocks, Pick, by_blocks, is_blocked, known
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.engines.dask.lowering.trees import all_axes
from relgraph.engines.dask.tasks import NodeTask, block_task, performed
from relgraph.graph.basic import Apply
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.reductions.fused_reduction import FusedReduction


def _broadcast_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    shapes = {x.shape for x in values}
    return np.broadcast_shapes(*shapes) if len(shapes) > 1 else None


@register(Elemwise, way="one task for each block, of a fused group too", spreads=_broadcast_shape)
def _elementwise(op: Elemwise, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    shape = op.checked_shape(node, values)
    if 0 in shape:
        return tuple(np.empty(shape, v.type.numpy_dtype) for v in node.outputs)
    pairs = _with_axes(values, len(shape), blocks)
    axes = tuple(range(len(shape)))
    dtypes = [v.type.numpy_dtype for v in node.outputs]
    found = by_blocks(block_task(node), axes, pairs, dtypes[0], op)
    if op.nout == 1:
        return found
    return tuple(
        by_blocks(Pick(i), axes, [(found, axes)], dtype, op) for i, dtype in enumerate(dtypes)
    )


@register(FusedReduction, way="one task for each block, and trees")
def _fused_reduction(op: FusedReduction, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    shape = op.elemwise.checked_shape(node, values)
    if 0 in shape:
        return tuple(performed(node, [known(x) for x in values]))
    ndim = len(shape)
    axes = tuple(range(ndim))
    pairs = _with_axes(values, ndim, blocks)
    together = by_blocks(_Parts(block_task(node), ndim), axes, pairs, object, op)
    made = []
    for i, (reduction, out) in enumerate(zip(op.reductions, node.outputs, strict=True)):
        dtype = out.type.numpy_dtype
        if reduction is None:
            made.append(by_blocks(Pick(i), axes, [(together, axes)], dtype, op))
            continue
        ones = dict.fromkeys(axes, 1)
        partial = by_blocks(Pick(i), axes, [(together, axes)], dtype, op, adjust_chunks=ones)
        made.append(all_axes(reduction, partial, dtype, blocks))
    return tuple(made) if len(made) > 1 else made[0]


class _Parts:
    """Computes a fused reduction of blocks; what is reduced keeps its axes, with length 1."""

    def __init__(self, task: NodeTask, ndim: int) -> None:
        self.task = task
        self.ndim = ndim

    def __call__(self, *values: Any) -> Any:
        found = performed(self.task.node, values)
        return tuple(x.reshape((1,) * self.ndim) if x.ndim == 0 else x for x in found)


def _with_axes(values: Sequence[Any], ndim: int, blocks: Blocks) -> list[tuple[Any, Any]]:
    """Return the inputs of an elementwise node with their axes; what has one element has none."""
    if not any(is_blocked(x) for x in values):
        largest = max(range(len(values)), key=lambda i: values[i].size)
        values = [blocks.array(x) if i == largest else x for i, x in enumerate(values)]
    axes = tuple(range(ndim))
    return [(x, None if not is_blocked(x) and x.size == 1 else axes) for x in values]
