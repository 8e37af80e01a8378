"""Which casts keep values, for the laws in `relations.numbers.casting`."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.scalar.dtypes import can_cast_exactly

COMPARISONS = (scalar.eq, scalar.neq, scalar.lt, scalar.le, scalar.gt, scalar.ge)


def is_comparison(scalar_op: Any) -> bool:
    """Return whether a scalar op compares two numbers."""
    return scalar_op in COMPARISONS


def has_dtype(x: Any, dtype: str) -> bool:
    """Return whether a tensor has a dtype."""
    return bool(x.type.dtype == dtype)


def has_other_dtype(x: Any, y: Any) -> bool:
    """Return whether two tensors have different dtypes."""
    return bool(x.type.dtype != y.type.dtype)


def is_integer_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of integers."""
    return np.dtype(dtype).kind in "iu"


def is_inexact_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of floats, or of complex numbers."""
    return np.dtype(dtype).kind in "fc"


def casts_exactly(x: Any, dtype: str) -> bool:
    """Return whether a cast of `x` to a dtype changes no value."""
    return can_cast_exactly(x.type.dtype, dtype)


def casts_as_directly(x: Any, through: str, to: str) -> bool:
    """Return whether a cast of `x` to one dtype, and from there `to` another, is the cast `to` the
    other.

    So it is where the first cast changes no value, with one exception: a float out of the range of
    integers becomes any integer, and an integer becomes its last bits. So integers that pass
    through floats to integers have to fit. Between integers it is so wherever the first cast leaves
    as many bits as the second.
    """
    source = x.type.dtype
    if can_cast_exactly(source, through):
        through_float = not is_integer_dtype(through) and is_integer_dtype(to)
        return not through_float or can_cast_exactly(source, to)
    integers = is_integer_dtype(source) and is_integer_dtype(through) and is_integer_dtype(to)
    return integers and np.dtype(through).itemsize >= np.dtype(to).itemsize
