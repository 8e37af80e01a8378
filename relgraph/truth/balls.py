"""Arb's numbers, and how they become floats: the only import of python-flint.

A ball is a number with a bound of its error. `NONE` is what has no value: a logarithm of a negative
number. `UNKNOWN` is a value of which nothing is known at the precision.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

try:
    from flint import acb, acb_mat, arb, arb_mat, ctx, fmpq, fmpq_mat
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "true values need python-flint, which comes with `pip install 'relgraph[check]'`",
        name="flint",
    ) from error

__all__ = [
    "INFINITY", "NONE", "UNKNOWN", "Ball", "acb", "acb_mat", "arb", "arb_mat", "as_ball", "fmpq",
    "fmpq_mat", "is_infinite", "is_none", "is_settled", "nearest", "precision",
    "set_precision", "to_float",
]  # fmt: skip

Ball = Any
"""An `arb` or an `acb`."""

NONE = arb.nan()
UNKNOWN = arb(0, math.inf)
INFINITY = arb.pos_inf()

_SETTLED = 100
"""Bits of a value that are enough to say which of two floats is nearer to it."""
_TINY = arb(2) ** -1300
"""An error that is nothing beside the smallest float."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with some bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def set_precision(bits: int) -> None:
    """Compute with some bits from now on."""
    if ctx.prec != bits:
        ctx.prec = bits


def as_ball(value: Any) -> Ball:
    """Return a number, of Python or NumPy, exactly."""
    if isinstance(value, arb | acb):
        return value
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return arb(int(value))
    if isinstance(value, complex | np.complexfloating):
        exact = complex(value)
        return acb(exact.real, exact.imag)
    return arb(float(value))


def is_none(x: Ball) -> bool:
    """Return whether there is no value."""
    return x.is_nan() if isinstance(x, arb) else x.real.is_nan() or x.imag.is_nan()


def is_infinite(x: Ball) -> bool:
    """Return whether a value is an infinity, one that is known."""
    if isinstance(x, acb):
        return is_infinite(x.real) or is_infinite(x.imag)
    return not x.is_finite() and (x == INFINITY or x == -INFINITY)


def is_settled(x: Ball) -> bool:
    """Return whether a value is known as closely as any float needs it."""
    if isinstance(x, acb):
        return is_settled(x.real) and is_settled(x.imag)
    if not x.is_finite():
        return is_none(x) or is_infinite(x)
    return bool(x.rel_accuracy_bits() >= _SETTLED or x.rad() < _TINY)


def to_float(x: Ball, dtype: Any = np.float64) -> float | None:
    """Return the float of a dtype that is nearest to a real value, infinite beyond the largest;
    None if the error leaves several."""
    if not x.is_finite():
        return math.nan if x.is_nan() else float(x) if is_infinite(x) else None
    if x.is_exact():
        return nearest(x, dtype)
    low, high = nearest(x.lower(), dtype), nearest(x.upper(), dtype)
    return low if low == high else None


def nearest(x: Ball, dtype: Any = np.float64) -> float:
    """Return the float of a dtype nearest to the midpoint of a finite ball."""
    if dtype == np.float64:
        return float(x)
    mantissa, exponent = x.mid().man_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    if not mantissa:
        return 0.0
    info = np.finfo(dtype)
    lowest = max(exponent + mantissa.bit_length() - info.nmant - 1, info.minexp - info.nmant)
    if exponent < lowest:
        mantissa, exponent = _without_digits(mantissa, lowest - exponent), lowest
    if exponent + mantissa.bit_length() > info.maxexp:
        return math.copysign(math.inf, mantissa)
    return math.ldexp(mantissa, exponent)


def _without_digits(mantissa: int, count: int) -> int:
    """Return an integer without its last binary digits, rounded to the even one of two."""
    if count > mantissa.bit_length() + 1:
        return 0
    found, rest = divmod(mantissa, 1 << count)
    half = 1 << (count - 1)
    return found + (rest > half or (rest == half and found % 2 == 1))
