"""Constant exponents and bases, for the laws in `relations.functions.exponential`."""

from __future__ import annotations

import math
from typing import Any

from relgraph.tensor.lawkit.guards.constants import constant_number


def is_nonzero_exponent(c: Any) -> bool:
    """Return whether a constant is one finite real number other than zero."""
    value = constant_number(c)
    return isinstance(value, int | float) and math.isfinite(value) and value != 0


def is_even_exponent(c: Any) -> bool:
    """Return whether a constant is one even integer other than zero."""
    return is_nonzero_exponent(c) and constant_number(c) % 2 == 0


def is_odd_positive_exponent(c: Any) -> bool:
    """Return whether a constant is one odd integer above zero, as a float too: `pow` of a float
    makes one of it, which is even from 2**53 on."""
    value = constant_number(c)
    return is_nonzero_exponent(c) and value > 0 and float(value) % 2 == 1


def _rounded_like(value: float, x: Any) -> float:
    """Return a number, rounded to the dtype of `x`."""
    dtype = x.type.numpy_dtype
    return float(dtype.type(value)) if dtype.kind == "f" else value


def log_of_2(x: Any) -> float:
    """Return ``log(2)`` in the dtype of `x`."""
    return _rounded_like(math.log(2), x)


def log_of_10(x: Any) -> float:
    """Return ``log(10)`` in the dtype of `x`."""
    return _rounded_like(math.log(10), x)


def reciprocal_of_log_of_2(x: Any) -> float:
    """Return ``1 / log(2)`` in the dtype of `x`."""
    return _rounded_like(1 / math.log(2), x)


def reciprocal_of_log_of_10(x: Any) -> float:
    """Return ``1 / log(10)`` in the dtype of `x`."""
    return _rounded_like(1 / math.log(10), x)
