"""Shapes that a reshape is given."""

from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout import (
    is_known_shape_of,
    is_shape_of,
    keeps_memory_order,
    merged_lengths,
)
from relgraph.tensor.shapes import MakeVector, Shape_i

x, v = at.dmatrix("x"), at.dvector("v")
known = at.TensorType("float64", (2, 3))("known")


@pytest.mark.parametrize(
    ("vector", "tensor", "answer"),
    [
        (at.constant([2, 3]), known, True),
        (at.constant([2, -1]), known, True),
        (at.constant([3, 2]), known, False),
        (at.constant([-1]), v, True),
        (MakeVector()(Shape_i(0)(x), Shape_i(1)(x)), x, True),
        (MakeVector()(Shape_i(1)(x), Shape_i(0)(x)), x, False),
        (MakeVector()(Shape_i(0)(x), -1), x, False),  # x may have no elements
        (x.shape, x, False),
    ],
)
def test_shapes_of(vector: Any, tensor: Any, answer: bool) -> None:
    assert is_shape_of(vector, tensor) is answer


def test_orders_and_lengths() -> None:
    assert keeps_memory_order((0, "x", 1)) and not keeps_memory_order((1, 0))
    assert is_known_shape_of((2, None), known) and not is_known_shape_of((2, None), x)
    assert merged_lengths((2, None, None), (None, 3, None)) == (2, 3, None)
