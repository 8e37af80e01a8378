"""Each law about updates of few rows and columns at work."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.linalg import det, slogdet, solve
from tests.relations.matrices.inputs import a, b, four, identity, tall, wide, x, y

product = tall @ wide
d = (at.abs(a) + 1.0) * identity

TABLE = [
    ("push-through", solve(identity + product, tall)),
    ("woodbury", solve(d + product, four)),
    ("determinant-lemma", det(d + product)),
    ("log-determinant-lemma", slogdet(d + product)[1]),
    ("det-of-identity-and-product", det(identity + product)),
    ("log-det-of-identity-and-product", slogdet(identity + product)[1]),
]


one = at.constant(np.eye(3, dtype="float16"))
half = at.TensorType("float16", (3, 1))("u"), at.TensorType("float16", (1, 3))("v")
of_half = one + half[0] @ half[1]

LEFT_ALONE = [
    # LAPACK has float32 or float64 for what is solved for, and no float16 for the parts
    ("woodbury", solve(of_half, at.TensorType("uint64", (3,))("b"))),
    ("woodbury", solve(of_half, at.TensorType("float32", (3, 2))("b"))),
    ("woodbury", solve(a + product, four)),
    ("woodbury", solve(d + a @ b, four)),
    ("woodbury", solve(d + x @ y, four)),
    ("det-of-identity-and-product", det(d + product)),
    ("push-through", solve(identity + product, wide.T)),
]
