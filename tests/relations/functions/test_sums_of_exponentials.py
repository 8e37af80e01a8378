"""Logarithms of sums of exponentials, and shares of them: forms, values and slopes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.compile.optimize import optimize_graph
from relgraph.gradient import grad, hessian
from tests.families.counting import counted_in_copy
from tests.families.rewritten import PHASES
from tests.relations.applied import (
    LAWS,
    applied,
    f,
    i,
    value_of,
    x,
    y,
    z,
)
from tests.relations.cancellation.accuracy import true_value_and_slopes

m = at.dmatrix("m")
e, u, v = at.exp(x), at.exp(y), at.exp(z)
total = e + u + v
greatest, least = "1.7976931348623157e+308", "-1.7976931348623157e+308"
most = f"maximum(minimum(x, {greatest}), minimum(y, {greatest}), {least})"
own, other = (f"exp(minimum({name}, {greatest}) - {most})" for name in "xy")


def shifted(largest: str) -> str:
    return f"switch(abs({largest}) < inf, {largest}, 0.0)"


of_three, beside_3 = shifted("maximum(x, y, z)"), shifted("maximum(x, 1.0986122886681098)")

tenth = at.constant(np.array([0.1], "float32"))

CASES = [
    ("log-of-sum", at.log(e + u), "logaddexp(x, y)"),
    ("log-of-sum", at.log(total + at.exp(x * y)), "logaddexp(x, y, z, x * y)"),
    (
        "log-of-sum",
        at.log(2.0 * e + u / 4.0 + 1.0),
        "logaddexp(0.0, x + 0.6931471805599453, y - 1.3862943611198906)",
    ),
    (
        "log-of-sum",
        at.log(2.0**x + 10.0**y),
        "logaddexp(0.6931471805599453 * x, 2.302585092994046 * y)",
    ),
    ("log-of-sum", at.log(at.sum(at.exp(m)) + e), "logaddexp(logsumexp(m, axis=None), x)"),
    ("log-of-sum", at.log(at.sigmoid(x) * e + u), "logaddexp(-softplus(-x) + x, y)"),
    (
        "log-of-sum",
        at.log((e - u) + v),
        f"{of_three} + log(exp(x - {of_three}) + exp(z - {of_three}) - exp(y - {of_three}))",
    ),
    ("log-of-difference", at.log(e - u), "x + log1mexp(switch(x == y, 0.0, y - x))"),
    (
        "log-of-difference",
        at.log(e - 3.0),
        f"{beside_3} + log(exp(x - {beside_3}) - 3.0 * exp(-{beside_3}))",
    ),
    ("log1p-of-sum", at.log1p(e + u), "logaddexp(0.0, x, y)"),
    ("log1p-of-sum", at.log1p(2.0 + e), f"logaddexp({np.log1p(2.0)}, x)"),
    (
        "log-in-base",
        at.log2(at.exp2(x) + 8.0 * 2.0**y + 4.0),
        "logaddexp(1.3862943611198906, …, …) / 0.6931471805599453",
    ),
    (
        "log-in-base",
        at.log2(e - u),
        "(x + log1mexp(switch(x == y, 0.0, y - x))) / 0.6931471805599453",
    ),
    ("log-in-base", at.log2(e + u), "logaddexp(x, y) / 0.6931471805599453"),
    ("log-in-base", at.log10(e + u), "logaddexp(x, y) / 2.302585092994046"),
    ("less-logaddexp", x - at.logaddexp(y, x), "-logaddexp(0.0, y - x)"),
    (
        "less-logaddexp",
        x - at.logaddexp(x, y, z),
        "switch(x == -inf, x, 0.0) - logaddexp(switch(x == -inf, x, 0.0), "
        "y - switch(x == -inf, 0.0, x), z - switch(x == -inf, 0.0, x))",
    ),
    ("log-sum-exp", at.log(at.sum(at.exp(x))), "logsumexp(x, axis=None)"),
    ("log-sum-exp", at.log(at.sum(at.exp(m), axis=0)), "logsumexp(m, axis=0)"),
    (
        "log-sum-exp-moved",
        at.log(at.sum(at.exp(m), axis=1, keepdims=True)),
        "logsumexp(m, axis=1)[:, None]",
    ),
    (
        "log-mean-exp",
        at.log(at.sum(at.exp(m), axis=1) / at.exp(y)),
        "logsumexp(m, axis=1) - log(exp(y))",
    ),
    ("log-mean-exp", at.log(at.sum(at.exp(x)) / 3.0), "logsumexp(x, axis=None) - log(3.0)"),
    (
        "log-in-base",
        at.log2(at.sum(at.exp(x))),
        "logsumexp(x, axis=None) / 0.6931471805599453",
    ),
    (
        "log-in-base",
        at.log10(at.sum(at.exp(x))),
        "logsumexp(x, axis=None) / 2.302585092994046",
    ),
    *(
        (
            f"share{ending}",
            before,
            f"{own} / ({own} + {other}){after}",
        )
        for ending, before, after in (
            ("", e / (e + u), ""),
            ("", e * z / (e + u), " * z"),
            ("", e / ((e + u) * z), " / z"),
            ("", e * x / ((e + u) * z), " * x / z"),
            ("", e / at.sqr(e + u), " / (exp(x) + exp(y))"),
            ("", e * z / at.sqr(e + u), " / (exp(x) + exp(y)) * z"),
            ("", e / (at.sqr(e + u) * z), " / (exp(x) + exp(y)) / z"),
            ("", e * x / (at.sqr(e + u) * z), " / (exp(x) + exp(y)) * x / z"),
            ("-by-reciprocal", at.sqr(1.0 / (e + u)) * e, " / (exp(x) + exp(y))"),
        )
    ),
]

NOT_MATCHED = [
    ("log-of-sum", at.log(e + y)),
    ("log-of-sum", at.log(e - 2.0)),
    ("log-of-sum", at.log(e * y + u)),  # a weight of any sign
    ("log-of-sum", at.log(at.sigmoid(x) + 1e-7)),  # neither over- nor underflows
    ("log-of-sum", at.log(at.exp(f) + u)),  # one is of less precision
    ("log-of-sum", at.log(at.exp(i) + at.exp(2 * i))),
    ("log-of-difference", at.log(at.sigmoid(x) - at.sigmoid(y))),  # their exponents are rounded
    ("log1p-of-sum", at.log1p(2.0 * e + u)),  # small, it has all its digits
    ("log1p-of-sum", at.log1p(e - u)),
    ("log-in-base", at.log2(at.exp2(x) + y)),
    ("less-logaddexp", z - at.logaddexp(x, y)),
    # the logarithm of a narrower weight would be rounded to its dtype
    ("log-of-sum", at.log(tenth * e + u)),
    ("log-of-sum", at.log(e / tenth + u)),
    ("log-of-sum", at.log(at.exp(x - y) / (at.exp(f) * at.exp(f)) + u)),
    ("log-in-base", at.log2(tenth * at.exp2(x) + at.exp2(y))),
    ("log-in-base", at.log10(tenth * e + u)),
    ("share", e / (e + y)),
    ("share", e / (at.exp(x - at.maximum(x, y)) + at.exp(y - at.maximum(x, y)))),
    ("share", e / (1e-200 * e + u)),  # the largest exponent is not that of the largest term
]


# -- true values -----------------------------------------------------------------------------------

a, b, c, d = INPUTS = at.dscalars(*"abcd")
exps = [at.exp(v) for v in INPUTS]

FORMULAS = {
    "four": at.log(sum(exps)),
    "weighed": at.log(2.0 * at.exp(a) + at.exp(b) / 4.0 + 0.5 * at.exp(c) + at.exp(d)),
    "with 1": at.log(1.0 + at.exp(a) + at.exp(b) + at.exp(c * d)),
    "log1p": at.log1p(sum(exps)),
    "mean": at.log(sum(exps) / 4.0),
    "by a factor": at.log(sum(exps) * 0.25),
    "among factors": at.log(3 * sum(exps) / 7),
    "subtracted": at.log(2.0 * at.exp(a) + at.exp(b) + at.exp(c) - at.exp(d)),
    "less a number": at.log(at.exp(a) + at.exp(b * c * d) - 0.5),
    "share": at.exp(a) / sum(exps),
    "share beside 1": at.exp(a) * d / (1.0 + at.exp(a) + at.exp(b) + at.exp(c)),
    "log of share": at.log(at.exp(a) / sum(exps)),
    "by a sum": 1.0 / (1.0 + at.exp(a) + at.exp(b) + at.exp(c) * at.exp(d)),
    "log10": at.log10(sum(exps)),
    "powers": at.log10(10.0**a + 10.0**b + 10.0**c + 10.0**d),
}

POINTS = (
    (0.1, 0.2, 0.3, 0.05),
    (800.0, 799.0, 801.0, -5.0),
    (-800.0, -801.0, -799.0, -802.0),
    (800.0, 800.0, 800.0, 800.0),
    (0.0, 0.0, 0.0, 0.0),
    (30.0, -5.0, -7.0, -8.0),
    (-40.0, -41.0, -39.0, -300.0),
)


@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_slopes_are_true(name: str) -> None:
    cost = FORMULAS[name]
    run = function(INPUTS, [cost, *grad(cost, INPUTS)])
    for point in POINTS:
        # the logarithm of a weight rounds an exponent, and a sum that cancels has fewer digits
        size = max(map(abs, point)) if name in ("weighed", "subtracted", "powers") else 1
        expected = true_value_and_slopes(cost, INPUTS, point)
        if math.isnan(expected[0]):
            assert math.isnan(run(*point)[0])
        else:
            np.testing.assert_allclose(run(*point), expected, 8 * max(size, 1) * 2.0**-52, 1e-300)


@pytest.mark.parametrize(
    ("values", "value", "slopes"),
    [
        ((math.inf, 1.0, 2.0), math.inf, (1.0, 0.0, 0.0)),
        ((-math.inf, 0.0, 0.0), math.log(2), (0.0, 0.5, 0.5)),
        ((-math.inf, -math.inf, -math.inf), -math.inf, (math.nan,) * 3),
        ((math.nan, 0.0, 1.0), math.nan, (math.nan,) * 3),
    ],
)
def test_infinities_and_nan(values: Any, value: float, slopes: Any) -> None:
    inputs = at.dscalars(*"abc")
    cost = at.log(at.add(*map(at.exp, inputs)))
    found = function(inputs, [cost, *grad(cost, inputs)])(*values)
    np.testing.assert_allclose(found, [value, *slopes], rtol=1e-15)


@pytest.mark.parametrize(
    ("values", "share", "logarithm"),
    [
        ((math.inf, 1.0, 2.0), 1.0, 0.0),
        ((1.0, math.inf, 2.0), 0.0, -math.inf),
        ((-math.inf, -math.inf, 0.0), 0.0, -math.inf),
        ((-math.inf, -math.inf, -math.inf), math.nan, math.nan),
        ((math.nan, 0.0, 1.0), math.nan, math.nan),
    ],
)
def test_shares_of_infinities(values: Any, share: float, logarithm: float) -> None:
    inputs = at.dscalars(*"abc")
    exps = [at.exp(v) for v in inputs]
    part = exps[0] / at.add(*exps)
    found = function(inputs, [part, at.log(part)])(*values)
    np.testing.assert_array_equal(found, [share, logarithm])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_shapes_and_dtypes(dtype: str) -> None:
    shapes: Sequence[tuple[int, ...]] = ((), (2,), (2, 3), (2, 1), (1, 3))
    inputs = [
        at.tensor(dtype, tuple(n if n == 1 else None for n in shape))
        for shape in shapes[:1] + shapes[2:]
    ]
    terms = [at.exp(v) for v in inputs]
    run = function(inputs, [at.log(at.add(*terms)), terms[0] / at.add(*terms)])
    values = [np.full(shape, 800 + k, dtype) for k, shape in enumerate(shapes[:1] + shapes[2:])]
    whole, share = run(*values)
    expected = 803 + math.log(sum(math.exp(-k) for k in range(4)))
    assert whole.dtype == share.dtype == dtype
    np.testing.assert_allclose(whole, np.full((2, 3), expected), rtol=1e-6)
    np.testing.assert_allclose(share, np.full((2, 3), math.exp(800 - expected)), rtol=1e-4)


def test_curvature_where_entries_are_equal() -> None:
    inputs = at.TensorType("float64", (3,))("v")
    cost = at.log(at.add(*[at.exp(inputs[k]) for k in range(3)]))
    run = function([inputs], hessian(cost, inputs))
    for point in ([0.0, 0.0, 0.0], [900.0, 900.0, 898.0]):
        shares = np.exp(np.array(point) - max(point))
        shares /= shares.sum()
        expected = np.diag(shares) - np.outer(shares, shares)
        np.testing.assert_allclose(run(np.array(point)), expected, atol=1e-15)


def test_sums_over_what_is_joined() -> None:
    for joined in (
        at.sum(at.stack([e, u, v]), axis=0),
        at.sum(at.exp(at.stack([x, y, z])), axis=0),
        at.sum(at.stack([e, u, v], axis=1), axis=1),
    ):
        made = optimize_graph(at.log(joined), include=PHASES, clone=True)
        found = value_of(
            made, {"x": np.array([800.0]), "y": np.array([800.0]), "z": np.array([800.0])}
        )
        np.testing.assert_allclose(found, 800 + math.log(3), rtol=1e-15)


def _mixed(name: str, dtype: str, *values: float) -> tuple[Any, Any]:
    return at.TensorType(dtype, (None,))(name), np.array(values, dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32"])
def test_a_logarithm_of_a_share_is_computed_in_its_own_dtype(dtype: str) -> None:
    """Not in a narrower one, in which two of several exponents have their difference."""
    own, among, third = (
        _mixed("own", "float32", math.e, 0.1),
        _mixed("among", "float64", 0.0, 7.0),
        _mixed("third", dtype, 7.0, 3.0),
    )
    before = own[0] - at.logaddexp(own[0], among[0], third[0])
    after = applied(LAWS["less-logaddexp"], before)
    assert after is not before
    values = {v.name: value.astype(v.type.dtype) for v, value in (own, among, third)}
    np.testing.assert_allclose(value_of(after, values), value_of(before, values), rtol=1e-15)


def test_a_share_of_nan_is_nan() -> None:
    """Beside itself alone too, where the difference of the exponents is no term."""
    values = {"x": np.array([math.nan, 1.0])}
    for count in (2, 3):
        made = applied(LAWS["less-logaddexp"], x - at.logaddexp(*[x] * count))
        np.testing.assert_allclose(value_of(made, values), [math.nan, -math.log(count)], rtol=1e-15)


def test_all_shares_are_of_one_scaled_sum() -> None:
    inputs = [at.dvector() for _ in range(20)]
    exps = [at.exp(v) for v in inputs]
    found = counted_in_copy([v / at.add(*exps) for v in exps], PHASES)
    # of each a bound, a difference, an exponential and a share; the largest, and the sum
    assert found.left <= 4 * 20 + 4
    assert found.made <= 6 * 20 + 10


def test_the_sum_of_no_exponentials() -> None:
    after = applied(LAWS["log-sum-exp"], at.log(at.sum(at.exp(x))))
    assert value_of(after, {"x": np.ones(0)}) == -math.inf
