"""Arrays that are made of numbers: each block by itself, where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, as_one_block, known
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.graph.basic import Apply
from relgraph.tensor.assembly.creation import Alloc, ARange, Eye

MADE = "each block by itself"


def _alloc_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(n) for n in values[1:])


def _eye_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...]:
    return (int(values[0]), int(values[1]))


def _arange_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    start, stop, step = (v.item() for v in values)
    return (max(0, int(-((start - stop) // step))),) if step else None


@register(Alloc, way=MADE, reads=lambda node: range(1, len(node.inputs)), spreads=_alloc_shape)
def _alloc(op: Alloc, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    value, *lengths = values
    shape = tuple(int(known(n)) for n in lengths)
    missing = len(shape) - value.ndim
    static = node.inputs[0].type.shape
    for axis, (n, length) in enumerate(zip(value.shape, shape[missing:], strict=True)):
        if n != length and static[axis] != 1:
            raise ValueError(f"alloc: axis {axis} of {node.inputs[0]} has length {n}, not {length}")
    if 0 in shape:
        return np.empty(shape, node.outputs[0].type.numpy_dtype)
    value = as_one_block(value)
    chunks = [
        own if axis >= missing and value.shape[axis - missing] == n else cut
        for axis, (n, own, cut) in enumerate(
            zip(
                shape,
                [(n,) for n in shape[:missing]] + list(value.chunks),
                blocks.chunks_of(shape, value.dtype),
                strict=True,
            )
        )
    ]
    return da.broadcast_to(value, shape, chunks=tuple(chunks))


@register(Eye, way=MADE, reads=lambda node: range(3), spreads=_eye_shape)
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
