"""Elementwise Ops, reductions, and Ops along an axis.

An elementwise node is one task for each block, which runs the kernel of the fused group. Reductions
and softmaxes are trees. Of an axis that an Op sorts or transforms each task has the whole length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import dask.array as da
import numpy as np

from relgraph import scalar
from relgraph.engines.dask.blocks import (
    Blocks,
    NodeTask,
    block_task,
    by_blocks,
    by_tree,
    in_one_block,
    is_blocked,
    known,
    performed,
    tree,
    unique,
)
from relgraph.engines.dask.lowering.dispatch import on_the_whole, register
from relgraph.graph.basic import Apply
from relgraph.scalar.type import extreme_of
from relgraph.tensor.along_axes import AlongAxis, ArgSort, Cumulate, Sort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.fft import DFT
from relgraph.tensor.functions.calculus import Accumulate
from relgraph.tensor.functions.searching import SearchSorted
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce, FusedReduction
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax


def _broadcast_shape(node: Apply, values: Sequence[Any]) -> tuple[int, ...] | None:
    shapes = {x.shape for x in values}
    return np.broadcast_shapes(*shapes) if len(shapes) > 1 else None


@register(Elemwise, way="one task for each block, of a fused group too", spreads=_broadcast_shape)
def _elementwise(op: Elemwise, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    shape = op.checked_shape(node, values)
    if 0 in shape:
        return tuple(np.empty(shape, v.type.numpy_dtype) for v in node.outputs)
    pairs = _with_axes(values, len(shape), blocks)
    axes = tuple(range(len(shape)))
    dtypes = [v.type.numpy_dtype for v in node.outputs]
    found = by_blocks(block_task(node), axes, pairs, dtypes[0], op)
    if op.nout == 1:
        return found
    return tuple(
        by_blocks(itemgetter(i), axes, [(found, axes)], dtype, op) for i, dtype in enumerate(dtypes)
    )


@register(FusedReduction, way="one task for each block, and trees")
def _fused_reduction(op: FusedReduction, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    shape = op.elemwise.checked_shape(node, values)
    if 0 in shape:
        return tuple(performed(node, [known(x) for x in values]))
    ndim = len(shape)
    axes = tuple(range(ndim))
    pairs = _with_axes(values, ndim, blocks)
    together = by_blocks(partial(_parts, block_task(node), ndim), axes, pairs, object, op)
    made = []
    for i, (reduction, out) in enumerate(zip(op.reductions, node.outputs, strict=True)):
        dtype = out.type.numpy_dtype
        if reduction is None:
            made.append(by_blocks(itemgetter(i), axes, [(together, axes)], dtype, op))
            continue
        ones = dict.fromkeys(axes, 1)
        parts = by_blocks(itemgetter(i), axes, [(together, axes)], dtype, op, adjust_chunks=ones)
        made.append(tree(reduction, parts, axes, dtype, blocks))
    return tuple(made)


def _parts(task: NodeTask, ndim: int, *values: Any) -> Any:
    """Return a fused reduction of blocks; what is reduced keeps its axes, with length 1."""
    found = performed(task.node, values)
    return tuple(x.reshape((1,) * ndim) if x.ndim == 0 else x for x in found)


def _with_axes(values: Sequence[Any], ndim: int, blocks: Blocks) -> list[tuple[Any, Any]]:
    """Return the inputs of an elementwise node with their axes; what has one element has none."""
    if not any(is_blocked(x) for x in values):
        largest = max(range(len(values)), key=lambda i: values[i].size)
        values = [blocks.array(x) if i == largest else x for i, x in enumerate(values)]
    axes = tuple(range(ndim))
    return [(x, None if not is_blocked(x) and x.size == 1 else axes) for x in values]


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
        partial(_positions, block, lengths),
        every,
        [(x, every), *starts],
        pair,
        op,
        align=False,
        adjust_chunks=dict.fromkeys(axes, 1),
    )
    return blocks.gather(by_tree(pairs, _as_it_is, block, axes, pair, blocks)["position"])


def _starts(lengths: Sequence[int]) -> Any:
    """Return where blocks start, as an array with one element in each block."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype("int64")
    return da.from_array(starts, chunks=1)


