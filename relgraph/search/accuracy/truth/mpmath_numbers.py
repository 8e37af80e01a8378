"""mpmath's raw numbers, and how they become floats."""

from __future__ import annotations

import math
from typing import Any

import mpmath.libmp as libmp
import numpy as np

__all__ = ["HALF", "INF", "MINUS_HALF", "MINUS_ONE", "NINF", "ONE", "ZERO", "libmp", "to_float"]

ZERO, ONE, INF, NINF = libmp.fzero, libmp.fone, libmp.finf, libmp.fninf
MINUS_ONE, HALF = libmp.fnone, libmp.fhalf
MINUS_HALF = libmp.mpf_neg(libmp.fhalf)


def to_float(v: Any, dtype: Any = np.float64) -> float:
    """Return the float of a dtype that is nearest to a number, infinite beyond the largest."""
    sign, mantissa, exponent, _ = v
    if not mantissa:
        return float(libmp.to_float(v)) if v != libmp.fnan else math.nan
    info = np.finfo(dtype)
    # as many digits as a float of this size has
    top = exponent + int(mantissa).bit_length()
    digits = min(info.nmant + 1, top - int(info.minexp) + info.nmant)
    if digits < 0:
        return -0.0 if sign else 0.0
    if digits == 0:
        # between zero and the smallest number
        tie = int(mantissa) == 1
        tiny = 0.0 if tie else float(info.smallest_subnormal)
        return -tiny if sign else tiny
    rounded = libmp.mpf_pos(v, digits, "n")
    if rounded[2] + rounded[3] > info.maxexp:
        return -math.inf if sign else math.inf
    return float(math.ldexp(-int(rounded[1]) if sign else int(rounded[1]), rounded[2]))
