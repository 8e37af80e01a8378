"""Differences of values of one function at points that are near each other.

What the points have in common is taken out before anything is rounded: by a conjugate (roots), a
common denominator (reciprocals), an addition theorem (angles), the function equation (exponentials,
logarithms and powers). Where a form is better for some arguments alone, a switch says for which;
what is not chosen is computed from other numbers, so that its slope is finite. A difference stands
here one way round; `relations.STABILIZE` has it the other way round, too.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.3-3.4; Higham, Accuracy and
Stability of Numerical Algorithms (2002), 1.7-1.8 and problem 1.4.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from relations.kit.cancellation import by_cases, nonzero, not_choseno, root_of_largest
from relations.kit.vocabulary import Law, finite, lvars, rounding, stable
from relgraph.graph.kanren import computed, not_made_byo
from relgraph.tensor import abs as abs_
from relgraph.tensor import (
    arctan,
    arctan2,
    cbrt,
    clip,
    cos,
    cosh,
    cosm1,
    exp,
    expm1,
    ge,
    gt,
    log,
    log1p,
    lt,
    minimum,
    sigmoid,
    sin,
    sinh,
    sqr,
    sqr_less_sqr,
    sqrt,
    switch,
    tan,
    tanh,
)

c, x, y, z = lvars("c x y z")

# beyond that nothing cancels, and a product may overflow that was no part of the difference
nearby, nearby_above = lt(abs_(y), abs_(x)), lt(abs_(y), x)

Difference = Callable[[Any], Any]


def where_near(name: str, difference: Difference, together: Any) -> Law:
    """Return the law that a difference of values at points that are near each other, a function of
    one of the occurrences of `x`, is better computed together."""
    return by_cases(name, nearby, difference, together, 1 + abs_(y))


def anywhere(name: str, difference: Difference, together: Any) -> Law:
    """Return the law that a difference is better computed together wherever it is taken."""
    return stable(name, difference(x), together)


def up_and_down(
    name: str, up: Any, down: Any, twice: Difference, together: Any, kind: Any = where_near
) -> tuple[Law, ...]:
    """Return the laws about ``up - twice(x) + down``, a second difference, either way round."""
    return (
        kind(f"{name}-up-and-down", lambda v: (up - twice(v)) + down, together),
        kind(f"{name}-down-and-up", lambda v: (down - twice(v)) + up, together),
    )


root, up, down = sqrt(x), sqrt(x + y), sqrt(x - y)
cube, cube_up = cbrt(x), cbrt(x + y)
cubes = sqr(cube_up) + cube_up * cube + sqr(cube)


by_x, by_roots = y / nonzero(x), (y / nonzero(root * up)) / nonzero(root + up)
# halves, since a sum of two may overflow where the other one, of other signs, is small
around = (y / 2 / nonzero(x / 2 + y / 2)) / nonzero(x / 2 - y / 2)

ROOTS_AND_RECIPROCALS = (
    where_near("sqrt-step", lambda v: up - sqrt(v), y / nonzero(up + root)),
    where_near("sqrt-step-back", lambda v: sqrt(v) - down, y / nonzero(root + down)),
    where_near("sqrt-step-around", lambda v: up - sqrt(v - y), 2 * (y / nonzero(up + down))),
    where_near("cbrt-step", lambda v: cube_up - cbrt(v), y / nonzero(cubes)),
    where_near("one-by-step", lambda v: 1 / (x + y) - 1 / v, -(by_x / nonzero(x + y))),
    where_near("one-by-step-back", lambda v: 1 / v - 1 / (x - y), -(by_x / nonzero(x - y))),
    where_near("one-by-step-around", lambda v: 1 / (x + y) - 1 / (v - y), -around),
    where_near("one-by-root-step", lambda v: 1 / sqrt(v) - 1 / up, by_roots),
    where_near(
        "second-difference-of-one-by", lambda v: 1 / (x + y) + 1 / (x - y) - 2 / v, by_x * around
    ),
    *up_and_down("one-by", 1 / (x + y), 1 / (x - y), lambda v: 2 / v, by_x * around),
)

near_x, near_y = switch(nearby_above, x, 1), switch(nearby_above, y, 0)

# the same at a step of one
large = ge(x, 1)
large_x = switch(large, x, 1)


def of_x_log_x(name: str, grown: Any, near: Any, near_x: Any, near_y: Any) -> Law:
    """Return the law about the difference of ``x * log(x)`` at ``x + y``, which is `grown`, and at
    `x`: the logarithms that are nearly equal are taken together."""
    together = near_x * log1p(near_y / near_x) + near_y * log(near_x + near_y)
    return by_cases(name, near, lambda v: grown - x * log(v), together, 1)


def of_power_near_one(name: str, base: Callable[[Any], Any], change: Any) -> Law:
    """Return the law about a power of what a function gives of `x`, ``1 + change``, less one."""
    grown = c * log1p(change)
    # beyond that the logarithm's rounding is enlarged, and there is nothing to cancel
    little = lt(minimum(abs_(grown), abs_(log1p(change))), 1)
    less = expm1(c * log1p(switch(little, change, 0)))
    return by_cases(name, little, lambda v: base(v) ** c - 1, less, 0, not_choseno(x))


grown = c * log1p(y / x)
little = lt(abs_(grown), 1)
little_grown = switch(little, c * log1p(y / nonzero(x)), 0)

LOGARITHMS_AND_POWERS = (
    by_cases("log-step", nearby_above, lambda v: log(x + y) - log(v), log1p(near_y / near_x), 1),
    by_cases("log1p-step", large, lambda v: log1p(x) - log(v), log1p(1 / large_x), 1),
    of_x_log_x("x-log-x-step", (x + y) * log(x + y), nearby_above, near_x, near_y),
    of_x_log_x("x-log-x-step-of-one", (1 + x) * log1p(x), large, large_x, 1),
    by_cases("power-step", little, lambda v: (x + y) ** c - v**c, x**c * expm1(little_grown), 1),
    of_power_near_one("power-above-one-less-one", lambda v: 1 + v, x),
    of_power_near_one("power-below-one-less-one", lambda v: 1 - v, -x),
)

small = lt(abs_(y), 1)
small_y = switch(small, y, 0)

cos_of_sum = cos(x) * cos(y) - sin(x) * sin(y)


step = x * (x + y)
# where arcs have one sign, and the product of their tangents has a square: the slope of arctan2
within = gt(minimum(step, computed(root_of_largest, x) - step), 0)
small_arc = arctan2(switch(within, y, 0), 1 + switch(within, step, 0))

both_sides = sigmoid(x) * sigmoid(-y) + sigmoid(y) * sigmoid(-x)
# beyond that a sigmoid is 0 or 1 in any float, and infinities have no difference
apart = clip(x, -800, 800) - clip(y, -800, 800)


late = partial(stable, tags=("late",))
"""Laws that wait for those about special differences, or in which one is a part."""

FUNCTIONS = (
    by_cases("exp-step", small, lambda v: exp(x + y) - exp(v), exp(x) * expm1(small_y), 0),
    *up_and_down("exp", exp(x), exp(-x), lambda _: 2, 4 * sqr(sinh(x / 2)), anywhere),
    stable("cosh-less-one", cosh(x) - 1, 2 * sqr(sinh(x / 2))),
    stable("two-cosh-less-two", 2 * cosh(x) - 2, 4 * sqr(sinh(x / 2))),
    stable("sin-step", sin(x + y) - sin(x), sin(x) * cosm1(y) + cos(x) * sin(y)),
    stable("cos-step", cos(x + y) - cos(x), cos(x) * cosm1(y) - sin(x) * sin(y)),
    stable("tan-step", tan(x + y) - tan(x), sin(y) / (cos(x) * cos_of_sum)),
    stable("cos-less-one", cos(x) - 1, cosm1(x)),
    by_cases("arctan-step", within, lambda v: arctan(x + y) - arctan(v), small_arc, 0),
    # after the law about sigmoid(x) - sigmoid(-x), either way round
    late("sigmoids-apart", sigmoid(x) - sigmoid(y), tanh(apart / 2) * both_sides),
)

SQUARES_APART = (
    late("squares-apart", sqr(x) - sqr(y), sqr_less_sqr(x, y)),
    late("square-less-one", sqr(x) - 1, sqr_less_sqr(x, 1)),
    # the slope of a tanh has a law of its own, which knows what that costs
    late("one-less-square", 1 - sqr(x), sqr_less_sqr(1, x), not_made_byo(x, tanh)),
)

OF_SQUARES = (
    stable("square-step", sqr(x + y) - sqr(x), y * (2 * x + y)),
    stable("square-step-back", sqr(x - y) - sqr(x), y * (y - 2 * x)),
    *SQUARES_APART,
    # 0 / 0 where both squares are equal
    finite("squares-apart-by-sum", sqr_less_sqr(x, y) / (x + y), x - y),
    finite("squares-apart-by-difference", sqr_less_sqr(x, y) / (x - y), x + y),
    finite("sum-by-squares-apart", (x + y) / sqr_less_sqr(x, y), 1 / (x - y)),
    finite("difference-by-squares-apart", (x - y) / sqr_less_sqr(x, y), 1 / (x + y)),
)

SQUARES_AND_ONE = (
    rounding(
        "one-less-square-written-out", sqr_less_sqr(1, x), (1 - abs(x)) + abs(x) * (1 - abs(x))
    ),
    rounding(
        "square-less-one-written-out", sqr_less_sqr(x, 1), (abs(x) - 1) + abs(x) * (abs(x) - 1)
    ),
)
"""Faster than the op, and as exact: where `x` is small the first term alone counts, and is rounded
once; where it is near 1, ``1 - x`` is exact. A general pair of squares has no such form."""
