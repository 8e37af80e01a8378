"""What vanishes at zero faster than its terms do: Taylor's series near zero, in place of a formula.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.4-3.5; Higham, Accuracy and
Stability of Numerical Algorithms (2002), 1.14.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import permutations, product
from operator import mul
from typing import Any

from relations.kit.cancellation import SIN, TAN, Series, X, less, quotient
from relations.kit.vocabulary import Law, law, lvars, stable
from relgraph import scalar
from relgraph.graph.kanren import one_ofo
from relgraph.tensor import (
    Elemwise,
    cosm1,
    log1p,
    log1pmx,
    lt,
    sin,
    sqr,
    switch,
    tan,
    tan_less_x,
    x_less_sin,
)
from relgraph.tensor import abs as abs_

s, x, y = lvars("s x y")

_TERMS = 5

tiny = lt(abs_(x), 0.03)
inside = switch(tiny, x, 0)
# two of them, so that a law does not match what it leaves
outside, out_there = switch(tiny, 1, x), switch(tiny, 2, x)

# beyond that a sine and a tangent are not nearly their argument, and each rounding counts
alike = lt(abs_(x), 2)
away, far_away = switch(alike, 3, x), switch(alike, 4, x)


def near_zero(above: Series, below: Series, formula: Any) -> Any:
    """Return the term of a quotient of two functions of `x`, both odd or both even: within the
    radius, where both may underflow, the quotient of their series, and a formula outside."""
    order, coefficients = quotient(above, below)
    *others, total = map(float, coefficients[: 2 * _TERMS : 2])
    for coefficient in reversed(others):
        total = coefficient + total * sqr(inside)
    # the quotient is 1, but for 0, where the functions have none
    return switch(tiny, reduce(mul, [inside] * order, total) * (x / x), formula)


change = Elemwise(s, ())
is_change = one_ofo(s, (scalar.cosm1, scalar.x_less_sin, scalar.tan_less_x))
"""What is left near zero of a cosine, a sine or a tangent."""

VANISHING = {
    "x-less-sin": (x_less_sin, less(X, SIN)),
    "tan-less-x": (tan_less_x, less(TAN, X)),
    "sin": (sin, SIN),
    "tan": (tan, TAN),
}
"""Odd functions, by name, and their series."""


def of_two(name: str, other: str) -> Law:
    """Return the law about the quotient of two of these functions."""
    (top, above), (bottom, below) = VANISHING[name], VANISHING[other]
    right = near_zero(above, below, top(outside) / bottom(out_there))
    return stable(f"{name}-by-{other}", top(x) / bottom(x), right)


def of_reciprocals(name: str, change: Callable[[Any], Any]) -> Law:
    """Return the law about the reciprocals of `x` and of a function that is nearly `x`, given by
    how much it is more than that."""
    function, series = VANISHING[name]
    between = switch(alike, out_there, 2)
    together = change(switch(alike, outside, 1)) / between / function(between)
    formula = switch(alike, together, 1 / away - 1 / function(far_away))
    apart = near_zero(less(series, X), (Fraction(0), *series[:-1]), formula)
    left = 1 / x - 1 / function(x)
    return stable(f"one-by-x-less-one-by-{name}", left, apart)


FUNCTIONS_AND_QUOTIENTS = (
    stable("x-less-sin", x - sin(x), x_less_sin(x)),
    stable("tan-less-x", tan(x) - x, tan_less_x(x)),
    stable("log1p-less-x", log1p(x) - x, log1pmx(x)),
    # What the laws above leave negated, so that those below need not be told twice.
    law("neg-change-by", -change(x) / y, -(change(x) / y), is_change),
    law("by-neg-change", y / -change(x), -(y / change(x)), is_change),
    *(of_two(*names) for names in permutations(("x-less-sin", "tan-less-x"))),
    *(of_two(*names) for names in product(("x-less-sin", "tan-less-x"), ("sin", "tan"))),
    of_reciprocals("tan", tan_less_x),
    of_reciprocals("sin", lambda v: -x_less_sin(v)),
    stable("cosm1-by-sin", cosm1(x) / sin(x), -tan(x / 2) * (x / x)),
    stable("cosm1-by-square", cosm1(x) / sqr(x), -0.5 * sqr(sin(x / 2) / (x / 2))),
)
