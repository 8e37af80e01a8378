"""Laurent series: the least exponent, and coefficients from there on.

Functions are expanded by their differential
equations (Knuth, The Art of Computer Programming 2, 4.7), so that coefficients are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from relgraph.search.accuracy.expressions import apply
from relgraph.search.accuracy.series.coefficients import (
    Coefficient,
    NoSeries,
    atom,
    constant,
    inverse,
    plus,
    power,
    scaled,
    times,
    to_expr,
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


def _split(a: Series) -> tuple[Coefficient, Series]:
    """Return the value at zero, and the rest as a series from the exponent 1 on."""
    if not is_zero(a) and a.start < 0:
        raise NoSeries("a function at infinity")
    rest = [_at(a, k) for k in range(1, a.start + len(a.coefficients))]
    return _at(a, 0), Series(1, rest[: TERMS + 1])


def exp(a: Series) -> Series:
    """Return the exponential, by ``e' = a' * e``."""
    first, rest = _split(a)
    found = [constant(1)]
    for n in range(1, min(len(rest.coefficients) + 1, TERMS) if not is_zero(a) else TERMS):
        total: Coefficient = {}
        for k in range(1, n + 1):
            if rest.coefficients and rest.coefficients[k - 1] and found[n - k]:
                total = plus(total, scaled(times(rest.coefficients[k - 1], found[n - k]), k))
        found.append(scaled(total, Fraction(1, n)))
    scale = atom(apply("exp", to_expr(first))) if first else constant(1)
    return multiple(Series(0, found), scale)


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


def by_slope(name: str, slope: Callable[[Series], Series]) -> Callable[[Series], Series]:
    """Return a function of series that is known by its derivative, and is 0 at 0."""

    def function(a: Series) -> Series:
        first, _ = _split(a)
        begin = atom(apply(name, to_expr(first))) if first else {}
        return integral(mul(slope(a), derivative(a)), begin)

    return function


def _square_and(sign: int) -> Callable[[Series], Series]:
    def function(a: Series) -> Series:
        square = mul(a, a)
        return add(one(), square if sign > 0 else neg(square))

    return function


HALF = Fraction(1, 2)
SLOPES = {
    "arctan": lambda a: reciprocal(_square_and(1)(a)),
    "arctanh": lambda a: reciprocal(_square_and(-1)(a)),
    "arcsin": lambda a: raised(_square_and(-1)(a), -HALF),
    "arcsinh": lambda a: raised(_square_and(1)(a), -HALF),
}


def sin_cos(a: Series) -> tuple[Series, Series]:
    """Return the sine and the cosine, by ``s' = a' * c`` and ``c' = -a' * s``."""
    first, rest = _split(a)
    sines: list[Coefficient] = [{}]
    cosines = [constant(1)]
    slopes = [scaled(c, k + 1) for k, c in enumerate(rest.coefficients)]
    for n in range(1, len(slopes) + 1 if slopes else TERMS):
        s: Coefficient = {}
        c: Coefficient = {}
        for k in range(1, n + 1):
            if slopes and slopes[k - 1]:
                s = plus(s, times(slopes[k - 1], cosines[n - k]))
                c = plus(c, times(slopes[k - 1], sines[n - k]))
        sines.append(scaled(s, Fraction(1, n)))
        cosines.append(scaled(c, Fraction(-1, n)))
    sine = _stripped(0, sines) if any(sines) else zero()
    cosine = Series(0, cosines)
    if not first:
        return sine, cosine
    at = to_expr(first)
    s0, c0 = (atom(apply(name, at)) for name in ("sin", "cos"))
    return (
        add(multiple(cosine, s0), multiple(sine, c0)),
        add(multiple(cosine, c0), neg(multiple(sine, s0))),
    )
