"""What each law about the logistic function does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    f,
    i,
    spelled,
    x,
    y,
    z,
)

m = at.dmatrix("m")

CASES = [
    ("sigmoid", 1 / (1 + at.exp(-x)), "sigmoid(x)"),
    ("sigmoid-of-neg", 1 / (1 + at.exp(x)), "sigmoid(-x)"),
    ("sigmoid-reciprocal", at.reciprocal(1 + at.exp(x)), "sigmoid(-x)"),
    ("sigmoid-power", (1 + at.exp(x)) ** -1, "sigmoid(-x)"),
    ("div-to-sigmoid", y / (1 + at.exp(-x)), "y * sigmoid(x)"),
    ("div-to-sigmoid-of-neg", y / (1 + at.exp(x)), "y * sigmoid(-x)"),
    ("div-of-product", y / (z * (1 + at.exp(x))), "y * sigmoid(-x) / z"),
    ("sigmoid-of-exp", at.exp(x) / (at.exp(x) + 1), "sigmoid(x)"),
    ("sigmoid-slope", spelled(at.exp(x) / (1 + at.exp(x)) ** 2), "sigmoid(x) * sigmoid(-x)"),
    ("sigmoid-of-two", at.exp(x) / (at.exp(y) + at.exp(x)), "sigmoid(x - y)"),
    ("sigmoid-slope", at.exp(x) / at.sqr(1 + at.exp(x)), "sigmoid(x) * sigmoid(-x)"),
    ("sigmoid-neg", 1 - at.sigmoid(x), "sigmoid(-x)"),
    ("difference-turned", at.sigmoid(x) - 1, "-sigmoid(-x)"),
    ("sigmoid-exp", at.sigmoid(x) * y * at.exp(-x), "sigmoid(-x) * y"),
    ("sigmoid-neg-exp", at.sigmoid(-x) * at.exp(x), "sigmoid(x)"),
    ("sigmoid-div-exp", at.sigmoid(x) / at.exp(x), "sigmoid(-x)"),
    ("odds", at.sigmoid(x) / at.sigmoid(-x), "exp(x)"),
    ("odds-neg", at.sigmoid(-x) / at.sigmoid(x), "exp(-x)"),
    ("sigmoid-total", at.sigmoid(x) + at.sigmoid(-x), "second(sigmoid(x), 1.0)"),
    ("sigmoid-mixture", at.sigmoid(-x) * y + y * at.sigmoid(x), "y"),
    ("sigmoid-log", at.sigmoid(at.log(x)), "x / (1.0 + x)"),
    ("sigmoid-logit", at.sigmoid(at.log(x / (1 - x))), "x"),
    ("sigmoid-log-odds", at.sigmoid(at.log(x) - at.log1p(-x)), "x"),
    ("tanh-of-sigmoid", 2 * at.sigmoid(x) - 1, "tanh(x / 2.0)"),
    ("difference-turned", 1 - at.sigmoid(x) * 2, "-tanh(x / 2.0)"),
    ("one-plus-tanh", at.tanh(x) + 1, "2.0 * sigmoid(2.0 * x)"),
    ("one-minus-tanh", 1 - at.tanh(x), "2.0 * sigmoid(-(2.0 * x))"),
    ("expm1-mul-sigmoid", at.expm1(x) * at.sigmoid(-x), "tanh(x / 2.0)"),
    ("expm1-neg-mul-sigmoid", at.expm1(-x) * at.sigmoid(x), "-tanh(x / 2.0)"),
    ("softplus", at.log(1 + at.exp(x)), "softplus(x)"),
    ("softplus-log1p", at.log1p(at.exp(x)), "softplus(x)"),
    ("softplus-logaddexp", at.logaddexp(0, x), "softplus(x)"),
    ("log-sigmoid", at.log(at.sigmoid(x)), "-softplus(-x)"),
    ("log-mul-sigmoid", at.log(at.exp(y) * at.sigmoid(x)), "log(exp(y)) - softplus(-x)"),
    ("log1p-sigmoid", at.log1p(-at.sigmoid(x)), "-softplus(x)"),
    ("exp-softplus", at.exp(at.softplus(x)), "1.0 + exp(x)"),
    ("exp-neg-softplus", at.exp(-at.softplus(x)), "sigmoid(-x)"),
    ("expm1-softplus", at.expm1(at.softplus(x)), "exp(x)"),
    ("expm1-neg-softplus", at.expm1(-at.softplus(x)), "-sigmoid(x)"),
    ("log1mexp-neg-softplus", at.log1mexp(-at.softplus(x)), "-softplus(-x)"),
    ("softplus-difference", at.softplus(x) - at.softplus(-x), "x"),
    ("difference-turned", at.softplus(-x) - at.softplus(x), "-x"),
    ("softplus-less", at.softplus(x) - x, "softplus(-x)"),
    ("difference-turned", x - at.softplus(x), "-softplus(-x)"),
    ("softplus-neg-more", y + at.softplus(-x) + x, "y + softplus(x)"),
    ("softplus-by-parts", at.maximum(x, 0) + at.softplus(-at.abs(x)), "softplus(x)"),
    (
        "softplus-by-parts-less",
        at.maximum(x, 0) - y + at.softplus(-at.abs(x)),
        "softplus(x) - y",
    ),
    ("softplus-log", at.softplus(at.log(x)), "log1p(x)"),
    ("softplus-log-nonnegative", at.softplus(at.log(at.abs(x))), "log1p(abs(x))"),
]

NOT_MATCHED = [
    ("sigmoid", 1 / (2 + at.exp(-x))),
    ("sigmoid", 1 / (1 + at.exp(-i))),
    ("sigmoid-of-exp", at.exp(x) / (1 + at.exp(y))),
    ("softplus-log-nonnegative", at.softplus(at.log(x))),
    ("softplus-by-parts", at.maximum(x, 0) + at.softplus(-at.abs(y))),
    ("tanh-of-sigmoid", 3 * at.sigmoid(x) - 1),
    ("sigmoid-neg", 1 - at.sigmoid(f) * x),
]
