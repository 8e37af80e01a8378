"""Each law about Kronecker products at work."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.linalg import det, inv, kron, slogdet, solve
from relgraph.tensor.linalg.products import Kron
from tests.relations.applied import LAWS
from tests.relations.matrices.inputs import a, b, tall, wide, x, y
from tests.relations.tables import check_fires

sixteen = at.TensorType("float64", (16,))("sixteen")

TABLE = [
    ("kron-transposed", kron(x, y).T),
    ("kron-times-kron", kron(a, tall) @ kron(b, wide)),
    ("kron-times-vector", kron(wide, a) @ sixteen),
    ("inverse-kron", inv(kron(a, b))),
    ("solve-kron", solve(kron(a, b), sixteen)),
    ("det-kron", det(kron(a, b))),
    ("log-det-kron", slogdet(kron(a, b))[1]),
    ("trace-kron", at.trace(kron(a, b))),
]


@pytest.mark.parametrize(("name", "before"), TABLE)
def test_a_law_at_work(name, before):
    found = check_fires(LAWS[name], before)
    left = [n for n in io_toposort([], [found]) if isinstance(n.op, Kron)]
    assert len(left) == (name in ("kron-transposed", "kron-times-kron", "inverse-kron"))


LEFT_ALONE = [
    ("kron-times-kron", kron(x, y) @ kron(y, x)),
    ("inverse-kron", inv(kron(tall, wide))),
    ("solve-kron", solve(kron(x, y), sixteen)),
    ("trace-kron", at.trace(kron(a, b), 1)),
    ("trace-kron", at.trace(kron(tall, wide))),
]
