"""Each law about traces and diagonals at work."""

from __future__ import annotations

import relgraph.tensor as at
from relations.matrices import determinants
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.math import Dot
from tests.relations.applied import laws_of
from tests.relations.matrices.inputs import a, b, tall, wide
from tests.relations.tables import check_fires

LAWS = laws_of(determinants)
along = at.constant([0, 1, 2, 3])
p = at.dmatrix("p")


def diagonal(matrix):
    return matrix[along, along]


TABLE = [
    ("trace-cycle", at.sum(diagonal((tall @ wide) @ a))),
    ("diagonal-transposed", diagonal(a.T)),
    ("diagonal-of-product", diagonal(a @ b)),
    (
        "diagonal-of-diagonal",
        diagonal(at.set_subtensor(diagonal(at.zeros((4, 4))), b[0])),
    ),
]


def test_a_trace_takes_no_product():
    (found,) = [check_fires(LAWS["diagonal-of-product"], diagonal(a @ b))]
    assert all(not isinstance(node.op, Dot) for node in io_toposort([a, b], [found]))


def test_the_cheapest_cycle():
    found = check_fires(LAWS["trace-cycle"], at.sum(diagonal((tall @ wide) @ a)))
    product = found.owner.inputs[0].owner.inputs[0].owner.inputs[0]
    assert product.type.shape == (2, 4)


LEFT_ALONE = [
    ("diagonal-of-product", (a @ b)[along, along[::-1]]),
    ("trace-cycle", at.sum(diagonal((p @ p) @ p))),
]
