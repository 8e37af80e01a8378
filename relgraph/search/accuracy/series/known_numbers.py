"""Numbers without inputs in a form by which equal ones are seen: sin(π/4) and cos(π/4) are the root
of 1/2, arctan(1) is a part of π."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from relgraph.search.accuracy.expressions import INPUT, Expr, NotSupported, parts
from relgraph.search.accuracy.truth.settling import Settler
from relgraph.truth.balls import Ball, arb

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
        ("pi", value / arb.pi()),
        ("root", value * value),
    ):
        found = _rational(seen)
        if found is not None:
            return kind, -found if kind == "root" and value < 0 else found
    return None


def _value(expr: Expr) -> Ball | None:
    """Return a number with an error that is too small to take it for another; None if it has
    none."""
    try:
        found = Settler(expr).values(_BITS, {})[-1]
    except NotSupported:
        return None
    if not isinstance(found, arb) or not found.is_finite():
        return None
    return found if found.rad() < arb(2) ** -_SURE else None


def _rational(value: Ball) -> Fraction | None:
    """Return the rational number that a value is, if its numerator and denominator are small."""
    if not abs(value) < 2**20:
        return None
    mantissa, exponent = value.mid().man_exp()
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    near = exact.limit_denominator(_LARGEST)
    if abs(exact - near) > max(abs(exact), Fraction(1, _LARGEST)) / 2**_SURE:
        return None
    return near if abs(near.numerator) <= _LARGEST**2 else None
