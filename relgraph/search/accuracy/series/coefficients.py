"""Coefficients of series: sums of products of what does not depend on the input of the series.

A coefficient maps monomials to rational numbers. A monomial is a set of pairs of an expression, an
atom, and its exponent; so that equal coefficients have one form, and what cancels is seen.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from relgraph.search.accuracy.expressions import NUMBER, Expr, apply, number
from relgraph.search.accuracy.series.known_numbers import known_number

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


def plus(a: Coefficient, b: Coefficient) -> Coefficient:
    """Return a sum."""
    found = dict(a)
    for monomial, value in b.items():
        total = found.get(monomial, 0) + value
        if total:
            found[monomial] = Fraction(total)
        else:
            del found[monomial]
    return found


def times(a: Coefficient, b: Coefficient) -> Coefficient:
    """Return a product.

    Raises
    ------
    NoSeries
        If it has very many terms.
    """
    found: Coefficient = {}
    for m, v in a.items():
        for n, w in b.items():
            monomial = _product(m, n)
            total = found.get(monomial, 0) + v * w
            if total:
                found[monomial] = Fraction(total)
            else:
                del found[monomial]
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
    above = [(e, k) for e, k in monomial if k > 0]
    below = [(e, -k) for e, k in monomial if k < 0]
    above.sort(key=lambda p: repr(p[0]))
    below.sort(key=lambda p: repr(p[0]))
    top = _factors(above)
    # a quotient of atoms in turn keeps in the range of floats
    for e, k in below:
        for _ in range(k):
            top = apply("true_div", top if top is not None else number(1), e)
    if top is None:
        return number(value)
    if value == 1:
        return top
    if value == -1:
        return apply("neg", top)
    return apply("mul", number(value), top)


def _factors(pairs: list[tuple[Expr, int]]) -> Expr | None:
    found = None
    for e, k in pairs:
        part = powered(e, k)
        found = part if found is None else apply("mul", found, part)
    return found


def powered(e: Expr, k: int) -> Expr:
    """Return a positive whole power as products."""
    if k == 1:
        return e
    half = powered(e, k // 2)
    square = apply("mul", half, half)
    return square if k % 2 == 0 else apply("mul", square, e)
