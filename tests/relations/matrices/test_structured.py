"""Each law about Kronecker products, and updates of few rows and columns, at work."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.linalg import det, inv, kron, slogdet, solve
from relgraph.tensor.linalg.products import Kron
from tests.relations.applied import LAWS
from tests.relations.matrices.inputs import a, b, four, identity, tall, wide, x, y
from tests.relations.tables import check_fires

sixteen = at.TensorType("float64", (16,))("sixteen")
product = tall @ wide
d = (at.abs(a) + 1.0) * identity
one = at.constant(np.eye(3, dtype="float16"))
half = at.TensorType("float16", (3, 1))("u"), at.TensorType("float16", (1, 3))("v")
of_half = one + half[0] @ half[1]

TABLE = [
    ("kron-transposed", kron(x, y).T),
    ("kron-times-kron", kron(a, tall) @ kron(b, wide)),
    ("kron-times-vector", kron(wide, a) @ sixteen),
    ("inverse-kron", inv(kron(a, b))),
    ("solve-kron", solve(kron(a, b), sixteen)),
    ("det-kron", det(kron(a, b))),
    ("log-det-kron", slogdet(kron(a, b))[1]),
    ("trace-kron", at.trace(kron(a, b))),
    ("push-through", solve(identity + product, tall)),
    ("woodbury", solve(d + product, four)),
    ("determinant-lemma", det(d + product)),
    ("log-determinant-lemma", slogdet(d + product)[1]),
    ("det-of-identity-and-product", det(identity + product)),
    ("log-det-of-identity-and-product", slogdet(identity + product)[1]),
]

LEFT_ALONE = [
    ("kron-times-kron", kron(x, y) @ kron(y, x)),
    ("inverse-kron", inv(kron(tall, wide))),
    ("solve-kron", solve(kron(x, y), sixteen)),
    ("trace-kron", at.trace(kron(a, b), 1)),
    ("trace-kron", at.trace(kron(tall, wide))),
    # LAPACK has float32 or float64 for what is solved for, and no float16 for the parts
    ("woodbury", solve(of_half, at.TensorType("uint64", (3,))("b"))),
    ("woodbury", solve(of_half, at.TensorType("float32", (3, 2))("b"))),
    ("woodbury", solve(a + product, four)),
    ("woodbury", solve(d + a @ b, four)),
    ("woodbury", solve(d + x @ y, four)),
    ("det-of-identity-and-product", det(d + product)),
    ("push-through", solve(identity + product, wide.T)),
]


@pytest.mark.parametrize(("name", "before"), TABLE)
def test_a_law_at_work(name, before):
    found = check_fires(LAWS[name], before)
    left = [n for n in io_toposort([], [found]) if isinstance(n.op, Kron)]
    assert len(left) == (name in ("kron-transposed", "kron-times-kron", "inverse-kron"))
