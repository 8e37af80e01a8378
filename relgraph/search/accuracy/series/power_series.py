"""Laurent series of expressions in one input at zero and at the infinities.

The input is ``sign * t`` or ``sign / t`` with a positive `t` near zero; a series is the least
exponent of `t` and coefficients from there on. Functions are expanded by their differential
equations (Knuth, The Art of Computer Programming 2, 4.7), so that coefficients are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from relgraph.search.accuracy.expressions import INPUT, NUMBER, Expr, apply, named, number, parts
from relgraph.search.accuracy.series.coefficients import (
    Coefficient,
    NoSeries,
    atom,
    constant,
    inverse,
    plus,
    power,
    powered,
    scaled,
    sign_of,
    times,
    to_expr,
)

_TERMS = 9
"""Terms that are kept on the way: what cancels takes the first ones away."""


class Series(NamedTuple):
    """A series: `coefficients` from the exponent `start` on, the first one not zero."""

    start: int
    coefficients: list[Coefficient]


def _stripped(start: int, coefficients: list[Coefficient]) -> Series:
    for k, c in enumerate(coefficients):
        if c:
            return Series(start + k, coefficients[k : k + _TERMS])
    raise NoSeries("all terms cancel")


def _zero() -> Series:
    return Series(0, [])


def _is_zero(a: Series) -> bool:
    return not a.coefficients


def _constant(c: Coefficient) -> Series:
    return Series(0, [c, *[{} for _ in range(_TERMS - 1)]]) if c else _zero()


def _add(a: Series, b: Series) -> Series:
    if _is_zero(a) or _is_zero(b):
        return b if _is_zero(a) else a
    start = min(a.start, b.start)
    end = min(a.start + len(a.coefficients), b.start + len(b.coefficients))
    found = [plus(_at(a, k), _at(b, k)) for k in range(start, end)]
    return _stripped(start, found)


def _at(a: Series, exponent: int) -> Coefficient:
    k = exponent - a.start
    return a.coefficients[k] if 0 <= k < len(a.coefficients) else {}


def _scaled(a: Series, c: Coefficient) -> Series:
    return Series(a.start, [times(c, x) for x in a.coefficients]) if c else _zero()


def _neg(a: Series) -> Series:
    return Series(a.start, [scaled(c, -1) for c in a.coefficients])


def _mul(a: Series, b: Series) -> Series:
    if _is_zero(a) or _is_zero(b):
        return _zero()
    count = min(len(a.coefficients), len(b.coefficients))
    found: list[Coefficient] = []
    for n in range(count):
        total: Coefficient = {}
        for k in range(n + 1):
            if a.coefficients[k] and b.coefficients[n - k]:
                total = plus(total, times(a.coefficients[k], b.coefficients[n - k]))
        found.append(total)
    return Series(a.start + b.start, found)


def _reciprocal(a: Series) -> Series:
    if _is_zero(a):
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


def _power(a: Series, exponent: Fraction) -> Series:
    """Return a power, by ``a * p' = exponent * a' * p``."""
    if _is_zero(a):
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
    return _scaled(Series(int(start), found), power(a.coefficients[0], exponent))


def _split(a: Series) -> tuple[Coefficient, Series]:
    """Return the value at zero, and the rest as a series from the exponent 1 on."""
    if not _is_zero(a) and a.start < 0:
        raise NoSeries("a function at infinity")
    rest = [_at(a, k) for k in range(1, a.start + len(a.coefficients))]
    return _at(a, 0), Series(1, rest[: _TERMS + 1])


def _exp(a: Series) -> Series:
    """Return the exponential, by ``e' = a' * e``."""
    first, rest = _split(a)
    found = [constant(1)]
    for n in range(1, min(len(rest.coefficients) + 1, _TERMS) if not _is_zero(a) else _TERMS):
        total: Coefficient = {}
        for k in range(1, n + 1):
            if rest.coefficients and rest.coefficients[k - 1] and found[n - k]:
                total = plus(total, scaled(times(rest.coefficients[k - 1], found[n - k]), k))
        found.append(scaled(total, Fraction(1, n)))
    scale = atom(apply("exp", to_expr(first))) if first else constant(1)
    return _scaled(Series(0, found), scale)


def _one() -> Series:
    return _constant(constant(1))


def _derivative(a: Series) -> Series:
    found = [scaled(c, a.start + k) for k, c in enumerate(a.coefficients)]
    if not any(found):
        return _zero()
    return _stripped(a.start - 1, found)


def _integral(a: Series, first: Coefficient) -> Series:
    if _is_zero(a):
        return _constant(first)
    if a.start < 0:
        raise NoSeries("a function at a pole")
    found = [scaled(c, Fraction(1, a.start + k + 1)) for k, c in enumerate(a.coefficients)]
    whole = [first, *[{} for _ in range(a.start)], *found]
    return _stripped(0, whole[: _TERMS + 1]) if any(whole) else _zero()


def _by_slope(name: str, slope: Callable[[Series], Series]) -> Callable[[Series], Series]:
    """Return a function of series that is known by its derivative, and is 0 at 0."""

    def function(a: Series) -> Series:
        first, _ = _split(a)
        begin = atom(apply(name, to_expr(first))) if first else {}
        return _integral(_mul(slope(a), _derivative(a)), begin)

    return function


def _square_and(sign: int) -> Callable[[Series], Series]:
    def function(a: Series) -> Series:
        square = _mul(a, a)
        return _add(_one(), square if sign > 0 else _neg(square))

    return function


_HALF = Fraction(1, 2)
_BY_SLOPE = {
    "arctan": lambda a: _reciprocal(_square_and(1)(a)),
    "arctanh": lambda a: _reciprocal(_square_and(-1)(a)),
    "arcsin": lambda a: _power(_square_and(-1)(a), -_HALF),
    "arcsinh": lambda a: _power(_square_and(1)(a), -_HALF),
}


def _sin_cos(a: Series) -> tuple[Series, Series]:
    """Return the sine and the cosine, by ``s' = a' * c`` and ``c' = -a' * s``."""
    first, rest = _split(a)
    sines: list[Coefficient] = [{}]
    cosines = [constant(1)]
    slopes = [scaled(c, k + 1) for k, c in enumerate(rest.coefficients)]
    for n in range(1, len(slopes) + 1 if slopes else _TERMS):
        s: Coefficient = {}
        c: Coefficient = {}
        for k in range(1, n + 1):
            if slopes and slopes[k - 1]:
                s = plus(s, times(slopes[k - 1], cosines[n - k]))
                c = plus(c, times(slopes[k - 1], sines[n - k]))
        sines.append(scaled(s, Fraction(1, n)))
        cosines.append(scaled(c, Fraction(-1, n)))
    sine = _stripped(0, sines) if any(sines) else _zero()
    cosine = Series(0, cosines)
    if not first:
        return sine, cosine
    at = to_expr(first)
    s0, c0 = (atom(apply(name, at)) for name in ("sin", "cos"))
    return (
        _add(_scaled(cosine, s0), _scaled(sine, c0)),
        _add(_scaled(cosine, c0), _neg(_scaled(sine, s0))),
    )


class Expansion:
    """Expands expressions in one input.

    Parameters
    ----------
    name
        The input.
    sign
        1 or -1: from which side.
    far
        Whether at infinity, not at zero.
    """

    def __init__(self, name: str, sign: int, far: bool) -> None:
        self.name, self.sign, self.far = name, sign, far
        self._functions: dict[str, Callable[..., Series]] = {
            "add": _add,
            "sub": lambda a, b: _add(a, _neg(b)),
            "neg": _neg,
            "mul": _mul,
            "sqr": lambda a: _mul(a, a),
            "true_div": lambda a, b: _mul(a, _reciprocal(b)),
            "sqrt": lambda a: _power(a, _HALF),
            "cbrt": lambda a: _power(a, Fraction(1, 3)),
            "hypot": lambda a, b: _power(_add(_mul(a, a), _mul(b, b)), _HALF),
            "fma": lambda a, b, c: _add(_mul(a, b), c),
            "exp": _exp,
            "expm1": lambda a: _add(_exp(a), _neg(_one())),
            "log": self._log,
            "log1p": lambda a: self._log(_add(_one(), a)),
            "pow": self._pow,
            "sin": lambda a: _sin_cos(a)[0],
            "cos": lambda a: _sin_cos(a)[1],
            "tan": lambda a: self._ratio(*_sin_cos(a)),
            "sinh": lambda a: _scaled(_add(_exp(a), _neg(_exp(_neg(a)))), constant(_HALF)),
            "cosh": lambda a: _scaled(_add(_exp(a), _exp(_neg(a))), constant(_HALF)),
            "tanh": self._tanh,
            "abs": self._abs,
            "arctan": self._arctan,
            "arccos": self._arccos,
            **{
                name: _by_slope(name, slope)
                for name, slope in _BY_SLOPE.items()
                if name != "arctan"
            },
        }

    @staticmethod
    def _ratio(a: Series, b: Series) -> Series:
        return _mul(a, _reciprocal(b))

    @staticmethod
    def _tanh(a: Series) -> Series:
        up, down = _exp(a), _exp(_neg(a))
        return _mul(_add(up, _neg(down)), _reciprocal(_add(up, down)))

    @staticmethod
    def _abs(a: Series) -> Series:
        sign = 0 if _is_zero(a) else sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("a magnitude of what may have either sign")
        return a if sign > 0 else _neg(a)

    @staticmethod
    def _arctan(a: Series) -> Series:
        within = _by_slope("arctan", _BY_SLOPE["arctan"])
        if _is_zero(a) or a.start >= 0:
            return within(a)
        sign = sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("an arc of what may have either sign")
        quarter = scaled(atom(number("pi")), Fraction(sign, 2))
        return _add(_constant(quarter), _neg(within(_reciprocal(a))))

    @staticmethod
    def _arccos(a: Series) -> Series:
        quarter = scaled(atom(number("pi")), _HALF)
        return _add(_constant(quarter), _neg(_by_slope("arcsin", _BY_SLOPE["arcsin"])(a)))

    def _log(self, a: Series) -> Series:
        if _is_zero(a):
            raise NoSeries("a logarithm of zero")
        by_first = inverse(a.coefficients[0])
        ratio = Series(0, [times(by_first, c) for c in a.coefficients])
        first: Coefficient = {}
        if a.coefficients[0] != constant(1):
            first = atom(apply("log", to_expr(a.coefficients[0])))
        if a.start:
            log_t = scaled(atom(apply("log", self._positive())), -1 if self.far else 1)
            first = plus(first, scaled(log_t, a.start))
        slope = _derivative(ratio)
        if _is_zero(slope):
            return _constant(first)
        return _integral(_mul(slope, _reciprocal(ratio)), first)

    def _positive(self) -> Expr:
        x = named(self.name)
        return x if self.sign > 0 else apply("neg", x)

    def _pow(self, a: Series, b: Series) -> Series:
        whole = not _is_zero(b) and b.start == 0 and not any(b.coefficients[1:])
        value = (
            b.coefficients[0].get(frozenset()) if whole and len(b.coefficients[0]) == 1 else None
        )
        if value is not None and value.denominator < 100:
            return _power(a, value)
        return _exp(_mul(b, self._log(a)))

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
                value = e.op is NUMBER and isinstance(e.value, Fraction)
                done[e] = _constant(constant(e.value) if value else atom(e))
                if e.op in self._functions:
                    # sums and products of constants have one form
                    done[e] = self._of_constants(e, [done[a] for a in e.args], done[e])
            elif e.op is INPUT:
                coefficients = [constant(self.sign), *[{} for _ in range(_TERMS - 1)]]
                done[e] = Series(-1 if self.far else 1, coefficients)
            elif e.op in self._functions:
                done[e] = self._functions[e.op](*[done[a] for a in e.args])
            else:
                raise NoSeries(f"no series of {e.op} is known")
        return done[expr]

    def _of_constants(self, e: Expr, args: list[Series], otherwise: Series) -> Series:
        if e.op not in ("add", "sub", "mul", "neg", "true_div", "sqr"):
            return otherwise
        try:
            return self._functions[e.op](*args)
        except NoSeries:
            return otherwise

    def partial_sums(self, expr: Expr, most: int) -> list[Expr]:
        """Return the sums of the first terms of an expression's series: of one, two, … terms."""
        series = self.of(expr)
        terms = [(series.start + k, c) for k, c in enumerate(series.coefficients) if c]
        return [self._sum(terms[:count]) for count in range(1, min(most, len(terms)) + 1)]

    def _sum(self, terms: list[tuple[int, Coefficient]]) -> Expr:
        """Return terms as an expression, in Horner's form."""
        x = named(self.name)
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
    found = {}
    for name in names:
        for far in (False, True):
            for sign in (1, -1):
                place = (
                    f"{name} = {'' if not far else '-' if sign < 0 else ''}{'inf' if far else '0'}"
                )
                if not far and sign < 0:
                    place = f"{name} = -0"
                try:
                    found[place] = Expansion(name, sign, far).partial_sums(expr, most)
                except (NoSeries, ZeroDivisionError, OverflowError):
                    continue
    return found
