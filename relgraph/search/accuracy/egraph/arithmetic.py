"""Ops of rational numbers that give rational numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

_MOST_BITS = 160
"""Rational numbers with more digits are not computed."""


def computed(op: str, args: Sequence[Any]) -> Fraction | None:
    """Return the value of an op of rational numbers, if that is one."""
    if not args or not all(isinstance(a, Fraction) for a in args):
        return None
    found = _ARITHMETIC[op](*args) if op in _ARITHMETIC else None
    if found is None:
        return None
    size = max(abs(found.numerator), found.denominator).bit_length()
    return found if size <= _MOST_BITS else None


def _power(a: Fraction, b: Fraction) -> Fraction | None:
    if b.denominator != 1 or abs(b) > 16 or (a == 0 and b <= 0):
        return None
    return Fraction(a ** int(b))


def _root(a: Fraction) -> Fraction | None:
    if a < 0:
        return None
    found = Fraction(isqrt(a.numerator), isqrt(a.denominator))
    return found if found * found == a else None


_ARITHMETIC: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "true_div": lambda a, b: None if b == 0 else a / b,
    "neg": lambda a: -a,
    "abs": lambda a: abs(a),
    "sqr": lambda a: a * a,
    "pow": _power,
    "sqrt": lambda a: _root(a),
    "exp": lambda a: Fraction(1) if a == 0 else None,
    "expm1": lambda a: a if a == 0 else None,
    "log": lambda a: Fraction(0) if a == 1 else None,
    "log1p": lambda a: a if a == 0 else None,
    "cos": lambda a: Fraction(1) if a == 0 else None,
    **{name: lambda a: a if a == 0 else None for name in ("sin", "tan", "sinh", "tanh", "arctan")},
}
