"""The axes of a softmax and of what is written for it, for `relations.reductions.softmax`."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.axes import normalize_axes
from relgraph.tensor.lawkit.arithmetic.axis_orders import Order
from relgraph.tensor.lawkit.guards.axes import Axes


def restores_axes(order: Order, axes: Axes, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order`, after a reduction of `x` over `axes`, gives back
    the axes that this took away: with length 1, as ``keepdims=True`` does."""
    reduced = range(x.type.ndim) if axes is None else axes
    kept = iter(range(x.type.ndim))
    return tuple(order) == tuple("x" if i in reduced else next(kept) for i in range(x.type.ndim))


def covers_axes(x: Any, y: Any, axes: Axes) -> bool:
    """Return whether ``x * y``, of one rank, has the lengths of `x` along some axes."""
    reduced = range(x.type.ndim) if axes is None else axes
    return all(y.type.broadcastable[i] or not x.type.broadcastable[i] for i in reduced)


def restores_softmax_axes(order: Order, axis: Any, x: Any) -> bool:
    """Return whether a `DimShuffle` to `order` gives back the axes that `LogSumExp` took away.

    Parameters
    ----------
    axis
        That of the `LogSumExp`: an int, several, or None for all.
    """
    return restores_axes(order, normalize_axes(axis, x.type.ndim, "logsumexp"), x)
