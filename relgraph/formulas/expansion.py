"""Laurent series of expressions in one input: at zero, at the infinities, and where bits are lost.

The input is ``a + sign * t`` or ``sign / t`` with a positive `t` near zero. Functions are expanded
by the differential equations of their derivatives (Knuth, The Art of Computer Programming 2, 4.7),
so that coefficients are exact. `centers` finds places near which an expression loses bits in all of
its forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    from_graph,
    in_floats,
    inputs_of,
    named,
    number,
    parts,
)
from relgraph.formulas.series import (
    HALF,
    TERMS,
    Coefficient,
    NoSeries,
    Series,
    add,
    atom,
    constant,
    constant_series,
    derivative,
    integral,
    inverse,
    is_zero,
    mul,
    neg,
    one,
    plus,
    powered,
    raised,
    reciprocal,
    scaled,
    sign_of,
    times,
    to_expr,
    value_at_zero,
)
from relgraph.formulas.true_values import Known
from relgraph.gradient import grad

_GREAT = 3.0
"""Bits of error of a point that asks for a series."""

_FEW, _NEAREST = 3, 24
"""How many such points there are at least, and how many points are looked at around a place."""

_SHARE = 0.6
"""Which part of those around a place has to be bad."""

_MOST = 3

_PI = number("pi")
NUMBERS = (
    *(number(Fraction(n, d)) for n, d in ((1, 1), (2, 1), (1, 2), (3, 1), (10, 1))),
    _PI,
    *(apply("true_div", _PI, number(n)) for n in (2, 3, 4, 6)),
    number("e"),
)
"""Where formulas have their poles and zeros, as a rule; on either side of zero."""


def centers(expr: Expr, known: Known, errors: Any) -> list[tuple[str, Expr]]:
    """Return places around which the points are bad: an input, and the number or the other input
    that it is near to there.

    Parameters
    ----------
    errors
        The bits of error of the best form at each point.
    """
    bad = errors > _GREAT
    if bad.sum() < _FEW:
        return []
    found: list[tuple[float, str, Expr]] = []
    floats = {name: column.astype(float) for name, column in known.inputs.items()}
    for name, column in known.inputs.items():
        for center in dict.fromkeys(_places(expr, name, known, column[bad])):
            share = _share(column, in_floats(center, floats), bad)
            if share >= _SHARE:
                found.append((share, name, center))
    found.sort(key=lambda f: (-f[0], f[2].size))
    return [(name, center) for _, name, center in found[:_MOST]]


def _share(column: Any, center: Any, bad: Any) -> float:
    """Return which part of the points nearest to a center is bad."""
    with np.errstate(all="ignore"):
        distance = np.abs(column.astype(float) - center) / np.abs(center)
    count = min(int(bad.sum()), _NEAREST)
    nearest = np.argsort(np.where(np.isnan(distance), np.inf, distance), kind="stable")[:count]
    # a center in whose neighborhood there are no points says nothing
    close = bad & (distance < 1)
    return float(close[nearest].mean())


def _places(expr: Expr, name: str, known: Known, values: Any) -> Iterator[Expr]:
    for other in known.inputs:
        if other != name:
            yield from _on_both_sides([named(other)])
    own = [e for e in parts(expr) if e.op is NUMBER and isinstance(e.value, Fraction) and e.value]
    yield from _on_both_sides([*NUMBERS, *own])
    # the middle of them, as a short decimal
    middle = float(np.median(values.astype(float)))
    if middle and np.isfinite(middle):
        yield number(Fraction(f"{middle:.2g}"))


def _on_both_sides(exprs: Iterable[Expr]) -> Iterator[Expr]:
    for e in exprs:
        yield e
        yield number(-e.value) if isinstance(e.value, Fraction) else apply("neg", e)


_X = named("x")


class Expansion:
    """Expands expressions in one input.

    Parameters
    ----------
    name
        The input.
    sign
        1 or -1: from which side.
    far
        Whether at infinity.
    center
        Where else: a number, or what other inputs say; at zero if there is none.
    """

    def __init__(self, name: str, sign: int, far: bool, center: Expr | None = None) -> None:
        self.name, self.sign, self.far, self.center = name, sign, far, center
        self._functions: dict[str, Callable[..., Series]] = {
            "add": add,
            "sub": lambda a, b: add(a, neg(b)),
            "neg": neg,
            "mul": mul,
            "sqr": lambda a: mul(a, a),
            "true_div": lambda a, b: mul(a, reciprocal(b)),
            "sqrt": lambda a: raised(a, HALF),
            "cbrt": lambda a: raised(a, Fraction(1, 3)),
            "hypot": lambda a, b: raised(add(mul(a, a), mul(b, b)), HALF),
            "fma": lambda a, b, c: add(mul(a, b), c),
            "log": self._log,
            "log1p": lambda a: self._log(add(one(), a)),
            "pow": self._pow,
            "abs": self._abs,
            "arctan": self._arctan,
        }

    @staticmethod
    def _abs(a: Series) -> Series:
        sign = 0 if is_zero(a) else sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("a magnitude of what may have either sign")
        return a if sign > 0 else neg(a)

    def _arctan(self, a: Series) -> Series:
        if is_zero(a) or a.start >= 0:
            return self._by_derivative("arctan", a)
        sign = sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("an arc of what may have either sign")
        quarter = scaled(atom(number("pi")), Fraction(sign, 2))
        return add(constant_series(quarter), neg(self._by_derivative("arctan", reciprocal(a))))

    def _by_derivative(self, op: str, a: Series) -> Series:
        """Return a function of a series by the differential equations of its derivatives.

        Each round has one more coefficient right.
        """
        slopes = self._equations(op)
        begin = to_expr(value_at_zero(a))
        first = {name: atom(apply(name, begin)) for name in slopes}
        found = {name: constant_series(value) for name, value in first.items()}
        inner = derivative(a)
        for _ in range(TERMS):
            before = found
            found = {
                name: integral(mul(self._slope(slope, a, before), inner), first[name])
                for name, slope in slopes.items()
            }
            if found == before:
                break
        return found[op]

    def _slope(self, expr: Expr, a: Series, known: Mapping[str, Series]) -> Series:
        """Return a derivative at a series, of which functions are known."""
        done = {_X: a, **{apply(name, _X): found for name, found in known.items()}}
        return self._completed(expr, done)

    def _equations(self, op: str) -> dict[str, Expr]:
        """Return the derivatives of a function, and of those in them, as expressions in `_X`."""
        found: dict[str, Expr] = {}
        needed = [op]
        while needed:
            name = needed.pop()
            if name not in found:
                found[name] = _derivative(name)
                needed += [
                    e.op
                    for e in parts(found[name])
                    if e.args == (_X,) and e.op not in self._functions
                ]
        return found

    def _log(self, a: Series) -> Series:
        if is_zero(a):
            raise NoSeries("a logarithm of zero")
        by_first = inverse(a.coefficients[0])
        ratio = Series(0, [times(by_first, c) for c in a.coefficients])
        first: Coefficient = {}
        if a.coefficients[0] != constant(1):
            first = atom(apply("log", to_expr(a.coefficients[0])))
        if a.start:
            log_t = scaled(atom(apply("log", self._positive())), -1 if self.far else 1)
            first = plus(first, scaled(log_t, a.start))
        slope = derivative(ratio)
        if is_zero(slope):
            return constant_series(first)
        return integral(mul(slope, reciprocal(ratio)), first)

    def _positive(self) -> Expr:
        x = named(self.name)
        if self.center is not None:
            return apply("sub", x, self.center) if self.sign > 0 else apply("sub", self.center, x)
        return x if self.sign > 0 else apply("neg", x)

    def _input(self) -> Series:
        """Return the input itself."""
        if self.center is None:
            coefficients = [constant(self.sign), *[{} for _ in range(TERMS - 1)]]
            return Series(-1 if self.far else 1, coefficients)
        before = Expansion(self.name, 1, False).of(self.center).coefficients[0]
        return Series(0, [before, constant(self.sign), *[{} for _ in range(TERMS - 2)]])

    def _pow(self, a: Series, b: Series) -> Series:
        whole = not is_zero(b) and b.start == 0 and not any(b.coefficients[1:])
        value = (
            b.coefficients[0].get(frozenset()) if whole and len(b.coefficients[0]) == 1 else None
        )
        if value is not None and value.denominator < 100:
            return raised(a, value)
        return self._by_derivative("exp", mul(b, self._log(a)))

    def of(self, expr: Expr) -> Series:
        """Return the series of an expression.

        Raises
        ------
        NoSeries
            If it has none, or one that is not known.
        """
        free = _without(expr, self.name)
        done: dict[Expr, Series] = {}
        for e in parts(expr):
            if e in free:
                done[e] = self._of_constants(e, [done[a] for a in e.args])
            elif e.op is INPUT:
                done[e] = self._input()
        return self._completed(expr, done)

    def _completed(self, expr: Expr, done: dict[Expr, Series]) -> Series:
        """Return the series of an expression, of which those of some parts are known."""
        for e in parts(expr, done):
            if e.op is NUMBER:
                done[e] = constant_series(atom(e))
            elif e.op in self._functions:
                done[e] = self._functions[e.op](*[done[a] for a in e.args])
            else:
                done[e] = self._by_derivative(e.op, done[e.args[0]])
        return done[expr]

    def _of_constants(self, e: Expr, args: list[Series]) -> Series:
        # sums and products of constants have one form
        if e.op in ("add", "sub", "mul", "neg", "true_div", "sqr"):
            with suppress(NoSeries):
                return self._functions[e.op](*args)
        return constant_series(atom(e))

    def partial_sums(self, expr: Expr, most: int) -> list[Expr]:
        """Return the sums of the first terms of an expression's series: of one, two, … terms."""
        series = self.of(expr)
        terms = [(series.start + k, c) for k, c in enumerate(series.coefficients) if c]
        return [self._sum(terms[:count]) for count in range(1, min(most, len(terms)) + 1)]

    def _sum(self, terms: list[tuple[int, Coefficient]]) -> Expr:
        """Return terms as an expression, in Horner's form."""
        x = named(self.name)
        if self.center is not None:
            x = apply("sub", x, self.center)
        step = -1 if self.far else 1
        total: Expr | None = None
        last = 0
        for exponent, c in reversed(terms):
            coefficient = to_expr(scaled(c, self.sign**exponent))
            if total is None:
                total, last = coefficient, exponent
                continue
            total = apply("add", coefficient, _times_power(total, x, step * (last - exponent)))
            last = exponent
        assert total is not None
        return _times_power(total, x, step * last)


