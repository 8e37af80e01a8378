"""Matrices of many rows: least squares and singular values by a tree of triangular factors.

Each block of rows is replaced by the triangle of its QR factors, some triangles by that of all of
them (Demmel, Grigori, Hoemmen, Langou, Communication-optimal Parallel and Sequential QR and LU
Factorizations, 2012). The last triangle is the matrix, turned: lengths and angles are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, by_blocks, in_one_block, is_blocked, known
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.engines.dask.lowering.linear_algebra.matrices import STACKS, of_stack
from relgraph.engines.dask.tasks import block_task, performed
from relgraph.graph.basic import Apply
from relgraph.tensor.linalg.factors.singular_values import SVD
from relgraph.tensor.linalg.stacks import lapack_dtype
from relgraph.tensor.linalg.systems.least_squares import LeastSquares

# Names of axes.
ROW, COLUMN, SIDE = -1, -2, -3
TALL = f"{STACKS}, of a matrix of many rows "


@register(SVD, way=TALL + "the values alone by a tree")
def _svd(op: SVD, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (a,) = values
    if op.compute_uv or a.ndim != 2 or not _is_tall(a, a.shape[1]):
        return of_stack(op, node, values, blocks)
    dtype = lapack_dtype(op.name, node.inputs[0].type.dtype)
    triangle = _triangle([(a, (ROW, COLUMN))], dtype, blocks)
    found = by_blocks(
        block_task(node), (ROW,), [(triangle, (ROW, COLUMN))], node.outputs[0].type.dtype, op
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
    new, meta = {1: n, 2: n}, np.empty((0, 0), dtype)
    of_blocks = by_blocks(
        partial(_triangle_of_block, dtype),
        (ROW, *new),
        whole,
        dtype,
        _triangle,
        adjust_chunks={ROW: 1},
        new_axes=new,
    )
    found = da.reduction(
        of_blocks,
        _triangle_of_all,
        _triangle_of_all,
        axis=0,
        dtype=dtype,
        meta=meta,
        combine=_triangle_of_all,
    )
    return blocks.gather(found)


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
