"""Pieces that a join puts side by side, for the laws in `relations.layout.joining`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.indexing.indices import IndexList, Slice
from relgraph.tensor.lawkit.arithmetic.basic_indices import padded, trimmed
from relgraph.tensor.lawkit.guards.shapes import is_length_of, known_entries


def concatenated(*lists: Sequence[Any]) -> list[Any]:
    """Return the items of some lists in one."""
    return [item for part in lists for item in part]


def has_empty_pieces(axis: int, pieces: Sequence[Any]) -> bool:
    """Return whether some of `pieces`, but not all, are known to have no elements on `axis`."""
    return 0 < len(nonempty_pieces(axis, pieces)) < len(pieces)


def nonempty_pieces(axis: int, pieces: Sequence[Any]) -> list[Any]:
    """Return those of `pieces` that may have elements on `axis`."""
    return [v for v in pieces if v.type.shape[axis] != 0]


def are_lengths_of(sizes: Any, axis: int, *pieces: Any) -> bool:
    """Return whether the entries of the vector `sizes` are known to be the lengths of `pieces` on
    `axis`: ints, or the lengths of the pieces as variables."""
    entries = known_entries(sizes)
    return (
        entries is not None
        and len(entries) == len(pieces)
        and all(is_length_of(n, v, axis) for n, v in zip(entries, pieces, strict=True))
    )


def is_everything(index: IndexList) -> bool:
    """Return whether an index without whole slices at its end takes everything."""
    return index == ()


def adjacent_slices_as_one(axis: int, a: IndexList, b: IndexList) -> IndexList | None:
    """Return the index that takes what `a` and then `b` take on `axis`.

    ``[:k]`` and ``[k:]`` are ``[:]``, ``[1:3]`` and ``[3:]`` are ``[1:]``.

    Returns
    -------
    index
        None if the slice of `b` does not begin where that of `a` ends, or they differ elsewhere.
    """
    first, second = padded(a, axis + 1), padded(b, axis + 1)
    if not all(isinstance(entry, Slice) for entry in first[:axis]):
        return None  # the axis of the join is another one of the tensor
    others = (*first[:axis], *first[axis + 1 :]) == (*second[:axis], *second[axis + 1 :])
    low, high = first[axis], second[axis]
    if not others or not isinstance(low, Slice) or not isinstance(high, Slice):
        return None
    if {low.step, high.step} - {None, 1} or low.stop is None or low.stop != high.start:
        return None
    ends = (low.start, low.stop, high.stop)
    whole = low.start is None and high.stop is None
    counted = [e for e in ends if e is not None]
    placed = [e for e in counted if isinstance(e, int) and e >= 0]
    rising = placed == counted == sorted(placed)
    if not whole and not rising:
        return None
    return trimmed((*first[:axis], Slice(low.start, high.stop), *first[axis + 1 :]))
