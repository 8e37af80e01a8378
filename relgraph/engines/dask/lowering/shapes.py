"""Shapes, axes in another order, joins and parts by Dask's own functions, and new arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, as_one_block, known, performed
from relgraph.engines.dask.lowering.dispatch import inferred_shape, on_the_whole, register
from relgraph.graph.basic import Apply
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.signatures import check_broadcast
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
    op.check_lengths(node, values)
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
