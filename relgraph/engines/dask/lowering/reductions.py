"""Reductions: sums, extremes, their positions, norms, and sums of exponentials, as trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, by_blocks
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.engines.dask.lowering.trees import tree
from relgraph.engines.dask.tasks import unique
from relgraph.graph.basic import Apply
from relgraph.tensor.reductions.argmax import Argmax, Argmin
from relgraph.tensor.reductions.norm import Norm
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import LogSumExp


@register(CAReduce, LogSumExp, Norm, way="a tree")
def _reduction(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    return tree(op, x, op.axes(x.ndim), node.outputs[0].type.numpy_dtype, blocks)


@register(Argmax, Argmin, way="a tree")
def _position(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    """Reduce to pairs of an extreme and its position: of equal ones the first counts."""
    (x,) = values
    axes = tuple(range(x.ndim)) if op.axis is None else (op.axis,)
    every = tuple(range(x.ndim))
    lengths = tuple(x.shape[axis] for axis in axes)
    starts = [(_starts(x.chunks[axis]), (axis,)) for axis in axes]
    pair = np.dtype([("value", x.dtype), ("position", "int64")])
    block = _FirstExtreme(type(op).function, axes)
    pairs = by_blocks(
        _Positions(block, lengths),
        every,
        [(x, every), *starts],
        pair,
        op,
        align=False,
        adjust_chunks=dict.fromkeys(axes, 1),
    )
    kept = tuple(i for i in every if i not in axes)
    found = da.reduction(
        pairs,
        _as_it_is,
        block,
        axis=axes,
        combine=block,
        dtype=pair,
        meta=np.empty((0,) * len(kept), pair),
    )
    positions = by_blocks(
        _position_field, every[: len(kept)], [(found, every[: len(kept)])], "int64", op
    )
    return blocks.gather(positions)


def _starts(lengths: Sequence[int]) -> Any:
    """Return where blocks start, as an array with one element in each block."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype("int64")
    return da.from_array(starts, chunks=1)


def _as_it_is(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return x


def _position_field(x: Any) -> Any:
    return x["position"]


class _Positions:
    """Takes a block and where it starts along some axes; gives the pair for its extreme."""

    def __init__(self, block: _FirstExtreme, lengths: Sequence[int]) -> None:
        self.block = block
        self.lengths = tuple(lengths)

    def __call__(self, x: Any, *starts: Any) -> Any:
        found = np.empty(x.shape, [("value", x.dtype), ("position", "int64")])
        places = np.zeros((), "int64")
        for axis, start, length in zip(self.block.axes, starts, self.lengths, strict=True):
            along = np.arange(x.shape[axis]) + start[0]
            shape = [-1 if i == axis else 1 for i in range(x.ndim)]
            places = places * length + along.reshape(shape)
        found["value"] = x
        found["position"] = places
        return self.block(found, keepdims=True)


class _FirstExtreme:
    """Takes the pair of the first extreme along some axes."""

    def __init__(self, function: Any, axes: Sequence[int]) -> None:
        self.function = function
        self.axes = tuple(axes)

    def __call__(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        kept = [i for i in range(x.ndim) if i not in self.axes]
        rows = x.transpose(*kept, *self.axes).reshape(*[x.shape[i] for i in kept], -1)
        order = np.argsort(rows["position"], axis=-1, kind="stable")
        rows = np.take_along_axis(rows, order, axis=-1)
        at = self.function(rows["value"], axis=-1)
        found = np.take_along_axis(rows, np.asarray(at)[..., None], axis=-1)[..., 0]
        return np.expand_dims(found, self.axes) if keepdims else found

    def __dask_tokenize__(self) -> str:
        return unique(self)
