"""A part of an array set to new values, block by block.

The assignment of `dask.array` fails for some indices and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from typing import Any

import dask.array as da
from dask.highlevelgraph import HighLevelGraph

from relgraph.engines.dask.tasks import unique


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
            tasks[(name, *block)] = (_SetPart([parts[axis][i] for axis, i in at]), before, source)
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


class _SetPart:
    """Returns a copy of a block with a part set to new values."""

    def __init__(self, place: Sequence[slice]) -> None:
        self.place = tuple(place)

    def __call__(self, x: Any, new: Any) -> Any:
        found = x.copy()
        found[self.place] = new
        return found
