"""What each law about the logistic function does to an expression."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import (
    f,
    i,
    x,
    y,
)

CASES = [
    ("difference-turned", at.sigmoid(x) - 1, "-sigmoid(-x)"),
    ("sigmoid-exp", at.sigmoid(x) * y * at.exp(-x), "sigmoid(-x) * y"),
    ("difference-turned", 1 - at.sigmoid(x) * 2, "-tanh(x / 2.0)"),
    ("log-mul-sigmoid", at.log(at.exp(y) * at.sigmoid(x)), "log(exp(y)) - softplus(-x)"),
    ("difference-turned", at.softplus(-x) - at.softplus(x), "-x"),
    ("difference-turned", x - at.softplus(x), "-softplus(-x)"),
    ("softplus-neg-more", y + at.softplus(-x) + x, "y + softplus(x)"),
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
