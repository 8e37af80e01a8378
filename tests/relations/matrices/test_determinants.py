"""Each law about determinants, traces and diagonals at work."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.linalg import det, inv, slogdet
from relgraph.tensor.linalg.diagonals import SetDiagonal
from relgraph.tensor.math import Dot
from tests.relations.applied import LAWS
from tests.relations.matrices.inputs import a, b, c, lower, positive, tall, upper, wide, x
from tests.relations.tables import check_fires, rewritten

squared = x @ x.T


def sign(matrix):
    return slogdet(matrix)[0]


def log_size(matrix):
    return slogdet(matrix)[1]


along = at.constant([0, 1, 2, 3])
p = at.dmatrix("p")

TABLE = [
    ("log-det-of-positive-definite", at.log(det(positive)), log_size(positive)),
    (
        "log-multiple-of-det-of-positive-definite",
        at.log(2.0 * det(positive)),
        at.log(2.0) + log_size(positive),
    ),
    ("log-multiple-of-det", at.log(2.0 * det(squared)), None),
    ("log-det", at.log(det(squared)), None),
    ("sign-det-transposed", sign(x.T), sign(x)),
    ("log-det-transposed", log_size(x.T), log_size(x)),
    ("det-inverse", det(inv(x)), at.reciprocal(det(x))),
    ("log-det-inverse", log_size(inv(x)), -log_size(x)),
    ("det-of-product", det(a @ b), det(a) * det(b)),
    ("sign-det-of-product", sign(a @ b), None),
    ("log-det-of-product", log_size(a @ b), None),
    ("det-scaled", det(2.0 * x), None),
    ("det-triangular", det(lower), None),
    ("det-triangular", det(upper), None),
    ("log-det-triangular", log_size(lower), None),
    ("log-det-triangular", log_size(upper), None),
    ("log-det-positive-definite", log_size(positive), None),
    ("sign-det-positive-definite", sign(positive), at.constant(1.0)),
    ("trace-cycle", at.sum(at.diag((tall @ wide) @ a))),
    ("diagonal-of-product", at.diag(a @ b)),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0]))),
    ("diagonal-of-diagonal", at.diag(SetDiagonal()(a, b[0]))),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0], -2), -2)),
    ("diagonal-by-positions", a[along, along]),
    ("diagonal-by-positions", (tall @ wide)[at.arange(4), at.arange(4)]),
    ("diagonal-by-positions", wide[at.arange(2), at.arange(2)]),
]

LEFT_ALONE = [
    ("det-of-product", det(x @ x.T)),
    ("det-triangular", det(x)),
    ("log-det-positive-definite", log_size(x)),
    ("det-scaled", det(a * b)),
    ("det-scaled", det(c * a.dimshuffle("x", 0, 1))),
    ("det-scaled", det(0.25 * at.bmatrix())),  # a count of rows is no small integer
    ("diagonal-of-product", at.diag(a @ b, 1)),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0], 1))),
    ("diagonal-by-positions", a[along, along[::-1]]),
    ("diagonal-by-positions", wide[at.arange(2, dtype="int8"), at.arange(2, dtype="int8")]),
    ("diagonal-by-positions", a[along[:2], along[:2]]),
    ("diagonal-by-positions", p[along, along]),
    ("trace-cycle", at.sum(at.diag((p @ p) @ p))),
]


def test_the_logarithm_of_a_determinant_that_overflows():
    value = 1e200 * np.eye(3)
    (found,) = rewritten([LAWS["log-det"]], [at.log(det(x))])
    np.testing.assert_allclose(evaluate([found], {x: value}), 3 * np.log(1e200))
    value[0, 0] = -1
    with np.errstate(invalid="ignore"):
        assert np.isnan(evaluate([found], {x: value}))


def test_a_trace_takes_no_product():
    (found,) = [check_fires(LAWS["diagonal-of-product"], at.diag(a @ b))]
    assert all(not isinstance(node.op, Dot) for node in io_toposort([a, b], [found]))


def test_the_cheapest_cycle():
    found = check_fires(LAWS["trace-cycle"], at.sum(at.diag((tall @ wide) @ a)))
    product = found.owner.inputs[0].owner.inputs[0].owner.inputs[0]
    assert product.type.shape == (2, 4)