def _as_it_is(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return x


def _positions(block: _FirstExtreme, lengths: Sequence[int], x: Any, *starts: Any) -> Any:
    """Return the pair for the extreme of a block that starts somewhere along some axes."""
    found = np.empty(x.shape, [("value", x.dtype), ("position", "int64")])
    places = np.zeros((), "int64")
    for axis, start, length in zip(block.axes, starts, lengths, strict=True):
        along = np.arange(x.shape[axis]) + start[0]
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        places = places * length + along.reshape(shape)
    found["value"] = x
    found["position"] = places
    return block(found, keepdims=True)


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


@register(Softmax, LogSoftmax, way="one task for each block, and a tree")
def _softmax(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    axes, every = op.axes(x.ndim), tuple(range(x.ndim))
    if all(x.numblocks[axis] == 1 for axis in axes):
        return by_blocks(block_task(node), every, [(x, every)], x.dtype, op)
    pair = np.dtype([("greatest", x.dtype), ("total", x.dtype)])
    sums = by_tree(x, _sums_of_block, _sums_of_all, axes, pair, blocks, keepdims=True)
    if blocks.is_settled_early(sums):
        sums = known(sums)
    finish = partial(_shares if isinstance(op, Softmax) else _logarithms, x.dtype)
    found = by_blocks(finish, every, [(x, every), (sums, every)], x.dtype, op)
    return blocks.gather(found) if blocks.is_gathered(sums) else found


def _finite(greatest: Any) -> Any:
    """Return what is subtracted before exponentials are taken: the greatest element if finite."""
    return np.where(np.isfinite(greatest), greatest, greatest.dtype.type(0))


def _pairs(greatest: Any, total: Any) -> Any:
    found = np.empty(greatest.shape, [(n, greatest.dtype) for n in ("greatest", "total")])
    found["greatest"], found["total"] = greatest, total
    return found


def _sums_of_block(x: Any, axis: Any = None, keepdims: bool = True) -> Any:
    with np.errstate(all="ignore"):
        greatest = np.max(x, axis=axis, keepdims=True)
        return _pairs(greatest, np.sum(np.exp(x - _finite(greatest)), axis=axis, keepdims=True))


def _sums_of_all(x: Any, axis: Any = None, keepdims: bool = True) -> Any:
    with np.errstate(all="ignore"):
        greatest = np.max(x["greatest"], axis=axis, keepdims=True)
        scale = np.exp(_finite(x["greatest"]) - _finite(greatest))
        # a block of exponentials that are all zero adds nothing, however it is scaled
        scaled = np.where(x["total"] == 0, x["total"], x["total"] * scale)
        return _pairs(greatest, np.sum(scaled, axis=axis, keepdims=True))


def _shares(dtype: Any, x: Any, sums: Any) -> Any:
    total = sums["total"]
    with np.errstate(all="ignore"):
        shifted = x - _finite(sums["greatest"])
        # beside an infinity any finite element has the share 0, however large it is
        shifted = np.where(np.isinf(total), shifted - total, shifted)
        return np.asarray(np.exp(shifted) / total, dtype)


def _logarithms(dtype: Any, x: Any, sums: Any) -> Any:
    with np.errstate(all="ignore"):
        shifted = x - _finite(sums["greatest"])
        return np.asarray(shifted - np.log(sums["total"]), dtype)


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


@register(Cumulate, Accumulate, way=RUNNING)
def _running(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    dtype = node.outputs[0].type.numpy_dtype
    function = op.scalar_op.ufunc
    neutral = function.identity
    if neutral is None:
        neutral = extreme_of(dtype.name, op.scalar_op is scalar.minimum)
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
