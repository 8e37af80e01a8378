"""The order of products of several matrices."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.matrices.inputs import a, b, four, x, y, z

TABLE = [
    ("chain-of-products", (a @ b) @ four, a @ (b @ four)),
    ("chain-of-products", four @ (a @ b), (four @ a) @ b),
]


LEFT_ALONE = [
    ("chain-of-products", (x @ y) @ z),
    # these are the cheapest already
    ("chain-of-products", a @ (b @ four)),
    ("chain-of-products", a @ b),
    ("chain-of-products", (a @ b) @ a),
    # dtypes are not mixed
    ("chain-of-products", (a @ at.TensorType("float32", (4, 4))("narrow")) @ four),
]
