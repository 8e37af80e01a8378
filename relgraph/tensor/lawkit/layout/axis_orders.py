"""Arithmetic on the orders of dimshuffles and on the axes of reductions.

An order says for each axis of a result which axis of the input it is, or ``"x"`` for a new one of
length 1; axes of the input that it leaves out are dropped, and have length 1. The axes of a
reduction are a sorted tuple, or None for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Order = Sequence[int | str]
Axes = Sequence[int] | None


def composed_order(outer: Order, inner: Order) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that does what `inner` and then `outer` do."""
    return tuple([a if isinstance(a, str) else inner[a] for a in outer])


def changes_nothing(input_ndim: int, order: Order) -> bool:
    """Return whether a dimshuffle leaves every axis where it is.

    It may drop an axis and put a new one in its place: either has length 1.
    """
    return len(order) == input_ndim and all(
        a == i or (isinstance(a, str) and i not in order) for i, a in enumerate(order)
    )


def axes_of(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes of a reduction of a tensor with `ndim` axes, all by their numbers."""
    return tuple(range(ndim)) if axes is None else tuple(axes)


def spelt_axes(axes: Sequence[int], ndim: int) -> tuple[int, ...] | None:
    """Return the axes of a reduction as its op spells them: None if they are all."""
    return None if len(axes) == ndim else tuple(sorted(axes))


def kept_axes(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes that a reduction leaves, by their numbers before it."""
    reduced = axes_of(axes, ndim)
    return tuple([i for i in range(ndim) if i not in reduced])


def merged_axes(outer: Axes, inner: Axes) -> tuple[int, ...] | None:
    """Return the axes of the one reduction that does what `inner` and then `outer` do."""
    if outer is None or inner is None:
        return None
    ndim = len(inner) + 1 + max(outer, default=-1)
    left = kept_axes(inner, ndim)
    return tuple(sorted([*inner, *(left[a] for a in outer)]))


def axes_before(order: Order, axes: Axes, ndim: int) -> tuple[int, ...] | None:
    """Return the axes of the input that are reduced when `axes` of its dimshuffle are.

    Parameters
    ----------
    ndim
        The number of axes of the input.
    """
    reduced = [order[a] for a in axes_of(axes, len(order))]
    return spelt_axes([a for a in reduced if not isinstance(a, str)], ndim)


def order_after(order: Order, axes: Axes, ndim: int) -> tuple[int | str, ...]:
    """Return how a dimshuffle orders the axes that are left when its input is reduced first.

    ``reduce(dimshuffle(x, order), axes)`` is ``dimshuffle(reduce(x, before), after)``.
    """
    reduced = axes_of(axes, len(order))
    before = axes_of(axes_before(order, axes, ndim), ndim)
    places = {a: i for i, a in enumerate(kept_axes(before, ndim))}
    return tuple(
        [a if isinstance(a, str) else places[a] for i, a in enumerate(order) if i not in reduced]
    )


def padded_order(ndim: int, wanted: int) -> tuple[int | str, ...]:
    """Return the order that adds axes on the left, as broadcasting does."""
    return (*["x"] * (wanted - ndim), *range(ndim))


def constant_along(x: Any, axes: Axes, ndim: int) -> bool:
    """Return whether `x`, broadcast to `ndim` axes, is known to be repeated along `axes`."""
    missing = ndim - x.type.ndim
    return all(
        a < missing or (a < ndim and x.type.shape[a - missing] == 1) for a in axes_of(axes, ndim)
    )


def is_constant_along(c: Any, axes: Axes, x: Any) -> bool:
    """Return whether `c` is known to be repeated along the `axes` of `x`, should these be longer
    than 1; either has as many axes."""
    ndim = x.type.ndim
    return c.type.ndim == ndim and constant_along(c, axes, ndim)


def rank_of(x: Any) -> int:
    """Return how many axes `x` has."""
    return int(x.type.ndim)


def order_without(x: Any, axes: Axes) -> tuple[int, ...]:
    """Return the order of the dimshuffle that drops `axes` of `x`."""
    return kept_axes(axes, x.type.ndim)


def padding_to(x: Any, shape: Sequence[Any]) -> tuple[int | str, ...]:
    """Return the order that gives `x` as many axes as `shape` has, by new ones on the left."""
    return padded_order(x.type.ndim, len(shape))


def rank_after(axes: Axes, ndim: int) -> int:
    """Return how many axes a reduction of a tensor with `ndim` axes leaves."""
    return ndim - len(axes_of(axes, ndim))


def includes_axis(axes: Axes, axis: int) -> bool:
    """Return whether a reduction goes over `axis`."""
    return axes is None or axis in axes


def is_old_axis(order: Order, axis: int) -> bool:
    """Return whether `axis` of a dimshuffle is one of its input."""
    return not isinstance(order[axis], str)
