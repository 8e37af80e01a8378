"""Numbers without inputs in a form by which equal ones are seen: sin(π/4) and cos(π/4) are the root
of 1/2, arctan(1) is a part of π."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from relgraph.search.accuracy.expressions import INPUT, Expr, NoTrueValue, parts
from relgraph.search.accuracy.truth.mpmath_numbers import libmp
from relgraph.search.accuracy.truth.settling import Settler

_BITS, _SURE = 400, 300
"""Bits with which numbers are computed, and in which they are equal then."""

_LARGEST = 1000
"""Of numerators and denominators that are looked for."""


@lru_cache(maxsize=2000)
def known_number(expr: Expr) -> tuple[str, Fraction] | None:
    """Return what a number is: ``("rational", q)``, ``("pi", q)`` for q π, or ``("root", q)`` for
    the square root of q, with the sign of q taken out; None if it is none of these, or no number.
    """
    if any(e.op is INPUT for e in parts(expr)):
        return None
    value = _value(expr)
    if value is None:
        return None
    for kind, seen in (
        ("rational", value),
        ("pi", libmp.mpf_div(value, libmp.mpf_pi(_BITS), _BITS)),
        ("root", libmp.mpf_mul(value, value, _BITS)),
    ):
        found = _rational(seen)
        if found is not None:
            return kind, -found if kind == "root" and value[0] else found
    return None


def _value(expr: Expr) -> Any:
    """Return a number in an interval that is too small to tell it from others; None if there is no
    such interval."""
    try:
        found = Settler(expr).interval(_BITS, {})
    except NoTrueValue:
        return None
    if not isinstance(found, tuple) or found[2]:
        return None
    low, high, _ = found
    width = libmp.mpf_sub(high, low, 30, "u")
    return low if not width[1] or width[2] + width[3] < -_SURE else None


def _rational(value: Any) -> Fraction | None:
    """Return the rational number that a value is, if its numerator and denominator are small."""
    sign, mantissa, exponent, _ = value
    if not mantissa or exponent + int(mantissa).bit_length() < -_SURE:
        return Fraction(0)
    if exponent + int(mantissa).bit_length() > 20:
        return None
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    near = exact.limit_denominator(_LARGEST)
    if abs(exact - near) > abs(exact) / 2**_SURE or abs(near.numerator) > _LARGEST**2:
        return None
    return -near if sign else near
