"""Each law about traces and diagonals at work."""

from __future__ import annotations

import relgraph.tensor as at
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.linalg.diagonals import SetDiagonal
from relgraph.tensor.math import Dot
from tests.relations.applied import LAWS
from tests.relations.matrices.inputs import a, b, tall, wide
from tests.relations.tables import check_fires

along = at.constant([0, 1, 2, 3])
p = at.dmatrix("p")


TABLE = [
    ("trace-cycle", at.sum(at.diag((tall @ wide) @ a))),
    ("diagonal-transposed", at.diag(a.T)),
    ("diagonal-of-product", at.diag(a @ b)),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0]))),
    ("diagonal-of-diagonal", at.diag(SetDiagonal()(a, b[0]))),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0], -2), -2)),
    ("diagonal-by-positions", a[along, along]),
    ("diagonal-by-positions", (tall @ wide)[at.arange(4), at.arange(4)]),
    ("diagonal-by-positions", wide[at.arange(2), at.arange(2)]),
]


def test_a_trace_takes_no_product():
    (found,) = [check_fires(LAWS["diagonal-of-product"], at.diag(a @ b))]
    assert all(not isinstance(node.op, Dot) for node in io_toposort([a, b], [found]))


def test_the_cheapest_cycle():
    found = check_fires(LAWS["trace-cycle"], at.sum(at.diag((tall @ wide) @ a)))
    product = found.owner.inputs[0].owner.inputs[0].owner.inputs[0]
    assert product.type.shape == (2, 4)


LEFT_ALONE = [
    ("diagonal-of-product", at.diag(a @ b, 1)),
    ("diagonal-of-diagonal", at.diag(at.diag(b[0], 1))),
    ("diagonal-by-positions", a[along, along[::-1]]),
    ("diagonal-by-positions", wide[at.arange(2, dtype="int8"), at.arange(2, dtype="int8")]),
    ("diagonal-by-positions", a[along[:2], along[:2]]),
    ("diagonal-by-positions", p[along, along]),
    ("trace-cycle", at.sum(at.diag((p @ p) @ p))),
]
