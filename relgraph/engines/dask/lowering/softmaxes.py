"""Softmax and its logarithm: the greatest element and the sum of exponentials by one tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, by_blocks, known
from relgraph.engines.dask.lowering.dispatch import register
from relgraph.engines.dask.tasks import block_task
from relgraph.graph.basic import Apply
from relgraph.tensor.softmaxes import LogSoftmax, Softmax


@register(Softmax, LogSoftmax, way="one task for each block, and a tree")
def _softmax(op: Any, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    (x,) = values
    axes, every = op.axes(x.ndim), tuple(range(x.ndim))
    if all(x.numblocks[axis] == 1 for axis in axes):
        return by_blocks(block_task(node), every, [(x, every)], x.dtype, op)
    pair = np.dtype([("greatest", x.dtype), ("total", x.dtype)])
    sums = da.reduction(
        x,
        _sums_of_block,
        _sums_of_all,
        axis=axes,
        combine=_sums_of_all,
        keepdims=True,
        dtype=pair,
        meta=np.empty((0,) * x.ndim, pair),
    )
    if blocks.passes and blocks.small(sums):
        sums = known(sums)
    else:
        blocks.gather(sums)
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
