"""How random graphs index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.testing.draw.builder import Builder

_BOUNDS = (None, 1, -1, 0, 2, -2, None)
_STEPS = (None, None, None, -1, 2, -2)


def _indexable(b: Builder) -> Any:
    return b.pick(lambda v: v.type.ndim >= 1)


def _slice(b: Builder) -> slice:
    return slice(b.choose(_BOUNDS), b.choose(_BOUNDS), b.choose(_STEPS))


def _entry(b: Builder, length: int) -> Any:
    """Return an integer, a slice, or a variable that is one of these."""
    kind = b.below(6)
    if length and kind == 0:
        return b.below(length)
    if length and kind == 1:
        return -1 - b.below(length)
    if kind == 2:
        made = b.new_index(length)
        if made is not None:
            return made
    if kind == 3:
        # A length that is computed; an input would make the shape depend on its value.
        like = b.pick(lambda v: v.type.ndim >= 1)
        return slice(None, at.shape_i(like, 0) - b.below(2))
    return _slice(b)


def basic_index(b: Builder, x: Any) -> Any:
    """Return integers and slices for some of the axes of `x`."""
    count = 1 + b.below(x.type.ndim)
    return tuple(_entry(b, n) for n in b.shape(x)[:count])


def array_index(b: Builder, x: Any) -> Any:
    """Return an index with arrays: constants, inputs or masks, with indices that repeat."""
    shape = b.shape(x)
    axis = b.below(len(shape))
    length = shape[axis]
    kind = b.below(4)
    if kind == 0:
        mask = np.arange(length) % 2 == 0
        return (*[slice(None)] * axis, mask)
    if kind == 1:
        made = b.new_index(length, b.choose(((3,), (2,), (0,), (2, 2))))
        if made is not None:
            return (*[slice(None)] * axis, made)
    if not length:
        return (*[slice(None)] * axis, np.zeros(0, "int64"))
    drawn = [b.below(2 * length) - length for _ in range(1 + b.below(3))]
    return (*[slice(None)] * axis, np.array(drawn))


def index(b: Builder) -> Any:
    """Take a part by integers and slices."""
    x = _indexable(b)
    return None if x is None else x[basic_index(b, x)]


def advanced_index(b: Builder) -> Any:
    """Take a part by an array."""
    x = _indexable(b)
    return None if x is None else x[array_index(b, x)]


def _changed(function: Callable[..., Any], b: Builder) -> Any:
    x = _indexable(b)
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


def set_part(b: Builder) -> Any:
    """Set a part."""
    return _changed(at.set_subtensor, b)


def increase_part(b: Builder) -> Any:
    """Add to a part."""
    return _changed(at.inc_subtensor, b)


def diagonal(b: Builder) -> Any:
    """Take a diagonal."""
    x = b.pick(lambda v: v.type.ndim >= 2)
    return None if x is None else at.diagonal(x, b.below(3) - 1)


def triangle(b: Builder) -> Any:
    """Take a triangle of a matrix."""
    x = b.pick(lambda v: v.type.ndim == 2)
    return None if x is None else b.choose((at.tril, at.triu))(x, b.below(3) - 1)


INDEXING: dict[Any, Callable[[Builder], Any]] = {
    at.getitem: index,
    at.take: advanced_index,
    at.set_subtensor: set_part,
    at.inc_subtensor: increase_part,
    at.diagonal: diagonal,
    at.tril: triangle,
}
