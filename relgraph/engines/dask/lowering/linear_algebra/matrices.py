"""Linear algebra: a stack of matrices by blocks of matrices; right sides by blocks of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.engines.dask.blocks import Blocks, Pick, by_blocks, in_one_block, is_blocked
from relgraph.engines.dask.lowering.dispatch import on_the_whole, output_shapes, register
from relgraph.engines.dask.tasks import block_task
from relgraph.graph.basic import Apply
from relgraph.tensor.linalg.stacks import MatrixOp, check_batch
from relgraph.tensor.linalg.systems.solving import LinearSolve

# Names of axes, which are numbers: those of a stack are counted from 0.
ROW, INNER, COLUMN = -1, -2, -3
STACKS = "blocks of a stack of matrices; one matrix in one task"


@register(MatrixOp, way=STACKS)
def of_stack(op: MatrixOp, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    """Compute each matrix of a stack in one task."""
    shapes = output_shapes(node, values)
    if len(values) != 1 or values[0].ndim < 3 or shapes is None:
        return on_the_whole(node, values, blocks)
    if op.is_identity:
        return values[0]
    x = values[0]
    batch = tuple(range(x.ndim - 2))
    x = in_one_block(x, (x.ndim - 2, x.ndim - 1))
    pairs = [(x, (*batch, ROW, COLUMN))]
    outputs = list(zip(node.outputs, shapes, strict=True))
    if len(outputs) == 1:
        return _with_cores(block_task(node), batch, pairs, *outputs[0], op)
    together = by_blocks(block_task(node), batch, pairs, object, op)
    return tuple(
        _with_cores(Pick(i), batch, [(together, batch)], *output, op)
        for i, output in enumerate(outputs)
    )


def _with_cores(
    task: Any, batch: Sequence[int], pairs: Any, out: Any, shape: Sequence[int], op: Any
) -> Any:
    """Return the results of a task for blocks of a stack, each with new axes at the end."""
    new = dict(enumerate(shape[len(batch) :], len(batch)))
    return by_blocks(task, (*batch, *new), pairs, out.type.numpy_dtype, op, new_axes=new)


@register(LinearSolve, way="blocks of a stack of matrices, and of the columns of the right side")
def _solve(op: LinearSolve, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    a, b = values
    core = 1 if b.ndim == 1 else 2
    if core == 1 or 0 in a.shape or 0 in b.shape or a.shape[-1] != b.shape[-2]:
        return on_the_whole(node, values, blocks)
    check_batch(op.name, node, a, b, (2, core))
    ndim = max(a.ndim, b.ndim) - 2
    batch = tuple(range(ndim))
    a, b = (x if is_blocked(x) else blocks.array(x) for x in (a, b))
    a = in_one_block(a, (a.ndim - 2, a.ndim - 1))
    b = in_one_block(b, (b.ndim - 2,))
    left = (*batch[ndim + 2 - a.ndim :], ROW, INNER)
    right = (*batch[ndim + 2 - b.ndim :], INNER, COLUMN)
    # the rows of the matrices are as many as those of the result
    dtype = node.outputs[0].type.numpy_dtype
    return by_blocks(block_task(node), (*batch, ROW, COLUMN), [(a, left), (b, right)], dtype, op)
