"""What is known of shapes."""

import relgraph.tensor as at
from relgraph.tensor.lawkit import guards as shapes
from relgraph.tensor.shapes import MakeVector, Shape_i

x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


def test_what_has_the_shape_of_an_elementwise_result():
    assert shapes.covers_shape(v, at.constant([2.0])) and shapes.covers_shape(x, row)
    assert not shapes.covers_shape(at.constant([2.0]), v) and not shapes.covers_shape(row, x)
    assert not shapes.covers_shape(x, v), "they have not as many axes"
    assert shapes.broadcast_alike(x, known) and not shapes.broadcast_alike(x, row)


def test_one_element():
    assert shapes.has_one_element(at.constant([[2.0]])) and not shapes.has_one_element(row)


def test_lengths():
    assert shapes.known_length(at.constant(3)) == 3 and shapes.known_length(n) is n
    assert shapes.is_length_of(2, known, 0) and not shapes.is_length_of(3, known, 0)
    assert shapes.is_length_of(Shape_i(1)(x), x, 1) and not shapes.is_length_of(n, x, 1)
    assert shapes.known_entries(at.constant([2, -1])) == [2, -1]
    assert shapes.known_entries(MakeVector()(n, 3)) == [n, 3]
    assert shapes.known_entries(at.lvector()) is None