@cache
def _derivative(op: str) -> Expr:
    """Return the derivative of an op of one number as an expression in `_X`."""
    if OPS[op].scalar_op.nin != 1:
        raise NoSeries(f"no series of {op} is known")
    x = at.dscalar(_X.value)
    try:
        found = from_graph(grad(OPS[op](x), x), [x], [_X.value])
    except (NotSupported, NotImplementedError) as error:
        raise NoSeries(f"no derivative of {op} is known") from error
    if not inputs_of(found) and found.value == 0:
        raise NoSeries(f"{op} has steps")
    return found


def _times_power(e: Expr, x: Expr, exponent: int) -> Expr:
    if exponent == 0:
        return e
    factor = powered(x, abs(exponent))
    if exponent < 0:
        return apply("true_div", e, factor)
    if e.op is NUMBER and e.value == 1:
        return factor
    if e.op is NUMBER and e.value == -1:
        return apply("neg", factor)
    return apply("mul", e, factor)


def _without(expr: Expr, name: str) -> set[Expr]:
    """Return the parts in which an input does not occur."""
    found: set[Expr] = set()
    for e in parts(expr):
        if not (e.op is INPUT and e.value == name) and all(a in found for a in e.args):
            found.add(e)
    return found


def expansions(expr: Expr, names: list[str], most: int = 3) -> dict[str, list[Expr]]:
    """Return the partial sums of the series of an expression at zero and the infinities.

    Parameters
    ----------
    expr
        The expression.
    names
        The inputs in which it is expanded.
    most
        How many terms.

    Returns
    -------
    found
        For each place at which it has a series, such as ``"x = 0"``, its partial sums.
    """
    places = (("0", 1, False), ("-0", -1, False), ("inf", 1, True), ("-inf", -1, True))
    found = {}
    for name in names:
        for place, sign, far in places:
            sums = _partial_sums(Expansion(name, sign, far), expr, most)
            if sums:
                found[f"{name} = {place}"] = sums
    return found


def expansions_at(expr: Expr, name: str, center: Expr, most: int = 6) -> list[Expr]:
    """Return the partial sums of the series of an expression in one input at a place, from either
    side.

    Parameters
    ----------
    center
        The place: a number, or what other inputs say.
    most
        How many terms.
    """
    both = (_partial_sums(Expansion(name, sign, False, center), expr, most) for sign in (1, -1))
    return list(dict.fromkeys(e for sums in both for e in sums))


def _partial_sums(expansion: Expansion, expr: Expr, most: int) -> list[Expr]:
    try:
        return expansion.partial_sums(expr, most)
    except (NoSeries, ZeroDivisionError, OverflowError):
        return []
