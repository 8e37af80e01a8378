"""Sums, products and quotients: grouped, factored, over one denominator, and by a conjugate."""

from __future__ import annotations

from functools import partial

from relgraph.graph.kanren.search.goals import whereo
from relgraph.tensor import sqr
from relgraph.tensor.lawkit.domains import are_nonnegative, are_positive
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y, z, t = lvars("x y z t")

real = partial(law, sound="domain")
"""A law of real numbers: the sides differ in what they lose to rounding, overflow and poles."""

positive, nonnegative = partial(whereo, are_positive), partial(whereo, are_nonnegative)
"""Where a law holds, beside where both sides have a value; of what it is applied to, its
derivation says so."""

GROUPING = (
    real("sum-of-three", (x + y) + z, x + (y + z)),
    real("sum-less-one", (x + y) - z, x + (y - z)),
    real("difference-and-one", (x - y) + z, x - (y - z)),
    real("difference-less-one", (x - y) - z, x - (y + z)),
    real("product-of-three", (x * y) * z, x * (y * z)),
    real("product-by-one", (x * y) / z, x * (y / z)),
    real("quotient-by-one", (x / y) / z, x / (y * z)),
    real("by-a-quotient", x / (y / z), (x / y) * z),
    real("by-swapped-quotient", x / y, 1 / (y / x)),
    real("times-reciprocal", x * (1 / y), x / y),
)

SIGNS = (
    real("difference-as-sum", x - y, x + -y),
    real("difference-turned", x - y, -(y - x)),
    real("sum-turned", -x - y, -(x + y)),
    real("product-turned", -x * y, -(x * y)),
    real("quotient-turned", -x / y, -(x / y)),
    real("quotient-by-turned", x / -y, -(x / y)),
    real("turned-twice", -(-x), x),
    real("less-turned", x - -y, x + y),
    real("turned-as-product", -1 * x, -x),
)

NEUTRAL = (
    real("and-nothing", x + 0, x),
    real("less-nothing", x - 0, x),
    real("nothing-less", 0 - x, -x),
    real("times-one", x * 1, x),
    real("times-nothing", x * 0, 0),
    real("nothing-by", 0 / x, 0),
    real("by-one", x / 1, x),
)

CANCELLATION = (
    real("less-itself", x - x, 0),
    real("by-itself", x / x, 1),
    real("sum-less-first", (x + y) - x, y),
    real("difference-and-second", (x - y) + y, x),
    real("less-difference", x - (x - y), y),
    real("less-sum", x - (x + y), -y),
    real("product-by-first", (x * y) / x, y),
    real("quotient-times-second", (x / y) * y, x),
    real("by-product-with-itself", x / (x * y), 1 / y),
    real("common-factor-of-quotient", (x * y) / (x * z), y / z),
)

FACTORS = (
    real("factor-of-sum", x * y + x * z, x * (y + z)),
    real("factor-of-difference", x * y - x * z, x * (y - z)),
    real("factor-of-sum-with-itself", x + x * y, x * (1 + y)),
    real("factor-of-difference-with-itself", x - x * y, x * (1 - y)),
    real("factor-of-difference-from-itself", x * y - x, x * (y - 1)),
    real("divisor-of-sum", x / z + y / z, (x + y) / z),
    real("divisor-of-difference", x / z - y / z, (x - y) / z),
    real("itself-twice", x + x, 2 * x),
)

FRACTIONS = (
    real("sum-of-quotients", x / y + z / t, (x * t + z * y) / (y * t)),
    real("difference-of-quotients", x / y - z / t, (x * t - z * y) / (y * t)),
    real("sum-with-quotient", x + y / z, (x * z + y) / z),
    real("difference-with-quotient", x - y / z, (x * z - y) / z),
    real("quotient-less-one-term", x / y - z, (x - z * y) / y),
    real("quotient-of-quotients", (x / y) / (z / t), (x / z) * (t / y)),
    real("product-of-quotients", (x / y) * (z / t), (x * z) / (y * t)),
    real("quotient-of-products", (x * y) / (z * t), (x / z) * (y / t)),
)

SQUARES = (
    real("square-as-product", sqr(x), x * x),
    real("squares-apart-as-product", x * x - y * y, (x + y) * (x - y)),
    real("square-and-less-one", x * x - 1, (x + 1) * (x - 1)),
    real("one-less-square-as-product", 1 - x * x, (1 + x) * (1 - x)),
    real("square-of-sum", (x + y) * (x + y), x * x + (2 * (x * y) + y * y)),
    real("square-of-difference", (x - y) * (x - y), x * x + (y * y - 2 * (x * y))),
    real("square-of-product", (x * y) * (x * y), (x * x) * (y * y)),
    real("square-of-quotient", (x / y) * (x / y), (x * x) / (y * y)),
    real("square-of-opposite", -x * -x, x * x),
)

CONJUGATES = (
    real("difference-by-conjugate", x - y, (x * x - y * y) / (x + y)),
    real("sum-by-conjugate", x + y, (x * x - y * y) / (x - y)),
    real(
        "difference-by-cubes",
        x - y,
        (x * (x * x) - y * (y * y)) / (x * x + (x * y + y * y)),
    ),
)
