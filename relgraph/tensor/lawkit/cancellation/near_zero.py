"""Exact Taylor series at zero, for the laws in `relations.cancellation.near_zero`.

A series is the tuple of its coefficients, the constant one first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

Series = tuple[Fraction, ...]

_COUNT = 24

X: Series = tuple(Fraction(k == 1) for k in range(_COUNT))
SIN: Series = tuple(Fraction(k % 2 * (-1) ** (k // 2), factorial(k)) for k in range(_COUNT))
COS: Series = tuple(Fraction((k + 1) % 2 * (-1) ** (k // 2), factorial(k)) for k in range(_COUNT))


def less(a: Series, b: Series) -> Series:
    """Return the difference of two series."""
    return tuple(p - q for p, q in zip(a, b, strict=True))


def times(a: Series, b: Series) -> Series:
    """Return the product of two series."""
    return tuple(sum((a[j] * b[k - j] for j in range(k + 1)), Fraction(0)) for k in range(len(a)))


def quotient(a: Series, b: Series) -> tuple[int, Series]:
    """Return the quotient of two series: the power of `x` before it, and the series."""
    above, below = _order(a), _order(b)
    found: list[Fraction] = []
    # what is known of both; a term more would be of others that are not
    count = len(a) - max(above, below)
    for k in range(count):
        known = sum((found[j] * b[below + k - j] for j in range(k)), Fraction(0))
        found.append((a[above + k] - known) / b[below])
    return above - below, tuple(found)


def _order(series: Sequence[Fraction]) -> int:
    """Return the power of the first term that is not zero."""
    return next(k for k, c in enumerate(series) if c)


def _tangent() -> Series:
    order, found = quotient(SIN, COS)
    return (*[Fraction(0)] * order, *found)[:_COUNT]


TAN: Series = _tangent()
