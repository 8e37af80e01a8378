"""Products of matrices, stacks of matrices, and matrices of many rows.

A product is one task for each pair of blocks, whose results are added up in a tree. A stack is
computed by blocks of matrices, a system of equations also by blocks of columns. Least squares and
singular values of a matrix of many rows replace each block of rows by the triangle of its QR
factors, and some triangles by that of all of them (Demmel, Grigori, Hoemmen, Langou,
Communication-optimal Parallel and Sequential QR and LU Factorizations, 2012). The last triangle is
the matrix, turned: lengths and angles are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from relgraph.engines.dask.blocks import (
    Blocks,
    NodeTask,
    added_up,
    block_task,
    by_blocks,
    by_tree,
    in_one_block,
    is_blocked,
    known,
    performed,
)
from relgraph.engines.dask.lowering.dispatch import (
    inferred_shape,
    on_the_whole,
    output_shapes,
    register,
)
from relgraph.graph.basic import Apply
from relgraph.tensor.linalg.blas import Dot22
from relgraph.tensor.linalg.decompositions import SVD
from relgraph.tensor.linalg.matrix_op import MatrixOp, check_batch, lapack_dtype
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems import LeastSquares, LinearSolve
from relgraph.tensor.math import Dot, check_inner

# Names of axes, which are numbers: those of a stack are counted from 0.
ROW, INNER, COLUMN, SIDE = -1, -2, -3, -4
BLOCKED = "blocked; what is summed over is added up in a tree"


@register(Dot, Dot22, way=BLOCKED, spreads=inferred_shape)
def _dot(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, y = values
    check_inner(op, x, y, -1, 0)
    left = (ROW, INNER)[-x.ndim :]
    right = (INNER, COLUMN)[: y.ndim]
    return _product(node, [(x, left), (y, right)], (*left[:-1], *right[1:]), blocks)


@register(MatMul, way=BLOCKED, spreads=inferred_shape)
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
    part = partial(_part_of_sum, task)
    parts = by_blocks(part, (*index, INNER), pairs, dtype, node.op, adjust_chunks={INNER: 1})
    return added_up(parts, len(index), blocks)


def _lengths(pairs: list[tuple[Any, Any]], index: tuple[Any, ...]) -> tuple[int, ...]:
    found: dict[Any, int] = {}
    for x, axes in pairs:
        for axis, n in zip(axes, x.shape, strict=True):
            found[axis] = n if found.get(axis, 1) == 1 else found[axis]
    return tuple(found[axis] for axis in index)


def _part_of_sum(task: NodeTask, *values: Any) -> Any:
    """Multiply two blocks; the result has a last axis of length 1, to be summed over."""
    (found,) = performed(task.node, values)
    return found[..., None]


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
        _with_cores(itemgetter(i), batch, [(together, batch)], *output, op)
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
    a = in_one_block(blocks.array(a), (a.ndim - 2, a.ndim - 1))
    b = in_one_block(blocks.array(b), (b.ndim - 2,))
    left = (*batch[ndim + 2 - a.ndim :], ROW, INNER)
    right = (*batch[ndim + 2 - b.ndim :], INNER, COLUMN)
    # the rows of the matrices are as many as those of the result
    dtype = node.outputs[0].type.numpy_dtype
    return by_blocks(block_task(node), (*batch, ROW, COLUMN), [(a, left), (b, right)], dtype, op)


TALL = f"{STACKS}, of a matrix of many rows "


@register(SVD, way=TALL + "the values alone by a tree")
def _svd(op: SVD, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (a,) = values
    if op.compute_uv or a.ndim != 2 or not _is_tall(a, a.shape[1]):
        return of_stack(op, node, values, blocks)
    dtype = lapack_dtype(op.name, node.inputs[0].type.dtype)
    triangle = _triangle([(a, (ROW, COLUMN))], dtype, blocks)
    found = by_blocks(
        block_task(node),
        (ROW,),
        [(triangle, (ROW, COLUMN))],
        node.outputs[0].type.dtype,
        op,
    )
    return blocks.gather(found)


@register(LeastSquares, way=TALL + "by a tree")
def _least_squares(op: LeastSquares, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    """Solve for the triangle of the matrix and the right side together.

    Below the triangle of the matrix there is as much left of the right side as before.
    """
    a, b = values
    n = a.shape[-1]
    if a.ndim != 2 or b.ndim > 2 or len(a) != len(b) or not _is_tall(a, n + b[0].size):
        return of_stack(op, node, values, blocks)
    dtype = node.outputs[0].type.dtype
    pairs = [(a, (ROW, COLUMN)), (b, (ROW, SIDE)[: b.ndim])]
    both = known(_triangle(pairs, dtype, blocks))
    right = both[:, n] if b.ndim == 1 else both[:, n:]
    rcond = np.finfo(dtype).eps * max(a.shape) if op.rcond is None else op.rcond
    of_triangle = LeastSquares(rcond).make_node(both[:, :n], right)
    return tuple(performed(of_triangle, [both[:, :n], right]))


def _is_tall(a: Any, columns: int) -> bool:
    return is_blocked(a) and a.numblocks[0] > 1 and len(a) >= columns > 0


def _triangle(pairs: Sequence[tuple[Any, Any]], dtype: str, blocks: Blocks) -> Any:
    """Return the triangular factor of the columns of some matrices and vectors together."""
    whole = [
        (in_one_block(x, (1,)) if is_blocked(x) and x.ndim == 2 else x, axes) for x, axes in pairs
    ]
    n = sum(x.shape[1] if x.ndim == 2 else 1 for x, _ in pairs)
    new = {1: n, 2: n}
    of_blocks = by_blocks(
        partial(_triangle_of_block, dtype),
        (ROW, *new),
        whole,
        dtype,
        _triangle,
        adjust_chunks={ROW: 1},
        new_axes=new,
    )
    return by_tree(of_blocks, _triangle_of_all, _triangle_of_all, (0,), dtype, blocks)


def _triangle_of_block(dtype: str, *parts: Any) -> Any:
    """Return the triangle of a block, with an axis in front along which those of all lie."""
    columns = [x[:, None] if x.ndim == 1 else x for x in parts]
    return _factor(np.concatenate(columns, axis=1).astype(dtype))[None]


def _triangle_of_all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    found = _factor(x.reshape(-1, x.shape[-1]))
    return found[None] if keepdims else found


def _factor(a: Any) -> Any:
    """Return the triangular factor, square: of fewer rows it is filled up with zeros."""
    found = np.linalg.qr(a, "r")
    return np.pad(found, ((0, a.shape[1] - len(found)), (0, 0)))
