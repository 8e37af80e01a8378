"""Ops of rational numbers that give rational numbers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from relgraph.search.accuracy.expressions import OPS
from relgraph.truth.balls import arb, precision
from relgraph.truth.functions import has_value, value

_MOST_BITS = 160
"""Rational numbers with more digits are not computed."""

_LARGEST = 2**30
"""Functions are computed of numbers up to this one."""


def computed(op: str, args: Sequence[Any]) -> Fraction | None:
    """Return the value of an op of rational numbers, if that is one."""
    if not args or not all(isinstance(a, Fraction) for a in args):
        return None
    found = (_ARITHMETIC[op] if op in _ARITHMETIC else _value(op))(*args)
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
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "true_div": lambda a, b: None if b == 0 else a / b,
    "neg": operator.neg,
    "abs": operator.abs,
    "sqr": lambda a: a * a,
    "pow": _power,
    "sqrt": _root,
}


def _value(name: str) -> Any:
    """Return a function of rational numbers: its values where they are exact in base 2."""
    op = OPS[name].scalar_op

    def of(*args: Fraction) -> Fraction | None:
        if not has_value(op) or any(abs(a) > _LARGEST for a in args):
            return None
        with precision(2 * _MOST_BITS):
            found = value(op, [arb(a.numerator) / arb(a.denominator) for a in args])
            if not isinstance(found, arb) or not (found.is_finite() and found.is_exact()):
                return None
            mantissa, exponent = found.man_exp()
            return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

    return of
