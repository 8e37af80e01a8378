"""Differences of values of one function at points that are near each other."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from tests.relations.applied import LAWS, x, y, z

EXACT = [
    ("x-log-x-step", (x + z) * at.log(x + z) - x * at.log(x)),
    ("arctan-step", at.arctan(x + y) - at.arctan(x)),
]

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
