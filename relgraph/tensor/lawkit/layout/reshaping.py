"""Shapes that a reshape is given or that are declared, for `relations.layout.reshaping`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.lawkit.guards.shapes import is_length_of, known_entries

Lengths = Sequence[int | None]


def keeps_memory_order(order: Sequence[int | str]) -> bool:
    """Return whether a `DimShuffle` to `order` leaves the elements where they are in memory."""
    axes = [axis for axis in order if not isinstance(axis, str)]
    return axes == sorted(axes)


@depends_on_levels(2)
def is_shape_of(vector: Any, x: Any) -> bool:
    """Return whether `vector` is known to be the shape of `x`, or to stand for it by a -1.

    It is a constant, or made of ints and lengths of `x`.
    """
    entries = known_entries(vector)
    if entries is None:
        return False
    known = x.type.shape
    free = [i for i, n in enumerate(entries) if isinstance(n, int) and n == -1]
    return (
        len(entries) == len(known)
        and len(free) <= 1
        # of a tensor without elements a -1 may be anything
        and (not free or len(entries) == 1 or (None not in known and 0 not in known))
        and all(i in free or is_length_of(n, x, i) for i, n in enumerate(entries))
    )


@depends_on_levels(2)
def one_element_reshaped(x: Any, vector: Any) -> Variable | None:
    """Return what a reshape makes of one element, without a reshape: axes of length 1 go and come.

    None if `x` may have more elements, or `vector` holds something else than ones and -1.
    """
    entries = known_entries(vector)
    if entries is None or not all(x.type.broadcastable):
        return None
    if not all(isinstance(n, int) and n in (1, -1) for n in entries):
        return None
    made: Variable = DimShuffle(x.type.ndim, ("x",) * len(entries))(x)
    return made


def is_known_shape_of(lengths: Lengths, x: Any) -> bool:
    """Return whether the type of `x` has all those `lengths` that are no None."""
    return all(n is None or n == known for n, known in zip(lengths, x.type.shape, strict=True))


def merged_lengths(s: Lengths, t: Lengths) -> tuple[int | None, ...]:
    """Return the lengths that either of two shapes, which agree, declares."""
    return tuple(m if n is None else n for n, m in zip(s, t, strict=True))
