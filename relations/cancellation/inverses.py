"""Inverse functions: near the ends of their domains, and written out as logarithms.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.3; Kahan, Branch Cuts for
Complex Elementary Functions (1987); Olver et al., NIST Handbook of Mathematical Functions (2010),
4.23 (viii) and 4.37 (the Gudermannian).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from relations.kit.cancellation import by_cases, is_turn, not_choseno
from relations.kit.compensation import uncompensated
from relations.kit.constant_arithmetic import known
from relations.kit.guards import in_dtype_of, is_read
from relations.kit.vocabulary import Law, law, lvars, stable
from relgraph.graph.kanren import computed, one_cliento, readerso, whereo
from relgraph.graph.kanren.terms import renamed
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    constant,
    cos,
    exp,
    ge,
    gt,
    log,
    log1p,
    lt,
    minimum,
    sinh,
    sqrt,
    switch,
    tan,
)

c, d, x, y = lvars("c d x y")

# what is rounded to the end of the domain has a value beyond it
between, above = ge(minimum(x, 1 - x), 0), ge(x, 0)
arc = 2 * arcsin(sqrt(switch(between, x / 2, 1)))
hyperbolic_arc = 2 * arcsinh(sqrt(switch(above, x / 2, 1)))


def unchosen(
    name: str, condition: Any, function: Callable[[Any], Any], better: Any, other: Any, *more: Any
) -> Law:
    """Return the law of `by_cases` about an `x` that no switch gives."""
    return by_cases(name, condition, function, better, other, not_choseno(x), *more)


def log_of_one_by(name: str, sum_with_one: Callable[[Any], Any], y: Any) -> Law:
    """Return the law about the logarithm of one by a sum, which is ``1 + y``, where that is
    positive."""
    positive, rounded = gt(y, -1), readerso(uncompensated, sum_with_one(x))
    better = -log1p(switch(positive, y, 0))
    return unchosen(name, positive, lambda v: log(1 / sum_with_one(v)), better, 0, rounded)


# where the sum and the difference are nearly equal; elsewhere the rounding of the ratio counts more
nearby = lt(2 * abs_(y), abs_(x))
ratio = switch(nearby, y, 0) / switch(nearby, x, 1)


def log_of_sum_by_difference(name: str, sign: int, quotient: Callable[[Any], Any]) -> Law:
    """Return the law about the logarithm of a quotient of the sum and the difference of `x` and
    `y`, in which `x` is given."""
    better = 2 * sign * arctanh(ratio)
    return unchosen(name, nearby, lambda v: log(quotient(v)), better, 1 + abs_(y))


right = gt(cos(2 * x), 0)
inverse = arcsinh(tan(switch(right, 2 * x, 0)))


def of_tangent(name: str, tangent: Callable[[Any], Any], better: Any) -> Law:
    """Return the law about the logarithm of the tangent of an eighth of a turn and `x`."""
    # beside the tangent, which is 1 at 0, the logarithm has the same rounding
    return unchosen(name, right, lambda v: log(tangent(v)), better, 0, one_cliento(tangent(x)))


TURNS = (
    # where `canonicalize` has folded no constants
    law(
        "turn-as-number",
        c / d,
        known(c / d),  # pi / 4 → 0.785
        readerso(is_read, c / d),
        whereo(is_turn, c, d),
        tries=[renamed(c / d, {c: constant(math.pi), d: constant(float(n))}) for n in (2, 4)],
    ),
)

eighth, quarter = (computed(in_dtype_of(math.pi / n), x) for n in (4, 2))
"""An eighth and a quarter of a turn."""

# a half precise 1 - x may be 2 where x is less than -1
inside = ge(x, -1)
inside_x = switch(inside, x, 1)

INVERSES = (
    unchosen("arccos-near-one", between, lambda v: arccos(1 - v), arc, 0),
    unchosen("arccosh-near-one", above, lambda v: arccosh(1 + v), hyperbolic_arc, 0),
    stable("arctanh-mirrored", log((1 - x) / (1 + x)), -2 * arctanh(x)),
    stable("arctanh-of-excess", log1p(2 * x / (1 - x)), 2 * arctanh(x)),
    log_of_sum_by_difference("arctanh-scaled", 1, lambda x: (x + y) / (x - y)),
    log_of_sum_by_difference("arctanh-scaled-mirrored", -1, lambda x: (x - y) / (x + y)),
    log_of_one_by("log-of-one-by", lambda x: 1 + x, x),
    log_of_one_by("log-of-one-by-less", lambda x: 1 - x, -x),
    unchosen(
        "arccos-by-half", inside, lambda v: 2 * arcsin(sqrt((1 - v) / 2)), arccos(inside_x), 1
    ),
    # gudermannian
    of_tangent("inverse-gudermannian", lambda v: tan(eighth + v), inverse),
    of_tangent("inverse-gudermannian-mirrored", lambda v: tan(eighth - v), -inverse),
    stable("arctan-less-eighth-turn", arctan(x) - eighth, arctan2(x - 1, x + 1)),
    stable("gudermannian", 2 * arctan(exp(x)) - quarter, arctan(sinh(x))),
    stable("quarter-turn-less-arccos", quarter - arccos(x), arcsin(x)),
    stable("quarter-turn-less-arcsin", quarter - arcsin(x), arccos(x)),
)
