"""Elementwise Ops, reductions, and Ops along an axis.

An elementwise node is one task for each block, which runs the kernel of the fused group. Reductions
are trees. Of an axis that an Op sorts or transforms each task has the whole length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from relgraph import scalar
from relgraph.engines.dask.blocks import (
    Blocks,
    NodeTask,
    as_one_block,
    block_task,
    is_blocked,
    on_items,
    over_core,
    tree,
)
from relgraph.engines.dask.lowering.dispatch import on_the_whole, register
from relgraph.graph.basic import Apply
from relgraph.scalar.type import extreme_of
from relgraph.tensor.along_axes import ArgSort, Cumulate, Recurrence, Sort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.fft import DFT
from relgraph.tensor.functions.searching import SearchSorted
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce, FusedReduction
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax


def _broadcast_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    shapes = {x.shape for x in values}
    return np.broadcast_shapes(*shapes) if len(shapes) > 1 else None


@register(Elemwise, way="one task for each block, of a fused group too", spreads=_broadcast_shape)
def _elementwise(op: Elemwise, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    if 0 in op.checked_shape(node, values):
        return on_the_whole(node, values, blocks)
    if not any(map(is_blocked, values)):
        values = list(map(blocks.array, values))
    return on_items(block_task(node), [v.type.numpy_dtype for v in node.outputs], *values)


@register(FusedReduction, way="one task for each block, and trees")
def _fused_reduction(op: FusedReduction, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    if 0 in op.elemwise.checked_shape(node, values):
        return on_the_whole(node, values, blocks)
    items = _elementwise(op.elemwise, op.elemwise.make_node(*node.inputs), values, blocks)
    return tuple(
        x if reduction is None else tree(reduction, x, range(x.ndim), v.type.numpy_dtype)
        for x, reduction, v in zip(items, op.reductions, node.outputs, strict=True)
    )


@register(CAReduce, LogSumExp, Norm, way="a tree")
def _reduction(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    return tree(op, x, op.axes(x.ndim), node.outputs[0].type.numpy_dtype)


@register(Argmax, Argmin, way="a tree")
def _position(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    # of equal elements in several rows of blocks Dask takes another one than the first
    x, axis = (values[0].reshape(-1), 0) if op.axis is None else (values[0], op.axis)
    return da.argmax(x, axis) if isinstance(op, Argmax) else da.argmin(x, axis)


@register(Softmax, LogSoftmax, way="one task for each block, and two trees")
def _softmax(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    axes = op.axes(x.ndim)
    greatest = blocks.settled(x.max(axis=axes, keepdims=True), x)
    (powers,) = on_items(_exponentials, [x.dtype], x, greatest)
    total = blocks.settled(powers.sum(axis=axes, keepdims=True, dtype=x.dtype), x)
    finish = _shares if isinstance(op, Softmax) else _logarithms
    return on_items(finish, [x.dtype], x, greatest, total)


def _shifted(x: Any, greatest: Any) -> Any:
    """Return elements less the greatest one, if that is finite."""
    return x - np.where(np.isfinite(greatest), greatest, greatest.dtype.type(0))


def _exponentials(x: Any, greatest: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.exp(_shifted(x, greatest))


def _shares(x: Any, greatest: Any, total: Any) -> Any:
    with np.errstate(all="ignore"):
        shifted = _shifted(x, greatest)
        # beside an infinity any finite element has the share 0, however large it is
        return np.exp(np.where(np.isinf(total), shifted - total, shifted)) / total


def _logarithms(x: Any, greatest: Any, total: Any) -> Any:
    with np.errstate(all="ignore"):
        return _shifted(x, greatest) - np.log(total)


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
        if len(axes) == values[0].ndim or any(x.shape != values[0].shape for x in values):
            return on_the_whole(node, values, blocks)
        core = ",".join(f"i{axis}" for axis in axes)
        return over_core(
            partial(_with_axes, block_task(node), axes, drops),
            f"{','.join([f'({core})'] * len(values))}->({'' if drops else core})",
            [node.outputs[0].type.numpy_dtype],
            values,
            axes=[*[axes] * len(values), () if drops else axes],
        )

    return lowering


def _with_axes(task: NodeTask, axes: Sequence[int], drops: bool, *values: Any) -> Any:
    """Call a task with blocks whose axes are the last ones."""
    last = range(-len(axes), 0)
    found = task(*[np.moveaxis(x, last, axes) for x in values])
    return found if drops else np.moveaxis(found, axes, last)


register(Sort, ArgSort, DFT, Recurrence, way=ALONG)(_along(lambda op, x: (op.axis,)))
register(Cosine, Covariance, way=ALONG)(_along(lambda op, x: op.axes(x.ndim), drops=True))


@register(Cumulate, way=RUNNING)
def _running(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    dtype = node.outputs[0].type.numpy_dtype
    function = op.scalar_op.ufunc
    neutral = function.identity
    if neutral is None:
        neutral = extreme_of(dtype.name, op.scalar_op is scalar.minimum)
    accumulate = partial(_accumulate_block, function)
    accumulate.__name__ = function.__name__  # type: ignore[attr-defined]  # Dask names tasks by it
    return da.reductions.cumreduction(
        accumulate, partial(_combine, function), neutral, x.astype(dtype), op.axis, dtype
    )


def _accumulate_block(function: Any, x: Any, axis: int) -> Any:
    with np.errstate(all="ignore"):
        return function.accumulate(x, axis=axis, dtype=x.dtype)


def _combine(function: Any, x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(x, y, dtype=y.dtype)


@register(SearchSorted, way="blocks of what is looked for")
def _searched(op: SearchSorted, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    if not values[0].size:  # `apply_gufunc` divides by this length
        return (da.zeros_like(as_one_block(values[1]), dtype="int64"),)
    return over_core(block_task(node), "(i),()->()", [np.dtype("int64")], values)
