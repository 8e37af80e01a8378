"""Products of matrices, stacks of matrices, and matrices of many rows.

Products are Dask's. A stack is computed by blocks of matrices, a system of equations also by blocks
of columns. Least squares and singular values of a matrix of many rows are those of the triangle of
its QR factors: lengths and angles are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import (
    Blocks,
    NodeTask,
    as_one_block,
    block_task,
    is_blocked,
    known,
    over_core,
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
from relgraph.tensor.linalg.matrix_op import MatrixOp, lapack_dtype
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems import LeastSquares, LinearSolve
from relgraph.tensor.math import Dot

BLOCKED = "blocked; what is summed over is added up in a tree"


@register(Dot, Dot22, MatMul, way=BLOCKED, spreads=inferred_shape)
def _product(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, y = values
    op.check(node, x, y)
    if x.size == 0 or y.size == 0:
        return on_the_whole(node, values, blocks)
    dtype = node.outputs[0].type.numpy_dtype
    # Dask adds up what products of booleans are in blocks
    wide = np.dtype("int64") if dtype.kind == "b" else dtype
    return da.matmul(*[blocks.array(v).astype(wide) for v in values]).astype(dtype)


STACKS = "blocks of a stack of matrices; one matrix in one task"


@register(MatrixOp, way=STACKS)
def of_stack(op: MatrixOp, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    """Compute each matrix of a stack in one task."""
    shapes = output_shapes(node, values)
    if len(values) != 1 or values[0].ndim < 3 or shapes is None or 0 in values[0].shape:
        return on_the_whole(node, values, blocks)
    batch = values[0].ndim - 2
    cores = [
        {f"out{i}_{axis}": n for axis, n in enumerate(shape[batch:])}
        for i, shape in enumerate(shapes)
    ]
    outputs = ",".join(f"({','.join(core)})" for core in cores)
    return over_core(
        block_task(node),
        f"(row,column)->{outputs}",
        [v.type.numpy_dtype for v in node.outputs],
        values,
        output_sizes={name: n for core in cores for name, n in core.items()},
    )


@register(LinearSolve, way="blocks of a stack of matrices, and of the columns of the right side")
def _solve(op: LinearSolve, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    a, b = values
    if b.ndim == 1 or 0 in a.shape or 0 in b.shape or a.shape[-1] != b.shape[-2]:
        return on_the_whole(node, values, blocks)
    op.check(node, a, b)
    dtype = node.outputs[0].type.numpy_dtype
    # each column is an item of a stack: its axis is that before the last one
    matrices, columns = blocks.array(a)[..., None, :, :], blocks.array(b).swapaxes(-1, -2)
    task = partial(_with_columns, block_task(node))
    (found,) = over_core(task, "(row,column),(row)->(row)", [dtype], [matrices, columns])
    return found.swapaxes(-1, -2)


def _with_columns(task: NodeTask, a: Any, b: Any) -> Any:
    """Solve for blocks of columns that lie side by side."""
    return np.swapaxes(task(a[..., 0, :, :], np.swapaxes(b, -1, -2)), -1, -2)


TALL = f"{STACKS}, of a matrix of many rows "


@register(SVD, way=TALL + "the values alone by a tree")
def _svd(op: SVD, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (a,) = values
    if op.compute_uv or a.ndim != 2 or not _is_tall(a, a.shape[1]):
        return of_stack(op, node, values, blocks)
    triangle = _triangle([a], lapack_dtype(op.name, node.inputs[0].type.dtype))
    dtype = node.outputs[0].type.numpy_dtype
    return da.blockwise(block_task(node), "j", triangle, "ij", dtype=dtype, concatenate=True)


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
    both = known(_triangle([a, b if b.ndim == 2 else b[:, None]], dtype))
    right = both[:, n] if b.ndim == 1 else both[:, n:]
    rcond = np.finfo(dtype).eps * max(a.shape) if op.rcond is None else op.rcond
    of_triangle = LeastSquares(rcond).make_node(both[:, :n], right)
    return tuple(performed(of_triangle, [both[:, :n], right]))


def _is_tall(a: Any, columns: int) -> bool:
    return is_blocked(a) and a.numblocks[0] > 1 and len(a) >= columns > 0


def _triangle(parts: Sequence[Any], dtype: str) -> Any:
    """Return the triangular factor of the columns of some matrices together."""
    columns = da.concatenate([as_one_block(x).astype(dtype) for x in parts], axis=1)
    return da.linalg.tsqr(columns.rechunk({0: parts[0].chunks[0], 1: -1}))[1]
