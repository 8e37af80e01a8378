"""Parts of arrays: by integers and slices, by one array of integers, and parts that are changed.

A part is set to new values block by block: the assignment of `dask.array` fails for some indices
and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, product
from typing import Any

import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph

from relgraph.engines.dask.blocks import (
    Blocks,
    NodeTask,
    added_up,
    as_one_block,
    block_task,
    by_blocks,
    in_one_block,
    is_blocked,
    known,
    performed,
    unique,
)
from relgraph.engines.dask.lowering.dispatch import on_the_whole, register
from relgraph.graph.basic import Apply
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.subtensor import (
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    check_broadcast,
    concrete_index,
    take_part,
    within,
)


def with_part(x: Any, place: Sequence[slice], new: Any) -> Any:
    """Return an array with a part set to new values.

    Parameters
    ----------
    x
        A Dask array.
    place
        For each of the first axes a slice that runs forward from a start to a stop.
    new
        A Dask array of the shape and rank of the part, and the dtype of `x`.
    """
    slices = [*place, *[slice(0, n, 1) for n in x.shape[len(place) :]]]
    parts = [_in_blocks(s, lengths) for s, lengths in zip(slices, x.chunks, strict=True)]
    counts = [[len(range(s.start, s.stop, s.step)) for s in axis] for axis in parts]
    new = new.rechunk(tuple(tuple(n for n in axis if n) for axis in counts))
    # the number of the block of new values, for each block along an axis that has some
    numbers = [[n - 1 for n in accumulate(int(c > 0) for c in axis)] for axis in counts]
    name, tasks = unique(with_part), {}
    for block in product(*map(range, x.numblocks)):
        before = (x.name, *block)
        at = list(enumerate(block))
        if all(counts[axis][i] for axis, i in at):
            source = (new.name, *[numbers[axis][i] for axis, i in at])
            place = tuple([parts[axis][i] for axis, i in at])
            tasks[(name, *block)] = (partial(_with_place, place), before, source)
        else:
            tasks[(name, *block)] = before
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[x, new])
    return da.Array(graph, name, x.chunks, meta=x._meta)


def _in_blocks(s: slice, lengths: Sequence[int]) -> list[slice]:
    """Return a slice of an axis as one of each block along it."""
    found, start = [], 0
    for length in lengths:
        # the first element that is not before the block
        first = s.start + max(0, -((s.start - start) // s.step)) * s.step - start
        stop = min(s.stop - start, length)
        found.append(slice(first, max(first, stop), s.step))
        start += length
    return found


def _with_place(place: tuple[slice, ...], x: Any, new: Any) -> Any:
    """Return a copy of a block with a part set to new values."""
    found = x.copy()
    found[place] = new
    return found


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
    place, turn = _forward(index, x.shape)
    return with_part(x, place, new[turn])


def _forward(index: Sequence[Any], shape: Sequence[int]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return an index as slices that run forward, and one that turns what stood at the index."""
    place: list[Any] = []
    turn: list[Any] = []
    for e, n in zip(index, shape, strict=False):
        if not isinstance(e, slice):
            place.append(slice(e % n, e % n + 1, 1))
            turn.append(None)
            continue
        steps = range(*e.indices(n))
        backward = steps.step < 0
        first, last = (steps[-1], steps[0]) if backward else (steps[0], steps[-1])
        place.append(slice(first, last + 1, abs(steps.step)))
        turn.append(slice(None, None, -1 if backward else 1))
    return tuple(place), tuple(turn)


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
    rows = tuple(range(index.ndim))
    rest = tuple(range(index.ndim, index.ndim + table.ndim - 1))
    return by_blocks(
        block_task(node),
        (*rows, *rest),
        [(table, None), (index, rows)],
        table.dtype,
        op,
        new_axes=dict(zip(rest, table.shape[1:], strict=True)),
    )


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
    rows = tuple(range(1, index.ndim + 1))
    rest = tuple(range(index.ndim + 1, y.ndim + 1))
    parts = by_blocks(
        partial(_increments, block_task(node), x.shape, x.dtype),
        (*rows, *[-i for i in range(1, x.ndim + 1)]),
        [(in_one_block(as_one_block(y), range(index.ndim, y.ndim)), (*rows, *rest)), (index, rows)],
        x.dtype,
        op,
        adjust_chunks=dict.fromkeys(rows, 1),
        new_axes={-i: n for i, n in enumerate(x.shape, 1)},
    )
    total = added_up(parts.reshape(-1, *x.shape), 0, blocks)
    return blocks.gather(total + as_one_block(x))


def _increments(task: NodeTask, shape: tuple[int, ...], dtype: Any, y: Any, index: Any) -> Any:
    """Return what a block of new values adds to an array; the axes of the block have length 1."""
    (found,) = performed(task.node, [np.zeros(shape, dtype), y, index])
    return found.reshape((1,) * index.ndim + shape)
