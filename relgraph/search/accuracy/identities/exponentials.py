"""Exponentials, logarithms and hyperbolic functions."""

from __future__ import annotations

import math

from relgraph.search.accuracy.identities.algebra import positive, real
from relgraph.tensor import (
    arccosh,
    arcsinh,
    arctanh,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    log1pmx,
    sinh,
    sqrt,
    tan,
    tanh,
)
from relgraph.tensor.lawkit.vocabulary import lvars

x, y, z = lvars("x y z")

EXPONENTIALS = (
    real("exp-of-sum", exp(x + y), exp(x) * exp(y)),
    real("exp-of-difference", exp(x - y), exp(x) / exp(y)),
    real("exp-of-opposite", exp(-x), 1 / exp(x)),
    real("exp-of-double", exp(2 * x), exp(x) * exp(x)),
    real("exp-of-product", exp(x * y), exp(x) ** y),
    real("exp-of-log", exp(log(x)), x, domain=positive(x)),
    real("exp-of-multiple-of-log", exp(y * log(x)), x**y, domain=positive(x)),
    real("exp-less-one", exp(x) - 1, expm1(x)),
    real("one-less-exp", 1 - exp(x), -expm1(x)),
    real("expm1-of-double", expm1(2 * x), expm1(x) * (expm1(x) + 2)),
    real("expm1-of-opposite", expm1(-x), -expm1(x) / exp(x)),
    real("expm1-of-log", expm1(log(x)), x - 1, domain=positive(x)),
    real("expm1-of-log1p", expm1(log1p(x)), x),
    real("difference-of-exps", exp(x) - exp(y), exp(y) * expm1(x - y)),
    real("root-of-exp", sqrt(exp(x)), exp(x / 2)),
)

LOGARITHMS = (
    real("log-of-product", log(x * y), log(x) + log(y), domain=positive(x, y)),
    real("log-of-quotient", log(x / y), log(x) - log(y), domain=positive(x, y)),
    real("log-of-reciprocal", log(1 / x), -log(x), domain=positive(x)),
    real("log-of-power", log(x**y), y * log(x), domain=positive(x)),
    real("log-of-root", log(sqrt(x)), log(x) / 2),
    real("log-of-exp", log(exp(x)), x),
    real("log-above-one", log(1 + x), log1p(x)),
    real("log-below-one", log(1 - x), log1p(-x)),
    real("log-by-log1p", log(x), log1p(x - 1)),
    real("log-of-sum", log(x + y), log(x) + log1p(y / x), domain=positive(x)),
    real("log-of-difference", log(x - y), log(x) + log1p(-y / x), domain=positive(x)),
    real("log-of-quotient-near-one", log(x / y), log1p((x - y) / y), domain=positive(y)),
    real("log1p-of-expm1", log1p(expm1(x)), x),
    real("log1p-of-quotient", log1p(x / y), log((y + x) / y)),
    real("difference-of-log1ps", log1p(x) - log1p(y), log1p((x - y) / (1 + y))),
    real("log-of-quotient-about-one", log((1 + x) / (1 - x)), 2 * arctanh(x)),
    real("log-of-quotient-about-one-turned", log((1 - x) / (1 + x)), -2 * arctanh(x)),
    real("difference-of-logs-about-one", log1p(x) - log1p(-x), 2 * arctanh(x)),
    real("log1p-less-itself", log1p(x) - x, log1pmx(x)),
    real("arcsinh-by-log", log(x + sqrt(x * x + 1)), arcsinh(x)),
    real("arccosh-by-log", log(x + sqrt(x * x - 1)), arccosh(x)),
    real("log-of-tan-by-arcsinh", log(tan(math.pi / 4 + x)), arcsinh(tan(2 * x))),
)

HYPERBOLIC = (
    real("difference-of-opposite-exps", exp(x) - exp(-x), 2 * sinh(x)),
    real("sum-of-opposite-exps", exp(x) + exp(-x), 2 * cosh(x)),
    real("tanh-as-quotient", tanh(x), sinh(x) / cosh(x)),
    real("tanh-by-expm1", tanh(x), expm1(2 * x) / (expm1(2 * x) + 2)),
    real("cosh-less-one-by-sinh", cosh(x) - 1, 2 * (sinh(x / 2) * sinh(x / 2))),
    real("squares-of-cosh-and-sinh", cosh(x) * cosh(x) - sinh(x) * sinh(x), 1),
    real("one-less-square-of-tanh", 1 - tanh(x) * tanh(x), 1 / (cosh(x) * cosh(x))),
    real("sinh-of-opposite", sinh(-x), -sinh(x)),
    real("cosh-of-opposite", cosh(-x), cosh(x)),
    real("tanh-of-opposite", tanh(-x), -tanh(x)),
    real("difference-of-tanhs", tanh(x) - tanh(y), sinh(x - y) / (cosh(x) * cosh(y))),
    real("difference-of-sinhs", sinh(x) - sinh(y), 2 * (cosh((x + y) / 2) * sinh((x - y) / 2))),
    real("difference-of-coshs", cosh(x) - cosh(y), 2 * (sinh((x + y) / 2) * sinh((x - y) / 2))),
    real("reciprocal-with-tanh", 1 / (1 + exp(x)), (1 - tanh(x / 2)) / 2),
)
