"""Roots of sums of squares, for the laws in `relations.cancellation.hypotenuses`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.math import length


def length_of_all(bases: Sequence[tuple[Any, ...]]) -> Any:
    """Return the length of a vector, given for each term of a sum what it is the square of; None if
    one is no square, or the dtypes differ."""
    if not all(bases) or len({base.type.dtype for (base,) in bases}) > 1:
        return None
    return length(*[base for (base,) in bases])
