"""Appliers of indexing: they take, set or increment a part of a variable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.testing.draw.graph_builder import GraphBuilder

_BOUNDS = (None, 1, -1, 0, 2, -2, None)
_STEPS = (None, None, None, -1, 2, -2)


def _pick_indexable(b: GraphBuilder) -> Any:
    return b.pick(lambda v: v.type.ndim >= 1)


def _slice(b: GraphBuilder) -> slice:
    return slice(b.choose(_BOUNDS), b.choose(_BOUNDS), b.choose(_STEPS))


def _entry(b: GraphBuilder, length: int) -> Any:
    """Return an index of one axis: an integer, an input, or a slice."""
    kind = b.below(6)
    if length and kind == 0:
        return b.below(length)
    if length and kind == 1:
        return -1 - b.below(length)
    if kind == 2:
        variable = b.new_index(length)
        if variable is not None:
            return variable
    if kind == 3:
        # Not an input: the shape of the result would depend on its value.
        like = b.pick(lambda v: v.type.ndim >= 1)
        return slice(None, at.shape_i(like, 0) - b.below(2))
    return _slice(b)


def basic_index(b: GraphBuilder, x: Any) -> Any:
    """Return a tuple of integers and slices for the first axes of `x`."""
    count = 1 + b.below(x.type.ndim)
    return tuple(_entry(b, n) for n in b.shape(x)[:count])


def array_index(b: GraphBuilder, x: Any) -> Any:
    """Return an index with an array for one axis: a mask, an input, or a constant.

    The constant may hold an index several times.
    """
    shape = b.shape(x)
    axis = b.below(len(shape))
    length = shape[axis]
    kind = b.below(4)
    if kind == 0:
        mask = np.arange(length) % 2 == 0
        return (*[slice(None)] * axis, mask)
    if kind == 1:
        variable = b.new_index(length, b.choose(((3,), (2,), (0,), (2, 2))))
        if variable is not None:
            return (*[slice(None)] * axis, variable)
    if not length:
        return (*[slice(None)] * axis, np.zeros(0, "int64"))
    indices = [b.below(2 * length) - length for _ in range(1 + b.below(3))]
    return (*[slice(None)] * axis, np.array(indices))


def _apply_basic_index(b: GraphBuilder) -> Any:
    """Take a part of a variable by integers and slices."""
    x = _pick_indexable(b)
    return None if x is None else x[basic_index(b, x)]


def _apply_array_index(b: GraphBuilder) -> Any:
    """Take a part of a variable by an array."""
    x = _pick_indexable(b)
    return None if x is None else x[array_index(b, x)]


def _apply_update(function: Callable[..., Any], b: GraphBuilder) -> Any:
    x = _pick_indexable(b)
    if x is None:
        return None
    part = x[array_index(b, x) if b.chance(3) else basic_index(b, x)]
    candidates: Sequence[Any] = [v for v in b.variables if v.type.dtype == x.type.dtype]
    kind = b.below(3)
    if kind == 0:
        return function(part, b.choose((0, 1, 2)))
    if kind == 1:
        return function(part, at.neg(part) if x.type.dtype != "bool" else part)
    return function(part, b.choose(candidates))


def _apply_set_subtensor(b: GraphBuilder) -> Any:
    """Set a part of a variable."""
    return _apply_update(at.set_subtensor, b)


def _apply_inc_subtensor(b: GraphBuilder) -> Any:
    """Increment a part of a variable."""
    return _apply_update(at.inc_subtensor, b)


def _apply_diagonal(b: GraphBuilder) -> Any:
    """Take a diagonal of a variable."""
    x = b.pick(lambda v: v.type.ndim >= 2)
    return None if x is None else at.diagonal(x, b.below(3) - 1)


def _apply_triangle(b: GraphBuilder) -> Any:
    """Take a triangle of a matrix."""
    x = b.pick(lambda v: v.type.ndim == 2)
    return None if x is None else b.choose((at.tril, at.triu))(x, b.below(3) - 1)


INDEXING_APPLIERS: dict[Any, Callable[[GraphBuilder], Any]] = {
    at.getitem: _apply_basic_index,
    at.take: _apply_array_index,
    at.set_subtensor: _apply_set_subtensor,
    at.inc_subtensor: _apply_inc_subtensor,
    at.diagonal: _apply_diagonal,
    at.tril: _apply_triangle,
}
