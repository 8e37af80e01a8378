"""What laws about tensors side by side ask of the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.lawkit.layout.extents import entries_of, is_own_length


def has_empty_pieces(axis: int, pieces: Sequence[Any]) -> bool:
    """Return whether some of `pieces`, but not all, are known to have no elements on `axis`."""
    return 0 < len(nonempty_pieces(axis, pieces)) < len(pieces)


def nonempty_pieces(axis: int, pieces: Sequence[Any]) -> list[Any]:
    """Return those of `pieces` that may have elements on `axis`."""
    return [v for v in pieces if v.type.shape[axis] != 0]


def one_after_the_other(*lists: Sequence[Any]) -> list[Any]:
    """Return lists as one."""
    return [item for part in lists for item in part]


def are_own_lengths(sizes: Any, axis: int, *pieces: Any) -> bool:
    """Return whether the vector `sizes` is how long `pieces` are known to be on `axis`.

    It is a constant, or made of ints and lengths of the pieces.
    """
    entries = entries_of(sizes)
    return (
        entries is not None
        and len(entries) == len(pieces)
        and all(is_own_length(n, v, axis) for n, v in zip(entries, pieces, strict=True))
    )
