"""Lengths and shapes that follow from nodes."""

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout import (
    has_length_of_input,
    has_shape_of_input,
    infers_length,
    length_from_inputs,
    shape_from_inputs,
)

x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


def test_lengths_that_follow() -> None:
    assert not infers_length(x, 0) and shape_from_inputs(x) is None
    assert length_from_inputs(row, 0).data == 1  # type: ignore[union-attr]
    y = at.exp(x)
    assert has_length_of_input(y, 1) and str(length_from_inputs(y, 1).owner.op) == "shape_i{1}"  # type: ignore[union-attr]
    assert has_shape_of_input(y) and shape_from_inputs(y).owner.inputs == [x]  # type: ignore[union-attr]
    part = v[1:]
    assert infers_length(part, 0) and not has_length_of_input(part, 0)
    assert length_from_inputs(at.alloc(1.0, n, 2), 0) is n
    assert has_shape_of_input(known) and not has_shape_of_input(at.dot(x, known))
