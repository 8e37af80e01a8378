"""What vanishes at zero faster than its terms do: Taylor's series near zero, in place of a formula.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.4-3.5; Higham, Accuracy and
Stability of Numerical Algorithms (2002), 1.14.
"""

from __future__ import annotations

from typing import Any

from relgraph.tensor import abs as abs_
from relgraph.tensor import (
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
from relgraph.tensor.lawkit.spellings import Square, in_each_spelling
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars

x, y = lvars("x y")

tiny = lt(abs_(x), 0.03)
inside = switch(tiny, x, 0)
# two of them, so that a law does not match what it leaves
outside, out_there = switch(tiny, 1, x), switch(tiny, 2, x)


def series(*coefficients: float) -> Any:
    """Return the term of a polynomial in the square of what is within the radius."""
    total: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = coefficient + total * sqr(inside)
    return total


def near(expansion: Any, formula: Any) -> Any:
    """Return the term that is an expansion within the radius, and a formula outside."""
    # the quotient is 1, but for 0, where these have no value
    return switch(tiny, expansion * (x / x), formula)


FUNCTIONS = (
    law("x-less-sin", x - sin(x), x_less_sin(x), sound="stable"),
    law("sin-less-x", sin(x) - x, -x_less_sin(x), sound="stable"),
    law("tan-less-x", tan(x) - x, tan_less_x(x), sound="stable"),
    law("x-less-tan", x - tan(x), -tan_less_x(x), sound="stable"),
    law("log1p-less-x", log1p(x) - x, log1pmx(x), sound="stable"),
    law("x-less-log1p", x - log1p(x), -log1pmx(x), sound="stable"),
)


def either_sign(name: str, top: Any, bottom: Any, ratio: Any, negated: Any) -> tuple[Law, ...]:
    """Return the laws about a quotient, and about one whose top is negated: ``1 - cos(x)`` is
    ``-cosm1(x)``."""
    return (
        law(name, top / bottom, ratio, sound="stable"),
        law(f"{name}-negated", -top / bottom, negated, sound="stable"),
    )


def of_cosm1_by_square(ending: str, square: Square) -> tuple[Law, ...]:
    """Return the laws about ``cos(x) - 1`` by a square of `x` that is written with `square`."""
    half = 0.5 * sqr(sin(x / 2) / (x / 2))
    return either_sign(f"cosm1-by-square{ending}", cosm1(x), square(x), -half, half)


ratio_to_tan = near(
    series(1 / 2, -9 / 40, 27 / 2800, -27 / 112000, 201 / 86240000),
    x_less_sin(outside) / tan_less_x(out_there),
)

QUOTIENTS = (
    law("sin-to-tan", x_less_sin(x) / tan_less_x(x), ratio_to_tan, sound="stable"),
    law("sin-to-neg-tan", x_less_sin(x) / -tan_less_x(x), -ratio_to_tan, sound="stable"),
    law(
        "x-less-sin-by-tan",
        x_less_sin(x) / tan(x),
        near(
            sqr(inside) * series(1 / 6, -23 / 360, -11 / 15120, -143 / 604800, -361 / 17107200),
            x_less_sin(outside) / tan(out_there),
        ),
        sound="stable",
    ),
    law(
        "one-by-x-less-cotangent",
        1 / x - 1 / tan(x),
        near(inside * series(1 / 3, 1 / 45, 2 / 945, 1 / 4725), 1 / outside - 1 / tan(out_there)),
        sound="stable",
    ),
    *either_sign("cosm1-by-sin", cosm1(x), sin(x), -tan(x / 2) * (x / x), tan(x / 2) * (x / x)),
    *in_each_spelling(of_cosm1_by_square),
)
