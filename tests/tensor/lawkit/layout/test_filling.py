"""What covers the shape of a fill, and what is filled."""

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout import (
    alloc_like,
    broadcasts_to,
    broadcasts_to_known_shape,
    covers_dimshuffled,
    covers_lengths,
    has_lengths,
    shape_source,
    stretches_to,
    unfilled,
    widest_template,
)

x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


def test_what_covers_what() -> None:
    assert covers_lengths(x, n, n) and covers_lengths(row, 1, n)
    assert not covers_lengths(row, n, n) and not covers_lengths(v, n, n)
    assert broadcasts_to(v, n, n) and broadcasts_to(row, n, n)
    assert not broadcasts_to(x, 1, n) and not broadcasts_to(x, n)
    assert stretches_to(row, n, n) and not stretches_to(x, n, n)
    assert has_lengths(known, 2, 3) and not has_lengths(known, 2, n)
    assert covers_dimshuffled(x, ("x", 0), v) and not covers_dimshuffled(row, (1, 0), row)
    assert alloc_like(v, known).type.shape == (2, 3)
    assert broadcasts_to_known_shape(v, known) and not broadcasts_to_known_shape(v, x)


def test_fills_in_a_sum() -> None:
    y = at.dmatrix("y")
    wide, narrow = at.second(x, row), at.second(row, row)
    assert widest_template(row, (y, wide)) is x and widest_template(x, (narrow,)) is x
    assert unfilled(x, (y, wide)) == (y, row)
    assert unfilled(row, (wide,)) == (wide,)


def test_what_has_the_shape_of_a_result() -> None:
    assert shape_source(at.exp(x) + row) is x
    assert shape_source(x) is None and shape_source(at.dot(x, x)) is None
