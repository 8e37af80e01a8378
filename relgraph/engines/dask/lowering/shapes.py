"""Shapes, axes in another order, joins and parts: Dask's own functions, and no arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, as_one_block, known
from relgraph.engines.dask.lowering.dispatch import on_the_whole, register
from relgraph.engines.dask.tasks import performed
from relgraph.graph.basic import Apply
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.assertion import Assert
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import MakeVector, Shape, Shape_i
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
    (x,) = values
    kept = x[tuple(0 if i in op.drop else slice(None) for i in range(x.ndim))]
    positions = {axis: i for i, axis in enumerate(sorted(op.shuffle))}
    moved = da.transpose(kept, [positions[axis] for axis in op.shuffle])
    return moved[tuple(None if axis == "x" else slice(None) for axis in op.new_order)]


@register(Reshape, way="blocks are cut anew where axes become others", reads=lambda node: [1])
def _reshape(op: Reshape, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, shape = values[0], known(values[1]).tolist()
    others = math.prod(n for n in shape if n != -1)
    fits = len(shape) == op.ndim and min(shape, default=0) >= -1 and shape.count(-1) <= 1
    if -1 in shape:
        fits = fits and others > 0 and x.size % others == 0
    elif others != x.size:
        fits = False
    if not fits:
        raise ValueError(
            f"reshape: {node.inputs[0]} has shape {x.shape}, the elements of which don't fit "
            f"{tuple(shape)}"
        )
    lengths = [x.size // others if n == -1 else n for n in shape]
    try:
        return x.reshape(lengths)
    except NotImplementedError:  # some axes are neither merged nor split
        return x.reshape(-1).reshape(lengths)


@register(Join, way=VIEW)
def _join(op: Join, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    first, dtype = values[0], node.outputs[0].type.numpy_dtype
    for v, x in zip(node.inputs, values, strict=True):
        for i, (n, m) in enumerate(zip(x.shape, first.shape, strict=True)):
            if n != m and i != op.axis:
                raise ValueError(f"{op}: axis {i} of {v} has length {n}, of {node.inputs[0]} {m}")
    parts = [as_one_block(x).astype(dtype) for x in values if x.size]
    if not parts:
        return performed(node, values)[0]
    return da.concatenate(parts, axis=op.axis)


@register(Split, way=VIEW, reads=lambda node: [1])
def _split(op: Split, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    x, sizes = values[0], known(values[1])
    total = x.shape[op.axis]
    if len(sizes) != op.len_splits or sizes.sum() != total or (sizes < 0).any():
        raise ValueError(
            f"{op}: lengths {sizes.tolist()} for axis {op.axis} of {node.inputs[0]}, which has "
            f"length {total}"
        )
    stops = np.cumsum(sizes)
    leading = (slice(None),) * op.axis
    return tuple(
        x[(*leading, slice(int(stop - n), int(stop)))] for n, stop in zip(sizes, stops, strict=True)
    )
