"""Ops along some axes: of these each task has the whole length, and the blocks are along others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from relgraph import scalar
from relgraph.engines.dask.blocks import Blocks, by_blocks, in_one_block, is_blocked
from relgraph.engines.dask.lowering.dispatch import on_the_whole, register
from relgraph.engines.dask.tasks import block_task
from relgraph.graph.basic import Apply
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.along_axes.cumulative import Cumulate
from relgraph.tensor.along_axes.recurrences import AlongAxis
from relgraph.tensor.along_axes.sorting import ArgSort, Sort
from relgraph.tensor.fft.transforms import DFT
from relgraph.tensor.functions.running import Accumulate
from relgraph.tensor.functions.searching import SearchSorted
from relgraph.tensor.reductions.pairs import Cosine, Covariance

ALONG = "blocks along the other axes"
RUNNING = "block after block along the axis"


def _along(axes_of: Callable[[Any, Any], Sequence[int]], drops: bool = False) -> Any:
    """Return a lowering whose tasks have whole axes of all inputs, which have one shape.

    Parameters
    ----------
    axes_of
        Takes the Op and the first input; returns the axes.
    drops
        Whether the output lacks them.
    """

    def lowering(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
        axes = tuple(axes_of(op, values[0]))
        every = tuple(range(values[0].ndim))
        if len(axes) == len(every) or any(x.shape != values[0].shape for x in values):
            return on_the_whole(node, values, blocks)
        whole = [in_one_block(blocks.array(x), axes) for x in values]
        index = tuple(i for i in every if i not in axes) if drops else every
        dtype = node.outputs[0].type.numpy_dtype
        return by_blocks(block_task(node), index, [(x, every) for x in whole], dtype, op)

    return lowering


register(Sort, ArgSort, DFT, AlongAxis, way=ALONG)(_along(lambda op, x: (op.axis,)))
register(Cosine, Covariance, way=ALONG)(_along(lambda op, x: op.axes(x.ndim), drops=True))


@register(Cumulate, way=RUNNING)
def _cumulate(op: Cumulate, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    neutral = 0 if op.scalar_op is scalar.add else 1
    return _running(op, node, values[0], neutral, blocks)


@register(Accumulate, way=RUNNING)
def _accumulate(op: Accumulate, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    return _running(op, node, values[0], _least(op, node.outputs[0].type.dtype), blocks)


def _least(op: Accumulate, dtype: str) -> Any:
    """Return what changes no extreme and no sum of exponentials."""
    greatest = op.scalar_op is scalar.minimum
    if dtype == "bool":
        return greatest
    if is_discrete(dtype):
        limits = np.iinfo(dtype)
        return limits.max if greatest else limits.min
    return np.inf if greatest else -np.inf


def _running(op: Any, node: Apply, x: Any, neutral: Any, blocks: Blocks) -> Any:
    dtype = node.outputs[0].type.numpy_dtype
    function = op.scalar_op.ufunc
    accumulate = partial(_accumulate_block, function)
    accumulate.__name__ = function.__name__  # type: ignore[attr-defined]  # Dask names tasks by it
    found = da.reductions.cumreduction(
        accumulate, partial(_combine, function), neutral, x.astype(dtype), op.axis, dtype
    )
    return blocks.run_on(found) if x.numblocks[op.axis] > 1 else found


def _accumulate_block(function: Any, x: Any, axis: int) -> Any:
    with np.errstate(all="ignore"):
        return function.accumulate(x, axis=axis, dtype=x.dtype)


def _combine(function: Any, x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(x, y, dtype=y.dtype)


@register(SearchSorted, way="blocks of what is looked for")
def _searched(op: SearchSorted, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    ordered, wanted = values
    if is_blocked(ordered):
        return on_the_whole(node, values, blocks)
    every = tuple(range(wanted.ndim))
    pairs = [(ordered, None), (wanted, every)]
    return by_blocks(block_task(node), every, pairs, "int64", op)
