"""What each law about quotients of exponentials, and logarithms of their sums, does."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import (
    x,
    y,
    z,
)

m, q, r = at.dmatrix("m"), at.dmatrix("q"), at.dscalar("r")
e, s, t = at.exp(x), at.sigmoid(x), at.sigmoid(-x)
c = at.dvector("c")
weights, doubled = (
    at.constant(np.array([0.25, 0.5, 2.0])),
    at.constant(np.array([-0.5, -1.0, -4.0])),
)
total = at.sum(at.exp(m), axis=1)
totals = at.sum(at.exp(m), axis=1, keepdims=True)
rows = at.sum(at.exp(m), axis=1, keepdims=True)
mean = at.sum(at.exp(m) * q, axis=1)
column, row = c.dimshuffle(0, "x"), c.dimshuffle("x", 0)
n, labels = np.arange(3), np.array([0, 2, 1])

CASES = [
    ("quotient-amid-factors", at.exp(m) * q / rows, "softmax(m, axis=1) * q"),
    ("quotient-amid-factors", at.exp(m) / (rows * q), "softmax(m, axis=1) / q"),
    ("quotient-amid-factors", at.exp(m) * q / (rows * m), "softmax(m, axis=1) * q / m"),
    (
        "softmax-mean",
        mean / total,
        "sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,))",
    ),
    (
        "softmax-mean",
        at.sum(at.exp(row) * q, axis=1) / at.sum(at.exp(row), axis=1),
        "sum(softmax(c[None], axis=1) * q, axis=(1,)) / sum(softmax(c[None], axis=1), axis=(1,))",
    ),
    (
        "quotient-amid-factors",
        mean * c / total,
        "sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) * c",
    ),
    (
        "quotient-amid-factors",
        mean / (total * c),
        "sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) / c",
    ),
    (
        "quotient-amid-factors",
        mean * y / (total * c),
        "sum(softmax(m, axis=1) * q, axis=(1,)) / sum(softmax(m, axis=1), axis=(1,)) * y / c",
    ),
    (
        "log-sum-weighed",
        at.log(at.sum(at.exp(m) * at.sigmoid(q), axis=1)),
        "logsumexp(m + log(sigmoid(q)), axis=1)",
    ),
    (
        "log-sum-weighed",
        at.log(at.sum(e * weights)),
        "logsumexp(x + log([0.25 0.5  2.  ]), axis=None)",
    ),
    (
        "log-sum-weighed",
        at.log(at.sum(at.exp(m) * at.stack([at.sigmoid(r), 0.5, at.exp(r)]).dimshuffle(0, "x"))),
        "logsumexp(m + log(make_vector{float64}(sigmoid(r), 0.5, exp(r))[:, None]), axis=None)",
    ),
    (
        "log-sum-divided",
        at.log(at.sum(at.exp(m) / (2.5 * at.exp(q)), axis=1)),
        "logsumexp(m - log(2.5 * exp(q)), axis=1)",
    ),
    (
        "log-sum-weighed-quotient",
        at.log(at.sum(at.sigmoid(q) * (at.exp(m) / at.exp(q)), axis=1)),
        "logsumexp(m - log(exp(q)) + log(sigmoid(q)), axis=1)",
    ),
    (
        "log-sum-weighed-divided",
        at.log(at.sum(at.sigmoid(q) * at.exp(m) / at.exp(q), axis=1)),
        "logsumexp(m + log(sigmoid(q)) - log(exp(q)), axis=1)",
    ),
    ("log-mul-sum", at.log(total * at.abs(z)), "logsumexp(m, axis=1) + log(abs(z))"),
    ("log-mul-kept-sum", at.log(rows * at.abs(q)), "logsumexp(m, axis=1)[:, None] + log(abs(q))"),
    ("log-div-kept-sum", at.log(rows / 3.0), "logsumexp(m, axis=1)[:, None] - log(3.0)"),
    ("log-div-softmax", at.log(at.exp(q) / at.softmax(m)), "log(exp(q)) - log_softmax(m, axis=1)"),
    ("log-softmax-div", at.log(at.softmax(m) / 3.0), "log_softmax(m, axis=1) - log(3.0)"),
    ("log-softmax-mul", at.log(at.softmax(m) * 3.0), "log_softmax(m, axis=1) + log(3.0)"),
    (
        "log-sum-of-chosen-softmax",
        at.log(at.sum(at.cast(q > 0.0, "float64") * at.softmax(m), axis=1)),
        "logsumexp(log_softmax(m, axis=1) + log(cast{float64}(q > 0.0)), axis=1)",
    ),
    ("log-div-sigmoid", at.log(at.abs(y) / s), "log(abs(y)) - -softplus(-x)"),
    ("log-sigmoid-div", at.log(s / 0.25), "-softplus(-x) - log(0.25)"),
    ("sigmoid-of-one", e / (3.0 + e), "sigmoid(x - log(3.0))"),
    ("sigmoid-of-one-weighed", 2.0 * e / (3.0 + e), "2.0 * sigmoid(x - log(3.0))"),
    (
        "sigmoid-of-one-unlike-one",
        e / (300.0 + e),
        "sigmoid(x) / (300.0 * sigmoid(-x) + sigmoid(x))",
    ),
    (
        "sigmoid-of-one-weighed-unlike-one",
        2.0 * e / (300.0 + e),
        "2.0 * (sigmoid(x) / (300.0 * sigmoid(-x) + sigmoid(x)))",
    ),
    ("div-by-weighed", y / (1 + 3.0 * e), "y * sigmoid(-(x + log(3.0)))"),
    ("sigmoid-squared-exp", at.sqr(t) * e * y, "sigmoid(x) * sigmoid(-x) * y"),
    ("quotient-amid-factors", y * at.exp(x) / (at.exp(x) + at.exp(z)), "y * sigmoid(x - z)"),
    ("quotient-amid-factors", at.sinh(x) * y / at.cosh(x), "tanh(x) * y"),
    ("quotient-amid-factors", at.sinh(x) / (at.cosh(x) * y), "tanh(x) / y"),
    ("quotient-amid-factors", at.sinh(x) * y / (at.cosh(x) * z), "tanh(x) * y / z"),
    ("quotient-amid-factors", at.sinh(x) * y / at.sqr(at.cosh(x)), "tanh(x) / cosh(x) * y"),
    ("quotient-amid-factors", at.sinh(x) / (at.sqr(at.cosh(x)) * y), "tanh(x) / cosh(x) / y"),
    (
        "quotient-amid-factors",
        at.sinh(x) * y / (at.sqr(at.cosh(x)) * z),
        "tanh(x) / cosh(x) * y / z",
    ),
    ("csch-slope", at.cosh(x) / at.sqr(at.sinh(x)), "1.0 / (tanh(x) * sinh(x))"),
    ("csch-slope-by-reciprocal", at.sqr(1 / at.sinh(x)) * at.cosh(x), "1.0 / (tanh(x) * sinh(x))"),
    ("tanh-by-quotient", y / at.cosh(x) * at.sinh(x), "y * tanh(x)"),
    (
        "entropy-slope",
        at.mul(s, t, at.softplus(x)) - at.mul(s, t, at.softplus(-x)),
        "sigmoid(x) * sigmoid(-x) * x",
    ),
    (
        "entropy-slope-scaled",
        at.mul(y, s, t, at.softplus(x)) - at.mul(y, s, t, at.softplus(-x)),
        "y * (sigmoid(x) * sigmoid(-x) * x)",
    ),
    ("tanh-of-sigmoid-weighed", weights + doubled * s, "[0.25 0.5  2.  ] * -tanh(x / 2.0)"),
    (
        "log-part-of-exp-div-by-array",
        at.log(at.exp(m)[n, labels] / total),
        "m[[0 1 2], [0 2 1]] - log(sum(exp(m), axis=(1,)))",
    ),
    (
        "log-part-of-exp-div",
        at.log(at.exp(m)[:, 0] / total),
        "m[:, 0] - log(sum(exp(m), axis=(1,)))",
    ),
    ("log-sum-part-of-exp", at.log(at.sum(at.exp(m)[0])), "logsumexp(m[0], axis=None)"),
    (
        "log-sum-part-of-exp-by-array",
        at.log(at.sum(at.exp(m)[labels])),
        "logsumexp(m[[0 2 1]], axis=None)",
    ),
    (
        "log-chosen-part-of-softmax-by-array",
        at.log(at.switch(x > 0.0, at.softmax(m)[n, labels], 2.0)),
        "switch(x > 0.0, log_softmax(m, axis=1)[[0 1 2], [0 2 1]], log(2.0))",
    ),
    (
        "log-chosen-part-of-softmax",
        at.log(at.switch(x > 0.0, at.softmax(m)[:, 1], 2.0)),
        "switch(x > 0.0, log_softmax(m, axis=1)[:, 1], log(2.0))",
    ),
    ("part-of-softmax", at.exp(m)[:, 0] / total, "softmax(m, axis=1)[:, 0]"),
    ("part-of-softmax", e[1] / at.sum(e), "softmax(x, axis=None)[1]"),
    ("part-of-softmax", at.exp(x[1]) / at.sum(e), "softmax(x, axis=None)[1]"),
    ("part-of-softmax", at.exp(m)[0, 1] / at.sum(at.exp(m)[0]), "softmax(m[0], axis=None)[1]"),
    ("quotient-amid-factors", at.exp(m)[:, 0] * y / total, "softmax(m, axis=1)[:, 0] * y"),
    ("slice-of-softmax", at.exp(m)[:, :1] / totals, "softmax(m, axis=1)[:, :1]"),
    ("slice-of-softmax", at.exp(m)[0] / at.sum(at.exp(m)[0])[None], "softmax(m[0], axis=None)"),
    ("slice-of-softmax", at.exp(m)[:, 1::2] / totals, "softmax(m, axis=1)[:, 1::2]"),
    (
        "quotient-amid-factors",
        at.exp(m)[:, :1] * m[:, 1:2] / totals,
        "softmax(m, axis=1)[:, :1] * m[:, 1:2]",
    ),
]

NOT_MATCHED = [
    # near 0 the first quotient may overflow
    ("quotient-amid-factors", at.cosh(x) * y / at.sinh(x)),
    ("quotient-amid-factors", at.exp(m) * q / at.sum(at.exp(m), axis=0, keepdims=True).T),
    ("softmax-mean", at.sum(at.exp(m) * q, axis=0) / total),
    # the product may have nothing to add up where the softmax has
    ("softmax-mean", at.sum(at.exp(column) * q, axis=1) / at.sum(at.exp(column), axis=1)),
    ("quotient-amid-factors", at.sum(at.exp(column) * q, 1) / (at.sum(at.exp(column), 1) * y)),
    # where a weight is zero, the slope of its logarithm is not finite
    ("log-sum-weighed", at.log(at.sum(e * at.sqr(y)))),
    ("log-sum-weighed", at.log(at.sum(at.exp(m) * (at.sigmoid(q) * q)))),
    ("log-sum-divided", at.log(at.sum(at.exp(m) / -at.exp(q)))),
    ("log-mul-sum", at.log(total * y)),
    ("log-div-softmax", at.log(q / at.softmax(m))),
    ("log-sigmoid-div", at.log(s / y)),
    ("sigmoid-of-one", e / (y + e)),
    ("sigmoid-of-one", e / (300.0 + e)),
    ("sigmoid-of-one-unlike-one", e / (3.0 + e)),
    ("sigmoid-of-one-weighed", y * e / (3.0 + e)),
    ("tanh-slope", 1 - at.sqr(at.tanh(x)) * y),
    ("tanh-of-sigmoid-weighed", weights + weights * s),
    ("sigmoid-difference", s - at.sigmoid(y)),
    ("log-part-of-exp-div", at.log(at.exp(m)[:, 0] / y)),
    # the slope of a logarithm that is not chosen may be infinite
    (
        "log-chosen-part-of-softmax-by-array",
        at.log(at.switch(x > 0, at.softmax(m)[n, labels], y)),
    ),
    ("part-of-softmax", at.exp(m)[:, 0] / at.sum(at.exp(m), axis=0)),
    ("part-of-softmax", at.exp(m)[0] / total),
    ("part-of-softmax", at.exp(m)[1, 1] / at.sum(at.exp(m)[0])),
    ("slice-of-softmax", at.exp(m)[:1] / totals),
    ("slice-of-softmax", at.exp(m)[:, :1] / at.sum(at.exp(m), axis=0, keepdims=True)),
]
