"""What laws about shapes compute and ask."""

from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout.extents import (
    allocated_like,
    covers,
    covers_moved,
    fits_lengths,
    has_lengths,
    is_kept,
    is_shape_of,
    keeps_order,
    lies_within,
    lifted_length,
    lifted_shape,
    lifts_length,
    lifts_plainly,
    lifts_shape_plainly,
    usual_axis,
)
from relgraph.tensor.shapes.shape import MakeVector, Shape_i

x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


def test_lengths_that_follow() -> None:
    assert not lifts_length(x, 0) and lifted_shape(x) is None
    assert lifted_length(row, 0).data == 1  # type: ignore[union-attr]
    y = at.exp(x)
    assert lifts_plainly(y, 1) and str(lifted_length(y, 1).owner.op) == "shape_i{1}"  # type: ignore[union-attr]
    assert lifts_shape_plainly(y) and lifted_shape(y).owner.inputs == [x]  # type: ignore[union-attr]
    part = v[1:]
    assert lifts_length(part, 0) and not lifts_plainly(part, 0)
    assert lifted_length(at.alloc(1.0, n, 2), 0) is n
    assert lifts_shape_plainly(known) and not lifts_shape_plainly(at.dot(x, known))


def test_what_covers_what() -> None:
    assert covers(x, n, n) and covers(row, 1, n)
    assert not covers(row, n, n) and not covers(v, n, n)
    assert fits_lengths(v, n, n) and fits_lengths(row, n, n)
    assert not fits_lengths(x, 1, n) and not fits_lengths(x, n)
    assert lies_within(row, n, n) and not lies_within(x, n, n)
    assert has_lengths(known, 2, 3) and not has_lengths(known, 2, n)
    assert covers_moved(x, ("x", 0), v) and not covers_moved(row, (1, 0), row)
    assert allocated_like(known, v).type.shape == (2, 3)


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


def test_orders_and_axes() -> None:
    assert keeps_order((0, "x", 1)) and not keeps_order((1, 0))
    assert is_kept((0, "x"), (1,), x) and is_kept(("x", "x"), None, x)
    assert not is_kept(("x", 0), (1,), x)
    assert (
        usual_axis((1,), x) == 1 and usual_axis(None, x) is None and usual_axis((0, 1), x) == (0, 1)
    )
