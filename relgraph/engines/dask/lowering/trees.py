"""Reductions as trees: what an Op makes of each block is put together, and reduced by it again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, by_blocks
from relgraph.engines.dask.tasks import performed, unique
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.tensor.type import TensorType


class ReduceBlock:
    """Reduces some axes of a block by an Op, which makes the axes anew for the rank and dtype."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def __call__(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        (found,) = performed(_node(self.op, x.dtype.name, x.ndim), [x])
        return np.expand_dims(found, axis) if keepdims else found

    def __dask_tokenize__(self) -> str:
        return unique(self.op)


@lru_cache(maxsize=1024)
def _node(op: Op, dtype: str, ndim: int) -> Apply:
    return op.make_node(TensorType(dtype, (None,) * ndim).make_variable())


def tree(op: Op, x: Any, axes: Sequence[int], dtype: Any, blocks: Blocks) -> Any:
    """Return some axes of an array, reduced by an Op that may take the results of parts.

    Parameters
    ----------
    op
        The Op: of one input, and over these axes for its rank.
    x
        A Dask array.
    axes
        The axes.
    dtype
        The dtype of the result.
    """
    kept = tuple(i for i in range(x.ndim) if i not in axes)
    if not axes or all(x.numblocks[axis] == 1 for axis in axes):
        return by_blocks(ReduceBlock(op), kept, [(x, tuple(range(x.ndim)))], dtype, op)
    block = ReduceBlock(op)
    meta = np.empty((0,) * len(kept), dtype)
    found = da.reduction(x, block, block, axis=tuple(axes), combine=block, dtype=dtype, meta=meta)
    return blocks.gather(found)


def all_axes(op: Op, x: Any, dtype: Any, blocks: Blocks) -> Any:
    """Return an array reduced over all axes by an Op."""
    return tree(op, x, tuple(range(x.ndim)), dtype, blocks)


def added_up(x: Any, axis: int, blocks: Blocks) -> Any:
    """Return the sum of an array over an axis, in its own dtype."""
    meta = np.empty((0,) * (x.ndim - 1), x.dtype)
    return blocks.gather(
        da.reduction(x, _sum, _sum, axis=axis, combine=_sum, dtype=x.dtype, meta=meta)
    )


def _sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    with np.errstate(all="ignore"):
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
