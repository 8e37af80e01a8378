"""What each law about absolute values, signs, extremes and bounds does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import (
    i,
    u,
    v,
    x,
    y,
    z,
)

CASES = [
    ("abs-abs", abs(abs(i)), "abs(i)"),
    ("abs-nonnegative", abs(at.sqr(x)), "sqr(x)"),
    ("mul-sign", i * at.sign(i), "abs(i)"),
    ("sign-sign", at.sign(at.sign(i)), "sign(i)"),
    ("sign-positive", at.sign(at.exp(x) + 1), "second(exp(x) + 1.0, 1.0)"),
    ("idempotent-with-itself", at.maximum(x, x), "x"),
    ("idempotent-with-itself", at.minimum(u, u), "u"),
    ("neutral-constant", at.maximum(x, -float("inf")), "x"),
    ("neutral-constant", at.minimum(x, float("inf")), "x"),
    ("maximum-zero", at.maximum(at.exp(x), 0), "exp(x)"),
    ("minimum-zero", at.minimum(at.exp(x), 0), "second(exp(x), 0.0)"),
    ("extreme-of-negatives", at.maximum(-x, -y), "-minimum(x, y)"),
    ("extreme-of-negatives", at.minimum(-x, -y), "-maximum(x, y)"),
    ("maximum-plus-minimum", at.maximum(x, y) + at.minimum(x, y) + z, "x + y + z"),
    ("maximum-constants", at.maximum(at.maximum(x, 2), 3), "maximum(3.0, x)"),
    ("maximum-repeated", at.maximum(at.maximum(u, v), u), "maximum(u, v)"),
    ("minimum-constants", at.minimum(2, at.minimum(i, 3)), "minimum(2, i)"),
    ("minimum-repeated", at.minimum(at.minimum(x, y), x), "minimum(x, y)"),
    ("clip-twice", at.clip(at.clip(x, 0, y), 0, y), "clip(x, 0.0, y)"),
    ("clip-nonnegative", at.clip(at.exp(x), -1, 2), "minimum(exp(x), 2.0)"),
    ("clip-of-maximum", at.minimum(at.maximum(x, 0), 1), "clip(x, 0.0, 1.0)"),
    ("clip-of-minimum", at.maximum(at.minimum(i, 5), 0), "clip(i, 0, 5)"),
]

NOT_MATCHED = [
    ("abs-neg", abs(-u)),
    ("abs-product", abs(i) * abs(i)),
    ("abs-nonnegative", abs(x)),
    ("sign-neg", at.sign(-i)),
    ("maximum-zero", at.maximum(x, 0)),
    ("neutral-constant", at.maximum(x, float("inf"))),
    ("clip-of-maximum", at.minimum(at.maximum(x, 2), 1)),
    ("clip-twice", at.clip(at.clip(x, 0, 1), 0, 2)),
    ("extreme-of-negatives", at.maximum(-i, -i + 1)),
    ("maximum-repeated", at.maximum(x, y)),
    ("maximum-constants", at.maximum(at.maximum(x, 2), y)),
    # of few numbers many would be made
    ("maximum-constants", at.maximum(at.dmatrix("m"), np.ones((200, 1)), np.ones((1, 200)))),
]
