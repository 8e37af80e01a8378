"""Laurent series with exact coefficients: the least exponent, and coefficients from there on.

A coefficient is a sum of products of what does not depend on the input of the series: it maps
monomials, sets of pairs of an expression and its exponent, to rational numbers, so that equal
coefficients have one form, and what cancels is seen. So have numbers: sin(π/4) and cos(π/4) are the
root of 1/2.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, partial, reduce
from math import isqrt
from typing import NamedTuple

from relgraph.formulas.expressions import INPUT, NUMBER, Expr, NotSupported, apply, number, parts
from relgraph.formulas.true_values import Settler
from relgraph.truth.balls import Ball, arb, as_fraction

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
    exact = as_fraction(value.mid())
    near = exact.limit_denominator(_LARGEST)
    if abs(exact - near) > max(abs(exact), Fraction(1, _LARGEST)) / 2**_SURE:
        return None
    return near if abs(near.numerator) <= _LARGEST**2 else None


Monomial = frozenset[tuple[Expr, int]]
Coefficient = dict[Monomial, Fraction]

ONE_MONOMIAL: Monomial = frozenset()
_MOST_TERMS = 24


class NoSeries(ValueError):
    """There is no series of the kind that is looked for."""


def constant(value: Fraction | int) -> Coefficient:
    """Return a number as a coefficient."""
    return {ONE_MONOMIAL: Fraction(value)} if value else {}


def atom(expr: Expr, exponent: int = 1) -> Coefficient:
    """Return a power of an expression as a coefficient; of a number in the form that is known."""
    if expr.op is not NUMBER:
        known = known_number(expr)
        if known is not None:
            return _of_known(*known, exponent)
    if expr.op is NUMBER and isinstance(expr.value, Fraction) and (expr.value or exponent > 0):
        return constant(expr.value**exponent)
    return {frozenset([(expr, exponent)]): Fraction(1)}


def _of_known(kind: str, value: Fraction, exponent: int) -> Coefficient:
    if kind == "rational":
        if not value and exponent < 0:
            raise NoSeries("a divisor is zero")
        return constant(value**exponent)
    if kind == "pi":
        return {frozenset([(number("pi"), exponent)]): value**exponent}
    root = apply("sqrt", number(abs(value)))
    sign = -1 if value < 0 and exponent % 2 else 1
    return {frozenset([(root, exponent)]): Fraction(sign)}


def _collected(terms: Iterable[tuple[Monomial, Fraction]]) -> Coefficient:
    found: Coefficient = {}
    for monomial, value in terms:
        found[monomial] = found.get(monomial, Fraction(0)) + value
    return {monomial: value for monomial, value in found.items() if value}


def plus(a: Coefficient, b: Coefficient) -> Coefficient:
    """Return a sum."""
    return _collected((*a.items(), *b.items()))


def times(a: Coefficient, b: Coefficient) -> Coefficient:
    """Return a product.

    Raises
    ------
    NoSeries
        If it has very many terms.
    """
    found = _collected((_product(m, n), v * w) for m, v in a.items() for n, w in b.items())
    if len(found) > _MOST_TERMS:
        raise NoSeries("the coefficients become too large")
    return found


def _product(m: Monomial, n: Monomial) -> Monomial:
    if not m or not n:
        return m or n
    exponents = dict(m)
    for expr, exponent in n:
        exponents[expr] = exponents.get(expr, 0) + exponent
    return frozenset((e, k) for e, k in exponents.items() if k)


def scaled(a: Coefficient, factor: Fraction | int) -> Coefficient:
    """Return a multiple."""
    return {m: v * factor for m, v in a.items()} if factor else {}


def inverse(a: Coefficient) -> Coefficient:
    """Return the reciprocal: of a sum the reciprocal of an atom."""
    if len(a) == 1:
        ((monomial, value),) = a.items()
        return {frozenset((e, -k) for e, k in monomial): 1 / value}
    return atom(to_expr(a), -1)


def power(a: Coefficient, exponent: Fraction) -> Coefficient:
    """Return a real power of what is taken to be positive where the power needs that."""
    if exponent.denominator == 1:
        base = a if exponent > 0 else inverse(a)
        found = constant(1)
        for _ in range(abs(int(exponent))):
            found = times(found, base)
        return found
    if len(a) == 1:
        ((monomial, value),) = a.items()
        if not monomial and value == 1:
            return constant(1)
        if exponent == Fraction(1, 2):
            return _root(monomial, value)
    return atom(apply("pow", to_expr(a), number(exponent)))


def _root(monomial: Monomial, value: Fraction) -> Coefficient:
    """Return a square root: even powers come out of it as magnitudes."""
    outside, inside = constant(1), constant(value)
    root = Fraction(isqrt(abs(value.numerator)), isqrt(value.denominator))
    if root * root == value:
        outside, inside = constant(root), constant(1)
    for expr, exponent in monomial:
        half, odd = divmod(exponent, 2)
        magnitude = expr if half % 2 == 0 else apply("abs", expr)
        if half:
            outside = times(outside, atom(magnitude, half))
        if odd:
            inside = times(inside, atom(expr))
    if inside == constant(1):
        return outside
    return times(outside, atom(apply("sqrt", to_expr(inside))))


def sign_of(a: Coefficient) -> int:
    """Return the sign of a number, 0 if it is not known."""
    if list(a) == [ONE_MONOMIAL]:
        return 1 if a[ONE_MONOMIAL] > 0 else -1
    if len(a) == 1:
        ((monomial, value),) = a.items()
        if all(e.op in ("abs", "sqrt", "exp") or k % 2 == 0 or e.op is NUMBER for e, k in monomial):
            return 1 if value > 0 else -1
    return 0


def to_expr(a: Coefficient) -> Expr:
    """Return a coefficient as an expression."""
    if not a:
        return number(0)
    terms = sorted(a.items(), key=lambda t: (t[1] < 0, len(t[0]), repr(sorted(map(repr, t[0])))))
    total = None
    for monomial, value in terms:
        term = _term(monomial, abs(value) if total is not None else value)
        if total is None:
            total = term
        else:
            total = apply("sub" if value < 0 else "add", total, term)
    assert total is not None
    return total


def _term(monomial: Monomial, value: Fraction) -> Expr:
    ordered = sorted(monomial, key=lambda p: repr(p[0]))
    above = [powered(e, k) for e, k in ordered if k > 0]
    top = reduce(partial(apply, "mul"), above) if above else None
    # a quotient of atoms in turn keeps in the range of floats
    for e, k in ordered:
        for _ in range(-k):
            top = apply("true_div", top if top is not None else number(1), e)
    if top is None:
        return number(value)
    if value == 1:
        return top
    if value == -1:
        return apply("neg", top)
    return apply("mul", number(value), top)


def powered(e: Expr, k: int) -> Expr:
    """Return a positive whole power as products."""
    if k == 1:
        return e
    half = powered(e, k // 2)
    square = apply("mul", half, half)
    return square if k % 2 == 0 else apply("mul", square, e)


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
    found = [
        reduce(plus, (times(a.coefficients[k], b.coefficients[n - k]) for k in range(n + 1)))
        for n in range(count)
    ]
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
    return raised(a, Fraction(-1))


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
        terms = (
            scaled(times(ratio[k], found[n - k]), exponent * k - (n - k)) for k in range(1, n + 1)
        )
        found.append(scaled(reduce(plus, terms), Fraction(1, n)))
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
