"""Infinities that only rounding makes, at the end of the range of half precision."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.judge.evaluation import RewritePair
from relgraph.testing.judge.law_comparison import Comparison, overflowed_by_rounding


@pytest.mark.parametrize(
    ("formula", "values", "expected"),
    [
        (lambda x, y: at.sum(x * y), ([0.8181, 0.1826], -65504.0), True),
        (lambda x, y: at.sum(x * y) / 2 - 1, ([0.8181, 0.1826], -65504.0), True),
        (lambda x, y: at.sum(x * y), ([0.8181, 0.2], -65504.0), False),  # beyond the range
        (lambda x, y: at.sum(x * y), ([0.8181, np.inf], -65504.0), False),  # it was infinite
        (lambda x, y: at.sum(x * y), ([0.8181, 0.1], -65504.0), False),  # it is finite
        (lambda x, y: at.sum(at.exp(x) * y), ([12.0, 1.0], 1.0), False),
        (lambda x, y: at.max(x + y), ([32.0, 1.0], 65504.0), True),
        (lambda x, y: at.max(y / x), ([0.9995, 1.0], 65504.0), True),
        (lambda x, y: at.max(y / x), ([0.0, 1.0], 65504.0), False),
    ],
)
def test_what_only_rounding_takes_beyond_the_range(formula, values, expected):
    x, y = at.vector("x", dtype="float16"), at.scalar("y", dtype="float16")
    out = formula(x, y)
    pair = RewritePair([x, y], out, out, [x, y])
    found = pair.run([np.array(v, "float16") for v in values])
    assert overflowed_by_rounding(pair.nodes_of(out), found, out).any() == expected


def test_a_mean_of_numbers_at_the_end_of_the_range():
    """Where the weights of a softmax round upward, the mean of the largest numbers is infinite."""
    m, y = at.matrix("m", dtype="float16"), at.scalar("y", dtype="float16")
    divisor = np.float16(-2.092)
    weights, shares = at.exp(m), at.softmax(m, axis=1)
    old = at.sum(weights * y, axis=1) / (divisor * at.sum(weights, axis=1))
    new = at.sum(shares * y, axis=1) / at.sum(shares, axis=1) / divisor
    values = [np.array([[-0.5, -2.0], [0.0, 0.0]], "float16"), np.array(-65504.0, "float16")]
    pair = RewritePair([m, y], old, new, [m, y])
    found = pair.run(values)
    assert np.isinf(found[new]).any() and np.isfinite(found[old]).any()
    assert Comparison(pair, found).difference("stable") is None
    # a product that truly lies beyond the range is no rounding
    wrong = at.sum(shares * (y * np.float16(1.02)), axis=1) / divisor
    worse = RewritePair([m, y], old, wrong, [m, y])
    assert Comparison(worse, worse.run(values)).difference("stable") is not None
