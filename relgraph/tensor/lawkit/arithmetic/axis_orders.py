"""Arithmetic on the axes of reductions and on the orders of dimshuffles.

The axes of a reduction are a sorted tuple, or None for all. An order says for each axis of a result
which axis of the input it is, or ``"x"`` for a new one of length 1; an axis of the input that it
leaves out is dropped, and has length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.lawkit.guards.axes import Axes, axis_numbers

Order = Sequence[int | str]


def rank_of(x: Any) -> int:
    """Return how many axes `x` has."""
    return int(x.type.ndim)


def canonical_axes(axes: Sequence[int], ndim: int) -> tuple[int, ...] | None:
    """Return the axes of a reduction as its op has them: sorted, and None if they are all."""
    return None if len(axes) == ndim else tuple(sorted(axes))


def remaining_axes(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes that a reduction over `axes` leaves, by their numbers before it."""
    reduced = axis_numbers(axes, ndim)
    return tuple([i for i in range(ndim) if i not in reduced])


def order_without(x: Any, axes: Axes) -> tuple[int, ...]:
    """Return the order of the dimshuffle that drops `axes` of `x`."""
    return remaining_axes(axes, x.type.ndim)


def softmax_axis(axes: Axes) -> int | tuple[int, ...] | None:
    """Return the axes of a reduction as the softmax ops have them: an int if there is one."""
    if axes is None:
        return None
    return axes[0] if len(axes) == 1 else tuple(axes)
