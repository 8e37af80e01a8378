"""Numbers of both libraries: exact where they can be."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

# A float with a smaller denominator is written as a fraction, which is what people mean by it.
_LARGEST_DENOMINATOR = 2**12
_NAMED = {
    **{math.pi * k: sp.pi * k for k in (1, 2)},
    **{math.pi / k: sp.pi / k for k in (2, 4)},
    **{math.log(k): sp.log(k) for k in (2, 10)},
    math.e: sp.E,
    math.inf: sp.oo,
}


def number_to_sympy(value: Any) -> Any:
    """Return a Python number as SymPy's.

    The floats nearest to pi, e and a few more are these. A float that is a fraction of a small
    power of two is that fraction, and any other one a Float of its 53 bits.
    """
    if isinstance(value, bool):
        return sp.true if value else sp.false
    if isinstance(value, int):
        return sp.Integer(value)
    if isinstance(value, complex):
        return number_to_sympy(value.real) + sp.I * number_to_sympy(value.imag)
    if math.isnan(value):
        return sp.nan
    named = _NAMED.get(abs(value))
    if named is not None:
        return named if value > 0 else -named
    over, under = value.as_integer_ratio()
    small = under <= _LARGEST_DENOMINATOR and abs(over) < 2**53
    return sp.Rational(over, under) if small else sp.Float(value)


def exact_number(expr: Any) -> int | float | None:
    """Return a number of SymPy's as Python's, if a float has its value; else None."""
    if isinstance(expr, sp.Integer):
        return int(expr)
    if isinstance(expr, sp.Rational):
        try:
            nearest = float(expr)
        except OverflowError:
            return None
        return nearest if sp.Rational(*nearest.as_integer_ratio()) == expr else None
    return _CONSTANTS.get(expr, float(expr) if isinstance(expr, sp.Float) else None)


# What is not a number to be had exactly is the nearest one.
_CONSTANTS = {
    sp.pi: math.pi,
    sp.E: math.e,
    sp.oo: math.inf,
    -sp.oo: -math.inf,
    sp.nan: math.nan,
    sp.zoo: math.inf,
    sp.EulerGamma: float(sp.EulerGamma),
    sp.GoldenRatio: float(sp.GoldenRatio),
    sp.Catalan: float(sp.Catalan),
}
