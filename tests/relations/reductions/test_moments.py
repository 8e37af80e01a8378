"""What each law about moments does to an expression."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import spelled, x, y

m, q, t = at.dmatrix("m"), at.dmatrix("q"), at.tensor("float64", (3, 3), "t")


def count(v, axis=0):
    return at.cast(at.shape_i(v, axis), "float64")


one = at.tensor("float64", (1,), "s")

CASES = [
    (
        "variance",
        at.mean(at.sqr(x)) - at.sqr(at.mean(x)),
        "sum(sqr(x - mean(x))) / len(sqr(x))",
    ),
    (
        "variance",
        at.mean(at.sqr(m), axis=0) - at.sqr(at.mean(m, axis=0)),
        "sum(sqr(m - mean(m, axis=(0,))), axis=(0,)) / len(sqr(m))",
    ),
    (
        "variance",
        at.mean(at.sqr(t), axis=1) - at.sqr(at.mean(t, axis=1)),
        "sum(sqr(t - (sum(t, axis=(1,)) / 3.0)[:, None]), axis=(1,)) / 3.0",
    ),
    ("variance", at.mean(at.sqr(t)) - at.sqr(at.mean(t)), "sum(sqr(t - sum(t) / 9.0)) / 9.0"),
    ("covariance", at.mean(x * y) - at.mean(x) * at.mean(y), "covariance(x, y)"),
    (
        "covariance",
        at.mean(m * q, axis=1) - at.mean(m, axis=1) * at.mean(q, axis=1),
        "covariance(m, q, axis=(1,))",
    ),
    (
        "covariance-by-sums",
        at.mean(x * y) - at.sum(x) * at.sum(y) / (count(x) * count(y)),
        "covariance(x, y)",
    ),
    (
        "covariance-by-sums-and-square",
        at.mean(x * y) - at.sum(x) * at.sum(y) / at.sqr(count(x)),
        "covariance(x, y)",
    ),
]

NOT_MATCHED = [
    # the count is of another axis, is of something else, or is less by one
    (
        "variance",
        at.sum(at.sqr(m), axis=0) / count(m, 1).dimshuffle("x") - at.sqr(at.mean(m, axis=0)),
    ),
    ("variance", at.sum(at.sqr(x)) / count(y) - at.sqr(at.mean(x))),
    ("variance", at.sum(at.sqr(x)) / (count(x) - 1) - at.sqr(at.mean(x))),
    ("variance", at.sum(at.sqr(t)) / 4.0 - at.sqr(at.mean(t))),
    # as many squares as there are exponents
    ("variance", spelled(at.sum(one ** np.full(3, 2.0)) / 1.0 - at.sqr(at.sum(one) / 1.0))),
    ("covariance", at.mean(x * y) - at.mean(x) * at.sum(y)),
]
