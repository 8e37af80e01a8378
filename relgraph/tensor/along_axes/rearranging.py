"""Elements repeated or moved along an axis: repeat, tile, flip, roll."""

from __future__ import annotations

from typing import Any

from relgraph.graph.utils import AsksForType, LogicTerm
from relgraph.tensor.assembly.creation import arange
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.axes import named_axis, normalize_axes, normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.indexing.functions import getitem, index_along, take
from relgraph.tensor.math import maximum
from relgraph.tensor.shapes.reshaping import flatten, reshape
from relgraph.tensor.shapes.shape import as_length, as_lengths, lengths


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return `x` with each element along `axis` repeated; for None, of the flattened `x`.

    Parameters
    ----------
    repeats
        How often each element occurs: an int or an integer variable of rank 0.
    """
    x = as_tensor_variable(x)
    if axis is None:
        x, axis = flatten(x), 0
    axis = normalize_axis(axis, x.type.ndim, "repeat")
    times = as_length(repeats, "repeat")
    if isinstance(times, int) and times < 0:
        raise ValueError(f"repeat: {times} times")
    return take(x, arange(lengths(x)[axis] * times) // times, axis)


def tile(x: Any, reps: Any) -> Any:
    """Return copies of `x`, joined along its axes.

    Parameters
    ----------
    x
        A tensor.
    reps
        The number of copies along the last axes: an int, an integer variable, or a sequence of
        these. If there are more than `x` has axes, `x` gets axes in front.
    """
    x = as_tensor_variable(x)
    times = as_lengths(reps, "tile")
    ndim = max(x.type.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    x = x.dimshuffle(*["x"] * (ndim - x.type.ndim), *range(x.type.ndim))
    for axis, n in enumerate(times):
        if not isinstance(n, int):
            length = lengths(x)[axis]
            x = take(x, arange(length * n) % maximum(length, 1), axis)
            continue
        if n < 0:
            raise ValueError(f"tile: {n} times along axis {axis}")
        if n != 1:
            leading = (slice(None),) * axis
            x = join(axis, *[x] * n) if n else getitem(x, (*leading, slice(0, 0)))
    return x


def flip(x: Any, axis: Any = None) -> Any:
    """Return `x` reversed along `axis`: an int, a sequence of ints, or None for all axes.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axes along which the order is reversed.

    >>> flip([1, 2, 3]).eval()
    array([3, 2, 1])
    """
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm):
        if isinstance(axis, tuple | list):
            raise AsksForType("flip of a logic variable takes one axis: turn around one at a time")
        return getitem(x, index_along(named_axis(axis, "flip"), slice(None, None, -1)))
    axes = normalize_axes(axis, x.type.ndim, "flip")
    return getitem(
        x, tuple(slice(None, None, -1 if i in axes else None) for i in range(x.type.ndim))
    )


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return `x` with its elements shifted along `axis`; for None, in the flattened `x`.

    Elements that move past the end come in again at the front.

    Parameters
    ----------
    shift
        The number of positions: an int or an integer variable of rank 0. A tuple or list of them
        goes with the axes.
    axis
        An int, or a tuple or list of them: the elements are shifted along each.
    """
    x = as_tensor_variable(x)
    if isinstance(axis, tuple | list):
        shifts = shift if isinstance(shift, tuple | list) else [shift] * len(axis)
        axes = list(axis) * len(shifts) if len(axis) == 1 else axis
        if len(shifts) == 1:
            shifts = list(shifts) * len(axes)
        if len(shifts) != len(axes):
            raise ValueError(f"roll: {len(shifts)} shifts along {len(axes)} axes")
        for one, along in zip(shifts, axes, strict=True):
            x = roll(x, one, normalize_axis(along, x.type.ndim, "roll"))
        return x
    if axis is None:
        shape = lengths(x)
        return reshape(roll(flatten(x), shift, 0), shape) if x.type.ndim else x
    axis = normalize_axis(axis, x.type.ndim, "roll")
    n = lengths(x)[axis]
    if isinstance(n, int) and n == 0:
        return x
    start = -as_length(shift, "roll") % maximum(n, 1)
    leading = (slice(None),) * axis
    last, first = slice(start, None), slice(None, start)
    return join(axis, getitem(x, (*leading, last)), getitem(x, (*leading, first)))
