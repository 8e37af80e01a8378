"""The order of products of several matrices."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from tests.relations.applied import LAWS
from tests.relations.matrices.inputs import a, b, four, x, y, z
from tests.relations.tables import check_unchanged

law = LAWS["chain-of-products"]

TABLE = [
    ("chain-of-products", (a @ b) @ four, a @ (b @ four)),
    ("chain-of-products", four @ (a @ b), (four @ a) @ b),
]


@pytest.mark.parametrize("expression", [(x @ y) @ z, a @ (b @ four), a @ b, (a @ b) @ a])
def test_what_can_not_be_told_or_is_the_cheapest_already(expression):
    check_unchanged(law, expression)


def test_dtypes_are_not_mixed():
    narrow = at.TensorType("float32", (4, 4))("narrow")
    check_unchanged(law, (a @ narrow) @ four)
