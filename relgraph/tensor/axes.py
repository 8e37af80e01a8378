"""Checks and conversions of arguments that are axes or lengths of axes."""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.utils import AsksForType, LogicTerm

Shape = tuple[int | None, ...]
_Length = TypeVar("_Length")


def normalize_axis(axis: Any, ndim: int, what: str) -> int:
    """Return `axis` as an int from 0 to ``ndim - 1``.

    Parameters
    ----------
    axis
        An integer; a negative one counts from the end.
    ndim
        The rank of the tensor.
    what
        The name of the calling function, for the error.

    Raises
    ------
    TypeError
        If `axis` is not an integer.
    ValueError
        If there is no such axis (NumPy's AxisError is a ValueError too).
    """
    # Python counts a bool as an integer
    if isinstance(axis, bool):
        raise TypeError(f"{what}: axis is {axis!r}, not an integer")
    try:
        number = operator.index(axis)
    except TypeError:
        raise TypeError(f"{what}: axis is {axis!r}, not an integer") from None
    if not -ndim <= number < ndim:
        raise ValueError(f"{what}: axis {number} of an array with {ndim} dimensions")
    return number % ndim


def normalize_axes(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Return `axis`, an integer, several or None for all, as sorted ints from 0 to ``ndim - 1``.

    Raises
    ------
    TypeError, ValueError
        As for `normalize_axis`. Also a ValueError if an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    several = axis if isinstance(axis, tuple | list) else (axis,)
    axes = sorted(normalize_axis(a, ndim, what) for a in several)
    if len(set(axes)) < len(axes):
        raise ValueError(f"{what}: axis {axis!r} names an axis twice")
    return tuple(axes)


def reduced_axes(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Return the axes of a reduction as `normalize_axes` does.

    As in NumPy, a tensor without axes may be reduced over its first or its last one.
    """
    several = axis if isinstance(axis, tuple | list) else (axis,)
    if ndim == 0 and len(several) == 1 and static_int(several[0]) in (0, -1):
        return ()
    return normalize_axes(axis, ndim, what)


def without_axes(shape: Iterable[_Length], axes: Container[int]) -> tuple[_Length, ...]:
    """Return what is left of a shape when some axes, counted from the front, are dropped."""
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def named_axis(axis: Any, what: str) -> Any:
    """Return the axis that a function of a logic variable was given.

    Raises
    ------
    AsksForType
        If it is None: whether a tensor has to be flattened depends on its rank.
    """
    if axis is None:
        raise AsksForType(f"{what} of a logic variable needs an axis: its rank is not known")
    return axis


def static_int(value: Any) -> int | None:
    """Return the int that an integer, or an integer constant of rank 0, is; else None."""
    if isinstance(value, Constant):
        data = np.asarray(value.data)
        return int(data) if data.ndim == 0 and data.dtype.kind in "iu" else None
    if isinstance(value, Variable | LogicTerm):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def merge_lengths(lengths: Sequence[int | None], axis: int, what: str) -> int | None:
    """Return the length of an axis that several inputs share; None if no input knows it.

    Parameters
    ----------
    lengths
        The static length of the axis in each input.
    axis, what
        The axis and the name of the op, for the error.

    Raises
    ------
    ValueError
        If two of the lengths differ.
    """
    known = {n for n in lengths if n is not None}
    if len(known) > 1:
        raise ValueError(f"{what}: the inputs have lengths {sorted(known)} along axis {axis}")
    return known.pop() if known else None
