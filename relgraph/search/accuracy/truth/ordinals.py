"""Floats in their order, as integers, and errors in bits."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_INTEGERS: dict[int, Any] = {8: np.int64, 4: np.int32}
_LEAST = {size: np.iinfo(kind).min for size, kind in _INTEGERS.items()}
MOST_BITS = {8: 64.0, 4: 32.0}
"""The error of what is no number."""


def to_ordinals(values: Any) -> Array:
    """Return how many floats lie between zero and each value; negative below zero."""
    values = np.ascontiguousarray(values)
    size = values.dtype.itemsize
    whole = values.view(_INTEGERS[size])
    return np.asarray(np.where(whole < 0, _LEAST[size] - whole, whole))


def from_ordinals(ordinals: Any, dtype: Any = np.float64) -> Array:
    """Return the floats at places in their order."""
    kind = _INTEGERS[np.dtype(dtype).itemsize]
    places = np.asarray(ordinals).astype(kind)
    whole = np.where(places < 0, np.iinfo(kind).min - places, places)
    return np.ascontiguousarray(whole.astype(kind)).view(dtype)


def floats_between(a: Array, b: Array) -> Array:
    """Return how many floats two arrays are apart, element by element."""
    first, second = to_ordinals(a), to_ordinals(b)
    far = first.astype(np.float64) - second
    # the difference of integers wraps around where it is large
    return np.abs(np.where(np.abs(far) < 2.0**52, first - second, far))


def bits_of_error(found: Array, true: Array) -> Array:
    """Return the logarithm to the base 2 of one and the number of floats between, for each value:
    half the floats agree at most. What is no number counts 64 bits, of float32 32.

    Panchekha, Sanchez-Stern, Wilcox and Tatlock, Automatically improving accuracy for floating
    point expressions (2015), section 4.1.
    """
    bits = np.log2(1 + floats_between(found, true))
    return np.where(np.isnan(found), MOST_BITS[np.asarray(true).dtype.itemsize], bits)
