"""Parts of running totals, for the laws in `relations.reductions.cumulative`."""

from __future__ import annotations

from typing import Any

from relgraph import scalar
from relgraph.tensor.indexing.indices import WHOLE, IndexList, Slice
from relgraph.tensor.lawkit.arithmetic.basic_indices import padded
from relgraph.tensor.lawkit.guards.types import is_complex


def is_prefix_along(index: IndexList, axis: int) -> bool:
    """Return whether an index takes, on `axis`, all elements up to some position."""
    if len(index) <= axis:
        return True
    entry = index[axis]
    return isinstance(entry, Slice) and entry.start in (None, 0) and entry.step in (None, 1)


def is_last_along(index: IndexList, axis: int) -> bool:
    """Return whether an index takes the last element on `axis`, and all of the other axes."""
    return index == (*[WHOLE] * axis, -1)


def is_summed_or_real(scalar_op: Any, x: Any) -> bool:
    """Return whether running totals of `x` are sums, or of no complex numbers.

    A product of complex numbers starts with 1, which makes nan of an infinite one: a running
    product starts with its first factor. One of two factors NumPy rounds in another way than the
    first of several.
    """
    return scalar_op is scalar.add or not is_complex(x)


def axis_after_index(index: IndexList, axis: int, x: Any) -> int:
    """Return the number in ``x[index]`` of an `axis` of `x` of which a slice is taken."""
    return sum(isinstance(entry, Slice) for entry in padded(index, x.type.ndim)[:axis])


def axes_of_reduction(axis: int) -> tuple[int]:
    """Return one axis as the axes of a reduction."""
    return (axis,)
