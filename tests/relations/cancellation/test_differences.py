"""Differences of values of one function at points that are near each other."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from tests.relations.applied import LAWS, spelled, x, y, z


def of_squares(square):
    return [
        ("square-step", spelled(square(x + y) - square(x))),
        ("square-step-back", spelled(square(x - y) - square(x))),
        ("squares-apart", spelled(square(x) - square(y))),
        ("square-less-one", spelled(square(x) - 1)),
        ("one-less-square", spelled(1 - square(x))),
    ]


CASES = [
    ("sqrt-step", at.sqrt(x + y) - at.sqrt(x)),
    ("sqrt-step-back", at.sqrt(x) - at.sqrt(x - y)),
    ("sqrt-step-around", at.sqrt(x + y) - at.sqrt(x - y)),
    ("cbrt-step", at.cbrt(x + y) - at.cbrt(x)),
    ("one-by-step", 1 / (x + y) - 1 / x),
    ("one-by-step-back", 1 / x - 1 / (x - y)),
    ("one-by-step-around", 1 / (x + 1) - 1 / (x - 1)),
    ("one-by-root-step", 1 / at.sqrt(x) - 1 / at.sqrt(x + y)),
    ("second-difference-of-one-by", 1 / (x + 1) + 1 / (x - 1) - 2 / x),
    ("one-by-up-and-down", (1 / (x + 1) - 2 / x) + 1 / (x - 1)),
    ("one-by-down-and-up", (1 / (x - y) - 2 / x) + 1 / (x + y)),
    ("log-step", at.log(x + y) - at.log(x)),
    ("log1p-step", at.log1p(x) - at.log(x)),
    ("x-log-x-step", (x + z) * at.log(x + z) - x * at.log(x)),
    ("x-log-x-step-of-one", (x + 1) * at.log1p(x) - x * at.log(x)),
    ("power-step", (x + y) ** z - x**z),
    ("power-above-one-less-one", (1 + y) ** z - 1),
    ("power-below-one-less-one", (1 - y) ** z - 1),
    ("exp-step", at.exp(x + y) - at.exp(x)),
    ("exp-up-and-down", (at.exp(x) - 2) + at.exp(-x)),
    ("exp-down-and-up", (at.exp(-x) - 2) + at.exp(x)),
    ("cosh-less-one", at.cosh(x) - 1),
    ("two-cosh-less-two", 2 * at.cosh(x) - 2),
    ("sin-step", at.sin(x + y) - at.sin(x)),
    ("cos-step", at.cos(x + y) - at.cos(x)),
    ("tan-step", at.tan(x + y) - at.tan(x)),
    ("cos-less-one", at.cos(x) - 1),
    ("arctan-step", at.arctan(x + y) - at.arctan(x)),
    ("sigmoids-apart", at.sigmoid(x) - at.sigmoid(y)),
    ("squares-apart-by-sum", at.sqr_less_sqr(x, y) / (x + y)),
    ("squares-apart-by-difference", at.sqr_less_sqr(x, y) / (x - y)),
    ("sum-by-squares-apart", (x + y) / at.sqr_less_sqr(x, y)),
    ("difference-by-squares-apart", (x - y) / at.sqr_less_sqr(x, y)),
    ("one-less-square-written-out", at.sqr_less_sqr(1, x)),
    ("square-less-one-written-out", at.sqr_less_sqr(x, 1)),
    *of_squares(at.sqr),
    *of_squares(lambda v: v * v),
    *of_squares(lambda v: v**2),
]
EXACT = CASES


NOT_MATCHED = [
    ("sqrt-step", at.sqrt(x + y) - at.sqrt(z)),
    ("one-by-step", 1 / (x + y) - 2 / x),
    ("power-step", (x + y) ** z - x**y),
    ("arctan-step", at.arctan(x + y) - at.arctan(z)),
    ("square-less-one", at.sqr(x) - 2),
]


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("one-by-step-around", 1 / (x + y) - 1 / (x - y)),
        ("second-difference-of-one-by", 1 / (x + y) + 1 / (x - y) - 2 / x),
    ],
)
def test_where_one_sum_overflows_the_other_may_be_small(name, before):
    (together,) = LAWS[name].forward.transform(None, before.owner)
    for sign in (1, -1):
        values = {x: np.array([1.7e308]), y: np.array([sign * 1.69e308])}
        with np.errstate(over="ignore"):
            old, new = evaluate([before, together], values)
        assert old != 0
        np.testing.assert_allclose(new, old, rtol=0.05)
