"""Laurent series of expressions in one input: at zero, at the infinities, and at other places.

The input is ``a + sign * t`` or ``sign / t`` with a positive `t` near zero.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from relgraph.search.accuracy.expressions import INPUT, NUMBER, Expr, apply, named, number, parts
from relgraph.search.accuracy.series.coefficients import (
    Coefficient,
    NoSeries,
    atom,
    constant,
    inverse,
    plus,
    powered,
    scaled,
    sign_of,
    times,
    to_expr,
)
from relgraph.search.accuracy.series.power_series import (
    HALF,
    SLOPES,
    TERMS,
    Series,
    add,
    by_slope,
    constant_series,
    derivative,
    exp,
    integral,
    is_zero,
    mul,
    multiple,
    neg,
    one,
    raised,
    reciprocal,
    sin_cos,
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
            "exp": exp,
            "expm1": lambda a: add(exp(a), neg(one())),
            "log": self._log,
            "log1p": lambda a: self._log(add(one(), a)),
            "pow": self._pow,
            "sin": lambda a: sin_cos(a)[0],
            "cos": lambda a: sin_cos(a)[1],
            "tan": lambda a: self._ratio(*sin_cos(a)),
            "sinh": lambda a: multiple(add(exp(a), neg(exp(neg(a)))), constant(HALF)),
            "cosh": lambda a: multiple(add(exp(a), exp(neg(a))), constant(HALF)),
            "tanh": self._tanh,
            "abs": self._abs,
            "arctan": self._arctan,
            "arccos": self._arccos,
            **{name: by_slope(name, slope) for name, slope in SLOPES.items() if name != "arctan"},
        }

    @staticmethod
    def _ratio(a: Series, b: Series) -> Series:
        return mul(a, reciprocal(b))

    @staticmethod
    def _tanh(a: Series) -> Series:
        up, down = exp(a), exp(neg(a))
        return mul(add(up, neg(down)), reciprocal(add(up, down)))

    @staticmethod
    def _abs(a: Series) -> Series:
        sign = 0 if is_zero(a) else sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("a magnitude of what may have either sign")
        return a if sign > 0 else neg(a)

    @staticmethod
    def _arctan(a: Series) -> Series:
        within = by_slope("arctan", SLOPES["arctan"])
        if is_zero(a) or a.start >= 0:
            return within(a)
        sign = sign_of(a.coefficients[0])
        if not sign:
            raise NoSeries("an arc of what may have either sign")
        quarter = scaled(atom(number("pi")), Fraction(sign, 2))
        return add(constant_series(quarter), neg(within(reciprocal(a))))

    @staticmethod
    def _arccos(a: Series) -> Series:
        quarter = scaled(atom(number("pi")), HALF)
        return add(constant_series(quarter), neg(by_slope("arcsin", SLOPES["arcsin"])(a)))

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
        return exp(mul(b, self._log(a)))

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
                done[e] = constant_series(constant(e.value) if value else atom(e))
                if e.op in self._functions:
                    # sums and products of constants have one form
                    done[e] = self._of_constants(e, [done[a] for a in e.args], done[e])
            elif e.op is INPUT:
                done[e] = self._input()
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
