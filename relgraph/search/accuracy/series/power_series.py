"""Laurent series: the least exponent, and coefficients from there on, which are exact."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from relgraph.search.accuracy.series.coefficients import (
    Coefficient,
    NoSeries,
    constant,
    inverse,
    plus,
    power,
    scaled,
    times,
)

TERMS = 9
"""Terms that are kept on the way: what cancels takes the first ones away."""


class Series(NamedTuple):
    """A series: `coefficients` from the exponent `start` on, the first one not zero."""

    start: int
    coefficients: list[Coefficient]


def _stripped(start: int, coefficients: list[Coefficient]) -> Series:
    for k, c in enumerate(coefficients):
        if c:
            return Series(start + k, coefficients[k : k + TERMS])
    raise NoSeries("all terms cancel")


def zero() -> Series:
    """Return the series of zero, which has no coefficients."""
    return Series(0, [])


def is_zero(a: Series) -> bool:
    """Return whether all terms are zero."""
    return not a.coefficients


def constant_series(c: Coefficient) -> Series:
    """Return what does not depend on the input as a series."""
    return Series(0, [c, *[{} for _ in range(TERMS - 1)]]) if c else zero()


def add(a: Series, b: Series) -> Series:
    """Return a sum."""
    if is_zero(a) or is_zero(b):
        return b if is_zero(a) else a
    start = min(a.start, b.start)
    end = min(a.start + len(a.coefficients), b.start + len(b.coefficients))
    found = [plus(_at(a, k), _at(b, k)) for k in range(start, end)]
    return _stripped(start, found)


def _at(a: Series, exponent: int) -> Coefficient:
    k = exponent - a.start
    return a.coefficients[k] if 0 <= k < len(a.coefficients) else {}


def multiple(a: Series, c: Coefficient) -> Series:
    """Return a series with all coefficients multiplied by one."""
    return Series(a.start, [times(c, x) for x in a.coefficients]) if c else zero()


def neg(a: Series) -> Series:
    """Return the opposite."""
    return Series(a.start, [scaled(c, -1) for c in a.coefficients])


def mul(a: Series, b: Series) -> Series:
    """Return a product."""
    if is_zero(a) or is_zero(b):
        return zero()
    count = min(len(a.coefficients), len(b.coefficients))
    found: list[Coefficient] = []
    for n in range(count):
        total: Coefficient = {}
        for k in range(n + 1):
            if a.coefficients[k] and b.coefficients[n - k]:
                total = plus(total, times(a.coefficients[k], b.coefficients[n - k]))
        found.append(total)
    return Series(a.start + b.start, found)


def reciprocal(a: Series) -> Series:
    """Return the reciprocal.

    Raises
    ------
    NoSeries
        Of zero.
    """
    if is_zero(a):
        raise NoSeries("a divisor is zero")
    first = inverse(a.coefficients[0])
    found = [first]
    for n in range(1, len(a.coefficients)):
        total: Coefficient = {}
        for k in range(1, n + 1):
            if a.coefficients[k] and found[n - k]:
                total = plus(total, times(a.coefficients[k], found[n - k]))
        found.append(scaled(times(first, total), -1))
    return Series(-a.start, found)


def raised(a: Series, exponent: Fraction) -> Series:
    """Return a power, by ``a * p' = exponent * a' * p``."""
    if is_zero(a):
        raise NoSeries("a power of zero")
    start = a.start * exponent
    if start.denominator != 1:
        raise NoSeries("an exponent is no integer")
    by_first = inverse(a.coefficients[0])
    ratio = [times(by_first, c) for c in a.coefficients]
    found = [constant(1)]
    for n in range(1, len(ratio)):
        total: Coefficient = {}
        for k in range(1, n + 1):
            factor = exponent * k - (n - k)
            if ratio[k] and found[n - k] and factor:
                total = plus(total, scaled(times(ratio[k], found[n - k]), factor))
        found.append(scaled(total, Fraction(1, n)))
    return multiple(Series(int(start), found), power(a.coefficients[0], exponent))


def value_at_zero(a: Series) -> Coefficient:
    """Return the value at zero.

    Raises
    ------
    NoSeries
        At a pole.
    """
    if not is_zero(a) and a.start < 0:
        raise NoSeries("a function at infinity")
    return _at(a, 0)


def one() -> Series:
    """Return the series of 1."""
    return constant_series(constant(1))


def derivative(a: Series) -> Series:
    """Return the derivative."""
    found = [scaled(c, a.start + k) for k, c in enumerate(a.coefficients)]
    if not any(found):
        return zero()
    return _stripped(a.start - 1, found)


def integral(a: Series, first: Coefficient) -> Series:
    """Return the integral that has a value at zero."""
    if is_zero(a):
        return constant_series(first)
    if a.start < 0:
        raise NoSeries("a function at a pole")
    found = [scaled(c, Fraction(1, a.start + k + 1)) for k, c in enumerate(a.coefficients)]
    whole = [first, *[{} for _ in range(a.start)], *found]
    return _stripped(0, whole[: TERMS + 1]) if any(whole) else zero()


HALF = Fraction(1, 2)
