"""Shapes, axes in another order, joins and new arrays; parts, and parts that are changed."""

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
from relgraph.engines.dask.lowering.dispatch import inferred_shape, on_the_whole, register
from relgraph.graph.basic import Apply
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.signatures import check_broadcast
from relgraph.tensor.subtensor import (
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    concrete_index,
    take_part,
    within,
)
from relgraph.tensor.type import TensorType

KNOWN = "known without computing"
VIEW = "views of the blocks"


@register(Shape, Shape_i, way=KNOWN)
def _shape(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    if not isinstance(node.inputs[0].type, TensorType):
        return on_the_whole(node, values, blocks)
    return np.asarray(x.shape if isinstance(op, Shape) else x.shape[op.i], "int64")


@register(MakeVector, way=VIEW)
def _make_vector(op: MakeVector, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    return da.stack([as_one_block(x).astype(op.dtype) for x in values])


@register(SpecifyShape, way="checked when the function is called")
def _specify_shape(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    op.perform(node, values, [[None]])
    return values[0]


@register(
    Assert,
    way="conditions are computed when the function is called",
    reads=lambda node: range(1, len(node.inputs)),
)
def _assert(op: Assert, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    op.perform(node, [values[0], *map(known, values[1:])], [[None]])
    return values[0]


@register(DimShuffle, way=VIEW)
def _dimshuffle(op: DimShuffle, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    return op.compute(node, values[0])


@register(Reshape, way="blocks are cut anew where axes become others", reads=lambda node: [1])
def _reshape(op: Reshape, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x = values[0]
    lengths = op.checked_shape(node, x, known(values[1]))
    try:
        return x.reshape(lengths)
    except NotImplementedError:  # some axes are neither merged nor split
        return x.reshape(-1).reshape(lengths)


@register(Join, way=VIEW)
def _join(op: Join, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    op.check(node, *values)
    dtype = node.outputs[0].type.numpy_dtype
    parts = [as_one_block(x).astype(dtype) for x in values if x.size]
    if not parts:
        return performed(node, values)[0]
    return da.concatenate(parts, axis=op.axis)


@register(Split, way=VIEW, reads=lambda node: [1])
def _split(op: Split, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, sizes = values[0], known(values[1])
    stops = op.checked_stops(node, x, sizes)
    leading = (slice(None),) * op.axis
    return tuple(
        x[(*leading, slice(int(stop - n), int(stop)))] for n, stop in zip(sizes, stops, strict=True)
    )


MADE = "each block by itself"


def _arange_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    start, stop, step = (v.item() for v in values)
    return (max(0, int(-((start - stop) // step))),) if step else None


@register(Alloc, way=MADE, reads=lambda node: range(1, len(node.inputs)), spreads=inferred_shape)
def _alloc(op: Alloc, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    value, *lengths = values
    shape = tuple(int(known(n)) for n in lengths)
    check_broadcast(node, value, shape, 0, "the shape")
    chunks = blocks.chunks_of(shape, value.dtype)
    own = [
        lengths if m == n else (m,)
        for m, n, lengths in zip(
            value.shape, shape[-value.ndim :], chunks[-value.ndim :], strict=value.ndim > 0
        )
    ]
    return da.broadcast_to(as_one_block(value).rechunk(tuple(own)), shape, chunks=chunks)


@register(Eye, way=MADE, reads=lambda node: range(3), spreads=inferred_shape)
def _eye(op: Eye, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    rows, columns, k = (int(known(n)) for n in values)
    chunks = blocks.chunks_of((rows, columns), op.dtype)
    row = da.arange(rows, chunks=(chunks[0],))[:, None]
    column = da.arange(columns, chunks=(chunks[1],))[None, :]
    return (column - row == k).astype(op.dtype)


@register(ARange, way=MADE, reads=lambda node: range(3), spreads=_arange_shape)
def _arange(op: ARange, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    start, stop, step = (known(v).item() for v in values)
    (length,) = _arange_shape(node, [known(v) for v in values]) or (0,)
    chunks = blocks.chunks_of((length,), op.dtype)
    return da.arange(start, stop, step, chunks=chunks, dtype=op.dtype)


def _index(op: Any, x: Any, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the index of an array; Dask takes some slices that select nothing for others."""
    index = concrete_index(op.idx_list, [known(i) for i in values])
    return tuple(
        within(e, n) if isinstance(e, slice) else e for e, n in zip(index, x.shape, strict=False)
    )


@register(Subtensor, way="views of the blocks", reads=lambda node: range(1, len(node.inputs)))
def _subtensor(op: Subtensor, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    return take_part(node, values[0], _index(op, values[0], values[1:]))


@register(
    IncSubtensor, way="one task for each block", reads=lambda node: range(2, len(node.inputs))
)
def _inc_subtensor(op: IncSubtensor, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, y = as_one_block(values[0]), values[1]
    index = _index(op, x, values[2:])
    part = take_part(node, x, index)
    check_broadcast(node, y, part.shape)
    if part.size == 0:
        return values[0]
    new = as_one_block(y) if op.set_instead_of_inc else part + y
    new = da.broadcast_to(new.astype(x.dtype), part.shape)
    # Dask sets parts by slices rightly, and not those by integers beside steps that are negative
    places = tuple(
        e if isinstance(e, slice) else slice(e % n, e % n + 1)
        for e, n in zip(index, x.shape, strict=False)
    )
    changed = x.copy()
    changed[places] = new[tuple(slice(None) if isinstance(e, slice) else None for e in index)]
    return changed


@register(
    AdvancedSubtensor,
    way="by one array of integers or a mask: by blocks; by several: whole arrays in one task",
)
def _advanced_subtensor(
    op: AdvancedSubtensor, node: Apply, values: Sequence[Any], blocks: Blocks
) -> Any:
    arrays = [e for e in op.idx_list if e is Placeholder.ARRAY]
    plain = all(e is Placeholder.ARRAY or isinstance(e, Slice) for e in op.idx_list)
    if len(arrays) != 1 or not plain:
        return on_the_whole(node, values, blocks)
    axis = op.idx_list.index(Placeholder.ARRAY)
    if is_blocked(values[0]):
        return _taken_from_blocks(op, node, values, axis, blocks)
    index = values[1]
    if len(op.idx_list) > 1 or len(values) > 2 or index.dtype == bool:
        return on_the_whole(node, values, blocks)
    return _looked_up(op, node, values[0], index)


def _taken_from_blocks(
    op: AdvancedSubtensor, node: Apply, values: Sequence[Any], axis: int, blocks: Blocks
) -> Any:
    """Take rows of a Dask array: the index is computed."""
    index = list(_index(op, values[0], values[1:]))
    rows = np.asarray(index[axis])
    if rows.dtype == bool:
        if rows.ndim > 1:
            return on_the_whole(node, values, blocks)
        if len(rows) != values[0].shape[axis]:
            take_part(node, np.empty((values[0].shape[axis], 0)), rows)  # raises NumPy's error
        rows = np.flatnonzero(rows)
    flat = rows.ravel().astype("int64")
    index[axis] = flat if flat.size else slice(0, 0)
    found = take_part(node, values[0], tuple(index))
    shape = (*found.shape[:axis], *rows.shape, *found.shape[axis + 1 :])
    if 0 in shape:
        return np.empty(shape, found.dtype)
    return found if rows.ndim == 1 else found.reshape(shape)


def _looked_up(op: AdvancedSubtensor, node: Apply, table: Any, index: Any) -> Any:
    """Look up rows of an array in memory: each block of the index by itself."""
    rest = [f"i{axis}" for axis in range(1, table.ndim)]
    signature = f"({','.join(['rows', *rest])}),()->({','.join(rest)})"
    return over_core(block_task(node), signature, [table.dtype], [table, index])


@register(
    AdvancedIncSubtensor,
    way="sums by one array of integers: a tree; else whole arrays in one task",
)
def _advanced_inc_subtensor(
    op: AdvancedIncSubtensor, node: Apply, values: Sequence[Any], blocks: Blocks
) -> Any:
    x, y, index = values[0], values[1], values[-1]
    sums = op.idx_list == (Placeholder.ARRAY,) and not op.set_instead_of_inc
    if not sums or not is_blocked(index) or index.dtype == bool or not blocks.small(x):
        return on_the_whole(node, values, blocks)
    part = (*index.shape, *x.shape[1:])
    check_broadcast(node, y, part)
    if y.shape != part:
        return on_the_whole(node, values, blocks)
    y, index = as_one_block(y).reshape(-1, *x.shape[1:]), index.reshape(-1)
    axes = tuple(range(1, x.ndim + 1))
    parts = da.blockwise(
        partial(_increments, block_task(node), x.shape, x.dtype),
        (0, *axes),
        *[y, (0, *[-axis for axis in axes[1:]]), index, (0,)],
        dtype=x.dtype,
        meta=np.empty((0,) * (x.ndim + 1), x.dtype),
        concatenate=True,
        adjust_chunks={0: 1},
        new_axes=dict(zip(axes, x.shape, strict=True)),
    )
    return parts.sum(axis=0, dtype=x.dtype) + as_one_block(x)


def _increments(task: NodeTask, shape: tuple[int, ...], dtype: Any, y: Any, index: Any) -> Any:
    """Return what a block of new values adds to an array, with an axis of length 1 in front."""
    (found,) = performed(task.node, [np.zeros(shape, dtype), y, index])
    return found[None]
