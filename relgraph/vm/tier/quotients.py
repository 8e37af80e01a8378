"""Quotients by a known number as two products, rounded as a division rounds them.

With ``1 / c ≈ high + low`` the quotient is ``fma(x, high, x * low)``. For most divisors that is the
rounded quotient for every ``x``; for which ones is proved here: N. Brisebarre, J.-M. Muller and
S. K. Raina, Accelerating correctly rounded floating-point division when the divisor is known in
advance, IEEE Trans. Comput. 53 (2004).

The proof needs that no product is subnormal: quotients that are less than the smallest normal
number over the spacing at 1 may be off by an ulp.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

_MOST_EXPONENT = {"float32": 30, "float64": 300}
"""By a number of a larger exponent, or of a smaller one, is divided."""
_NEAREST = 8
"""A quotient farther from a midpoint of two floats than so many units is rounded right: both
products are off by less."""


@lru_cache(maxsize=4096)
def reciprocal_in_two(divisor: float, dtype: str) -> tuple[float, float] | None:
    """Return ``high`` and ``low`` of one sign by which quotients are rounded right; None if there
    are none.

    Parameters
    ----------
    divisor
        A number of the dtype.
    dtype
        "float32" or "float64".
    """
    usable = math.isfinite(divisor) and divisor != 0
    exponent = math.frexp(divisor)[1]
    if not usable or abs(exponent) > _MOST_EXPONENT[dtype]:
        return None
    # so that an infinity or a zero meets no other sign, `high` is rounded towards zero
    nearest = np.dtype(dtype).type(1) / np.dtype(dtype).type(divisor)
    exact = 1 / Fraction(divisor)
    high = nearest if abs(_exactly(nearest)) <= abs(exact) else np.nextafter(nearest, nearest * 0)
    rest = np.dtype(dtype).type(float(exact - _exactly(high)))
    if rest == 0:
        return float(high), 0.0
    for low in (rest, np.nextafter(rest, rest * 2), np.nextafter(rest, rest * 0)):
        if all(_is_rounded(x, divisor, high, low) for x in _hard_cases(divisor, dtype)):
            return float(high), float(low)
    return None


def _exactly(x: Any) -> Fraction:
    return Fraction(float(x))


def _hard_cases(divisor: float, dtype: str) -> Iterator[Any]:
    """Yield the numbers of one binade whose quotients are nearest to midpoints.

    With integers ``X`` and ``C`` of ``p`` bits for a number and the divisor, a midpoint is
    ``M / 2**shift`` for an odd ``M``, and ``X 2**shift - M C`` says how far it is.
    """
    bits = np.finfo(dtype).nmant + 1
    fraction, _ = math.frexp(abs(divisor))
    c = int(math.ldexp(fraction, bits))
    least = 1 << (bits - 1)
    # the quotient is 1 or more, or less
    for shift in (bits, bits + 1):
        common = math.gcd(1 << shift, c)
        period = c // common
        inverse = pow((1 << shift) // common, -1, period) if period > 1 else 0
        for distance in range(common, _NEAREST + 1, common):
            for signed in (distance, -distance):
                first = signed // common * inverse % period
                x = first + -(-(least - first) // period) * period
                while x < 2 * least:
                    if (x >= c) == (shift == bits):
                        yield np.dtype(dtype).type(math.ldexp(x, 1 - bits))
                    x += period


def _is_rounded(x: Any, divisor: float, high: Any, low: Any) -> bool:
    """Return whether the two products give the rounded quotient of a number."""
    found = _exactly(x) * _exactly(high) + _exactly(x * low)
    return bool(_rounded(found, x.dtype) == x / x.dtype.type(divisor))


def _rounded(x: Fraction, dtype: Any) -> Any:
    """Return the nearest float, the even one of two."""
    # a double that is inexact is made odd, so that to round it again does no harm
    near = float(x)
    if dtype == np.float64:
        return np.float64(near)
    if _exactly(near) != x and math.frexp(near)[0] * 2**53 % 2 == 0:
        near = math.nextafter(near, math.inf if x > _exactly(near) else -math.inf)
    return np.float32(near)
