"""What each law about sums, products, quotients and signs does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import (
    b,
    f,
    i,
    u,
    v,
    w,
    x,
    y,
    z,
)

h, k = at.vector("h", dtype="float16"), at.vector("k", dtype="float16")

CASES = [
    ("add-zero-discrete", u + 0, "u"),
    ("mul-one", f * 1, "f"),
    ("mul-one-among", at.mul(x, y, 1.0), "x * y"),
    ("pow-one", i**1, "i"),
    ("mul-zero-discrete", i * 0, "second(i, 0)"),
    ("neg-neg", at.neg(at.neg(u)), "u"),
    ("sub-neg", u - -v, "u + v"),
    ("zero-sub-integer", 0 - u, "-u"),
    ("sub-self-integer", u - u, "second(u, 0)"),
    ("div-reciprocal-by-constant", at.reciprocal(x) / 4.0, "0.25 / x"),
    ("reciprocal-of-constant-factor", at.reciprocal(4.0 * x), "0.25 / x"),
    ("fraction-cancel-mul", x * (y / z) / (y * at.exp(x)), "x / z / exp(x)"),
    ("fractions-cancel", x / (y * at.exp(x)) * (y / z), "x / exp(x) / z"),
    ("clear-factor-add", (x / (y * at.exp(z)) + z) * y, "x / exp(z) + z * y"),
    ("clear-factor-sub", (x / (y * at.exp(z)) - z) * y, "x / exp(z) - z * y"),
    ("clear-sub-factor", (z - x / (y * at.exp(z))) * y, "z * y - x / exp(z)"),
    ("clear-multiple-add", ((x / y) * at.exp(z) + z) * y, "x * exp(z) + z * y"),
    ("clear-multiple-sub", ((x / y) * at.exp(z) - z) * y, "x * exp(z) - z * y"),
    ("clear-sub-multiple", (z - (x / y) * at.exp(z)) * y, "z * y - x * exp(z)"),
    ("div-of-constant-factor", 6 * x / 4, "1.5 * x"),
    ("div-by-power-of-two", x / 8, "0.125 * x"),
    ("neg-mul-constant", -(2 * x), "-2.0 * x"),
    ("neg-div-constant", -(3 / x), "-3.0 / x"),
    ("neg-div-by-constant", -(x / 3), "x / -3.0"),
    ("mul-reciprocal", y * at.reciprocal(x), "y / x"),
]

NOT_MATCHED = [
    ("mul-div-cancel", x * 0.0 / 0.0),  # nan
    ("div-of-constant-factor", 1e-200 * x / 1e200),
    ("div-of-constant-factor", at.mul(6.0, x, y) / 4),
    ("add-zero", x + -0.0),
    ("mul-zero", w * 0),
    ("mul-one-among", at.mul(x, 1.0)),
    ("mul-one-among", at.mul(b, b, True)),
    ("add-self-boolean", u + u),
    ("add-neg", x + -i),
    ("minus-one-mul", u * np.uint8(255)),
    ("sub-self-integer", x - x),
    ("div-by-power-of-two", x / 3),
    ("div-by-power-of-two", x / 2.0**-1074),
    ("div-by-power-of-two", x / 0.0),
    ("neg-div-constant", -(np.uint64(8) / at.vector("n", dtype="uint64"))),
    ("reciprocal", 1 / i),
    ("fraction-cancel-mul", h * (h / k) / (h * at.exp(k))),  # float16 has no room
    ("sub-fractions", h / k - at.exp(h) / k),
    ("clear-sub-fraction", (h - at.vector("n", dtype="int8") / k) * k),
]
