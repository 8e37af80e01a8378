"""What each law about sums, products, quotients and signs does to an expression."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relations.numbers import arithmetic
from tests.relations.applied import (
    applied,
    assert_compiled_as_searched,
    assert_same_values,
    b,
    f,
    i,
    laws_of,
    u,
    v,
    w,
    written,
    x,
    y,
    z,
)

LAWS = laws_of(arithmetic)

h, k = at.vector("h", dtype="float16"), at.vector("k", dtype="float16")

CASES = [
    ("add-zero", x + 0, "x"),
    ("add-zero-discrete", u + 0, "u"),
    ("add-minus-zero", x + -0.0, "x"),
    ("sub-zero", x - 0, "x"),
    ("sub-minus-zero", x - -0.0, "x"),
    ("mul-one", f * 1, "f"),
    ("mul-one-among", at.mul(x, y, 1.0), "x * y"),
    ("div-one", x / 1, "x"),
    ("pow-one", i**1, "i"),
    ("mul-zero", x * 0, "second(x, 0.0)"),
    ("mul-zero-discrete", i * 0, "second(i, 0)"),
    ("zero-div", 0 / x, "second(x, 0.0)"),
    ("add-true", b + True, "second(b, True)"),
    ("add-false", b + False, "b"),
    ("mul-true", b * True, "b"),
    ("mul-false", b * False, "second(b, False)"),
    ("add-self-boolean", b + b, "b"),
    ("mul-self-boolean", b * b, "b"),
    ("neg-neg", at.neg(at.neg(u)), "u"),
    ("add-neg", x + -y, "x - y"),
    ("sub-neg", u - -v, "u + v"),
    ("neg-sub", -(x - y), "y - x"),
    ("neg-sub-sum", -x - y, "-(x + y)"),
    ("mul-neg-neg", -x * -y, "x * y"),
    ("neg-div-neg", -x / -y, "x / y"),
    ("neg-div", -x / y, "-(x / y)"),
    ("div-neg", x / -y, "-(x / y)"),
    ("reciprocal-neg", at.reciprocal(-x), "-reciprocal(x)"),
    ("minus-one-mul", -1 * x, "-x"),
    ("div-minus-one", x / -1, "-x"),
    ("zero-sub", 0 - x, "-x"),
    ("zero-sub-integer", 0 - u, "-u"),
    ("sub-self", x - x, "second(x, 0.0)"),
    ("mixture-of-same", (1 - z) * x + x * z, "x"),
    ("sub-self-integer", u - u, "second(u, 0)"),
    ("div-self", x / x, "second(x, 1.0)"),
    ("mul-div-cancel", x * y / y, "x"),
    ("div-mul-cancel", x / y * y, "x"),
    ("add-sub-cancel", x + y - y, "x"),
    ("sub-add-cancel", x - y + y, "x"),
    ("sub-own-difference", x - (x - y), "y"),
    ("difference-sub-cancel", (x - y) - x, "-y"),
    ("sub-own-sum", x - (x + y), "-y"),
    ("div-reciprocal-by-constant", at.reciprocal(x) / 4.0, "0.25 / x"),
    ("reciprocal-of-constant-factor", at.reciprocal(4.0 * x), "0.25 / x"),
    ("fraction-cancel", x * (y / z) / y, "x / z"),
    ("divisor-cancel", x / (x / y), "y"),
    ("divisor-cancel-mul", (x * z) / (x / y), "z * y"),
    ("fraction-cancel-mul", x * (y / z) / (y * at.exp(x)), "x / z / exp(x)"),
    ("fractions-cancel", x / (y * at.exp(x)) * (y / z), "x / exp(x) / z"),
    ("clear-fraction-add", (x / y + z) * y, "x + z * y"),
    ("clear-fraction-sub", (x / y - z) * y, "x - z * y"),
    ("clear-sub-fraction", (z - x / y) * y, "z * y - x"),
    ("clear-factor-add", (x / (y * at.exp(z)) + z) * y, "x / exp(z) + z * y"),
    ("clear-factor-sub", (x / (y * at.exp(z)) - z) * y, "x / exp(z) - z * y"),
    ("clear-sub-factor", (z - x / (y * at.exp(z))) * y, "z * y - x / exp(z)"),
    ("divisor-cancel-div", x / (y / z) / z, "x / y"),
    ("fractions-in-a-row", (x / y) * (y / z), "x / z"),
    ("clear-multiple-add", ((x / y) * at.exp(z) + z) * y, "x * exp(z) + z * y"),
    ("clear-multiple-sub", ((x / y) * at.exp(z) - z) * y, "x * exp(z) - z * y"),
    ("clear-sub-multiple", (z - (x / y) * at.exp(z)) * y, "z * y - x * exp(z)"),
    ("sub-fractions", x / z - y / z, "(x - y) / z"),
    ("reciprocal-as-quotient", at.reciprocal(x), "1.0 / x"),
    ("div-of-constant-factor", 6 * x / 4, "1.5 * x"),
    ("div-by-power-of-two", x / 8, "0.125 * x"),
    ("neg-mul-constant", -(2 * x), "-2.0 * x"),
    ("neg-div-constant", -(3 / x), "-3.0 / x"),
    ("neg-div-by-constant", -(x / 3), "x / -3.0"),
    ("reciprocal", 1 / x, "reciprocal(x)"),
    ("mul-reciprocal", y * at.reciprocal(x), "y / x"),
]

LEFT_ALONE = [
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


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_what_it_does(name, before, after):
    assert written(LAWS[name], before) == after
    assert_same_values(before, applied(LAWS[name], before))
    assert_compiled_as_searched(LAWS[name], before)


@pytest.mark.parametrize(("name", "before"), LEFT_ALONE)
def test_what_it_leaves_alone(name, before):
    assert applied(LAWS[name], before).owner.op is before.owner.op
    assert_compiled_as_searched(LAWS[name], before)
