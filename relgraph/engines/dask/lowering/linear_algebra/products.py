"""Products of matrices: one task for each pair of blocks, whose results are added up in a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.engines.dask.blocks import Blocks, by_blocks, is_blocked
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.engines.dask.lowering.trees import added_up
from relgraph.engines.dask.tasks import NodeTask, block_task, performed
from relgraph.graph.basic import Apply
from relgraph.tensor.contraction import Dot, check_inner
from relgraph.tensor.linalg.blas import Dot22
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.stacks import check_batch

# Names of axes, which are numbers: those of a stack are counted from 0.
ROW, INNER, COLUMN = -1, -2, -3
BLOCKED = "blocked; what is summed over is added up in a tree"


def _product_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...]:
    x, y = (v.shape for v in values)
    return (*x[:-1], *y[1:])


def _stack_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...]:
    x, y = (v.shape for v in values)
    return (*np.broadcast_shapes(x[:-2], y[:-2]), x[-2], y[-1])


@register(Dot, Dot22, way=BLOCKED, spreads=_product_shape)
def _dot(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, y = values
    check_inner(op, x, y, -1, 0)
    left = (ROW, INNER)[-x.ndim :]
    right = (INNER, COLUMN)[: y.ndim]
    return _product(node, [(x, left), (y, right)], (*left[:-1], *right[1:]), blocks)


@register(MatMul, way=BLOCKED, spreads=_stack_shape)
def _matmul(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, y = values
    check_inner(op, x, y, -1, -2)
    ndim = max(x.ndim, y.ndim) - 2
    check_batch("matmul", node, x, y, (2, 2))
    batch = tuple(range(ndim))
    left = (*batch[ndim + 2 - x.ndim :], ROW, INNER)
    right = (*batch[ndim + 2 - y.ndim :], INNER, COLUMN)
    return _product(node, [(x, left), (y, right)], (*batch, ROW, COLUMN), blocks)


def _product(
    node: Apply, pairs: list[tuple[Any, Any]], index: tuple[Any, ...], blocks: Blocks
) -> Any:
    """Return a product that sums over the axis `INNER`, the result having the axes `index`."""
    out = node.outputs[0]
    dtype = out.type.numpy_dtype
    shape = _lengths(pairs, index)
    if 0 in shape or any(0 in x.shape for x, _ in pairs):
        return np.zeros(shape, dtype)
    if not any(is_blocked(x) for x, _ in pairs):
        pairs = [(blocks.array(x), axes) for x, axes in pairs]
    task = block_task(node)
    if all(not is_blocked(x) or x.numblocks[axes.index(INNER)] == 1 for x, axes in pairs):
        return by_blocks(task, index, pairs, dtype, node.op)
    partial = by_blocks(
        _PartOfSum(task), (*index, INNER), pairs, dtype, node.op, adjust_chunks={INNER: 1}
    )
    return added_up(partial, len(index), blocks)


def _lengths(pairs: list[tuple[Any, Any]], index: tuple[Any, ...]) -> tuple[int, ...]:
    found: dict[Any, int] = {}
    for x, axes in pairs:
        for axis, n in zip(axes, x.shape, strict=True):
            found[axis] = n if found.get(axis, 1) == 1 else found[axis]
    return tuple(found[axis] for axis in index)


class _PartOfSum:
    """Multiplies two blocks; the result has a last axis of length 1, to be summed over."""

    def __init__(self, task: NodeTask) -> None:
        self.task = task

    def __call__(self, *values: Any) -> Any:
        (found,) = performed(self.task.node, values)
        return found[..., None]
