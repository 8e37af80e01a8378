"""Roots, powers and absolute values."""

from __future__ import annotations

from relgraph.search.accuracy.identities.algebra import nonnegative, positive, real
from relgraph.tensor import abs as abs_
from relgraph.tensor import cbrt, exp, expm1, log, log1p, sqrt
from relgraph.tensor.lawkit.vocabulary import lvars

x, y, z = lvars("x y z")

ROOTS = (
    real("square-of-root", sqrt(x) * sqrt(x), x, domain=nonnegative(x)),
    real("root-of-square", sqrt(x * x), abs_(x)),
    real("root-of-product", sqrt(x * y), sqrt(x) * sqrt(y), domain=nonnegative(x, y)),
    real("root-of-product-of-like-signs", sqrt(x * y), sqrt(abs_(x)) * sqrt(abs_(y))),
    real("root-of-quotient", sqrt(x / y), sqrt(x) / sqrt(y), domain=positive(x, y)),
    real("root-with-square-taken-out", sqrt(x * (y * y)), abs_(y) * sqrt(x), domain=nonnegative(x)),
    real("root-of-quotient-by-square", sqrt(x / (y * y)), sqrt(x) / abs_(y), domain=nonnegative(x)),
    real("by-root", x / sqrt(x), sqrt(x), domain=nonnegative(x)),
    real("one-by-root", 1 / sqrt(x), sqrt(1 / x), domain=positive(x)),
    real("cube-of-cube-root", cbrt(x) * (cbrt(x) * cbrt(x)), x),
    real("cube-root-of-product", cbrt(x * y), cbrt(x) * cbrt(y)),
    real("cube-root-of-quotient", cbrt(x / y), cbrt(x) / cbrt(y)),
    real("cube-root-of-cube", cbrt(x * (x * x)), x),
)

POWERS = (
    real("second-power", x**2, x * x),
    real("third-power", x**3, x * (x * x)),
    real("fourth-power", x**4, (x * x) * (x * x)),
    real("fifth-power", x**5, x * ((x * x) * (x * x))),
    real("sixth-power", x**6, (x * (x * x)) * (x * (x * x))),
    real("first-power", x**1, x),
    real("minus-first-power", x**-1, 1 / x),
    real("half-power", x**0.5, sqrt(x)),
    real("three-halves-power", x**1.5, x * sqrt(x)),
    real("third-part-power", x ** (1 / 3), cbrt(x), domain=nonnegative(x)),
    real("power-by-exponential", x**y, exp(y * log(x)), domain=positive(x)),
    real("product-of-powers", x**y * x**z, x ** (y + z), domain=positive(x)),
    real("quotient-of-powers", x**y / x**z, x ** (y - z), domain=positive(x)),
    real("power-of-product", (x * y) ** z, x**z * y**z, domain=nonnegative(x, y)),
    real("power-of-quotient", (x / y) ** z, x**z / y**z, domain=positive(x, y)),
    real("power-of-power", (x**y) ** z, x ** (y * z), domain=positive(x)),
    real("power-of-root", sqrt(x) ** y, x ** (y / 2), domain=positive(x)),
    real("root-of-power", sqrt(x**y), x ** (y / 2), domain=positive(x)),
    real("power-of-opposite", x**-y, 1 / x**y),
    real("reciprocal-of-power", (1 / x) ** y, x**-y, domain=positive(x)),
    real("power-and-one-more", x * x**y, x ** (y + 1)),
    real("power-and-one-less", x**y / x, x ** (y - 1)),
    real("power-less-one-by-exponential", x**y - 1, expm1(y * log(x)), domain=positive(x)),
    real(
        "power-of-sum-with-one-less-one",
        (1 + x) ** y - 1,
        expm1(y * log1p(x)),
        domain=positive(1 + x),
    ),
    real("one-less-power-by-exponential", 1 - x**y, -expm1(y * log(x)), domain=positive(x)),
    real("difference-of-powers", x**z - y**z, y**z * expm1(z * log(x / y)), domain=positive(x, y)),
    real("power-above-one", (1 + x) ** y, exp(y * log1p(x)), domain=positive(1 + x)),
)

MAGNITUDES = (
    real("magnitude-of-positive", abs_(x), x, domain=nonnegative(x)),
    real("magnitude-of-negative", abs_(x), -x, domain=nonnegative(-x)),
    real("magnitude-of-product", abs_(x * y), abs_(x) * abs_(y)),
    real("magnitude-of-quotient", abs_(x / y), abs_(x) / abs_(y)),
    real("magnitude-of-opposite", abs_(-x), abs_(x)),
    real("magnitude-of-difference", abs_(x - y), abs_(y - x)),
    real("square-of-magnitude", abs_(x) * abs_(x), x * x),
)
