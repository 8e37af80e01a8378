"""What each law about exponentials, logarithms and the logistic function does to an expression."""

from __future__ import annotations

import math

import numpy as np

import relgraph.tensor as at
from relations.functions import exponential
from tests.relations.applied import (
    applied,
    f,
    h,
    i,
    laws_of,
    value_of,
    x,
    y,
    z,
)

LAWS = laws_of(exponential)
p, q = at.sigmoid(y), at.cosh(y)  # not negative, and positive
IN_PARTS = "switch(abs(…) < 0.5, log1p(switch(…, …, 0.0)), log(switch(…, 1.0, …)))"


CASES = [
    ("exp-scaled-log-nonnegative", at.exp(3 * at.log(at.abs(x))), "abs(x) ** 3.0"),
    ("expm1-log-nonnegative", at.expm1(at.log(at.abs(x))), "abs(x) - 1.0"),
    ("exp-log1p-nonnegative", at.exp(at.log1p(p)), "1.0 + sigmoid(y)"),
    ("exp-scaled-log", at.exp(3 * at.log(x)), "x ** 3.0"),
    ("exp-mul-exp", at.exp(x) * z * at.exp(y), "exp(x + y) * z"),
    ("pow-exp", at.exp(x) ** 3, "exp(3.0 * x)"),
    ("log-sqr-nonnegative", at.log(at.sqr(p)), "2.0 * log(sigmoid(y))"),
    ("log-even-power", at.log(x**4), "4.0 * log(abs(x))"),
    ("log-odd-power", at.log(x**3), "3.0 * log(x)"),
    ("log-power", at.log(p**-0.5), "-0.5 * log(sigmoid(y))"),
    ("log-inverse", at.log(1 / q), "-log(cosh(y))"),
    ("log-mul-exp", at.log(p * at.exp(x)), "log(sigmoid(y)) + x"),
    ("log-exp-div", at.log(at.exp(x) / q), "x - log(cosh(y))"),
    ("log-by-log-two", at.log(x) / math.log(2), "log2(x)"),
    ("log-by-log-ten", at.log(x) / math.log(10), "log10(x)"),
    ("log-by-log-two", at.log(f) / math.log(2), "log2(f)"),
    ("log-base-two", at.log(x) * (1 / math.log(2)), "log2(x)"),
    ("log-base-ten", at.log(x) * (1 / math.log(10)), "log10(x)"),
    ("log1p", at.log(p + at.sqr(x) + 1), "log1p(sigmoid(y) + sqr(x))"),
    ("log1p-sum", at.log(y + x + 1), IN_PARTS),
    ("log1p-sub", at.log((x + 1) - y), IN_PARTS),
    ("log1p-sub-nonnegative", at.log((p + 1) - y), "log1p(sigmoid(y) - y)"),
    ("log1p-neg-exp", at.log1p(-at.exp(-x)), "log1mexp(-x)"),
    ("log-neg-expm1", at.log(-at.expm1(-x)), "log1mexp(-x)"),
    ("half-sech", at.sigmoid(-(2 * x)) * at.exp(x), "exp(-abs(x)) * sigmoid(2.0 * abs(x))"),
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
    ("exp-scaled-log-nonnegative", at.exp(3 * at.log(x))),
    ("log-even-power", at.log(x**3)),
    ("log-odd-power", at.log(x**-1)),
    ("log-odd-power", at.log(x**4)),
    ("log-power", at.log(x**0.5)),
    ("log-power", at.log(p**0)),
    ("pow-exp", at.exp(x) ** y),  # of 0 and infinity it is 1
    ("pow-exp", at.exp(x) ** math.inf),
    ("log-inverse", at.log(1 / x)),  # infinite, with the sign of a zero
    ("log-inverse", at.log(1 / x)),
    ("log-by-log-two", at.log(x) / 0.69),
    ("log-exp", at.log(at.exp(i))),  # an integer is not a float
    ("log1p", at.log(i + 1)),
    ("log1p", at.log(at.add(1.0, i, i))),  # as integers they might wrap around
    ("exp-mul-exp", at.exp(f) * at.exp(x)),  # one is of less precision
    ("sigmoid", 1 / (2 + at.exp(-x))),
    ("sigmoid", 1 / (1 + at.exp(-i))),
    ("sigmoid-of-exp", at.exp(x) / (1 + at.exp(y))),
    ("softplus-log-nonnegative", at.softplus(at.log(x))),
    ("softplus-by-parts", at.maximum(x, 0) + at.softplus(-at.abs(y))),
    ("tanh-of-sigmoid", 3 * at.sigmoid(x) - 1),
    ("sigmoid-neg", 1 - at.sigmoid(f) * x),
]


def test_what_overflows_does_not():
    large = {"x": np.array([800.0, -800.0]), "y": np.array([799.0, -801.0])}
    for name, before, expected in [
        ("log-exp", at.log(at.exp(x)), large["x"]),
        ("exp-div-exp", at.exp(x) / at.exp(y), [math.e, math.e]),
        ("log-expm1", at.log(at.expm1(x)), [800.0, math.nan]),
    ]:
        found = value_of(applied(LAWS[name], before), large)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_term_that_cancels_one_leaves_the_others():
    """``log(1 - p + 1e-20)`` where `p` is 1, however it is written."""
    values = {"x": np.array([-1.0, 1e-9]), "y": np.array([1e-20, 1e-9])}
    for name, before in [
        ("log1p-sum", at.log(at.add(1, x, y))),
        ("log1p-sub", at.log((1 + x) - (-y))),
    ]:
        found = value_of(applied(LAWS[name], before), values)
        np.testing.assert_allclose(found, [math.log(1e-20), math.log1p(2e-9)], rtol=1e-15)


def test_float32_stays_float32():
    for before in (at.log(1 + f), at.exp(f) * at.exp(h)):
        for law in LAWS.values():
            assert applied(law, before).type.dtype == "float32"
