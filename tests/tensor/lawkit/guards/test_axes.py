"""What is known along axes."""

import relgraph.tensor as at
from relgraph.tensor.lawkit import guards as axes

x, v, row, column = at.dmatrix("x"), at.dvector("v"), at.row("row"), at.col("column")
known = at.TensorType("float64", (2, 3))("known")


def test_axes_by_their_numbers():
    assert axes.axis_numbers(None, 3) == (0, 1, 2) and axes.axis_numbers((1,), 3) == (1,)
    assert axes.includes_axis(None, 4) and axes.includes_axis((0, 2), 2)
    assert not axes.includes_axis((0, 2), 1)


def test_what_is_constant_along_an_axis():
    assert axes.is_constant_along(row, (0,), x)
    assert not axes.is_constant_along(row, None, x)
    assert axes.is_constant_along(column, (1,), x)
    assert not axes.is_constant_along(v, (0,), x), "it has not as many axes"


def test_lengths_along_axes():
    assert axes.has_length_one(row, 0) and not axes.has_length_one(row, 1)
    assert axes.has_length_one_along(row, (0,)) and not axes.has_length_one_along(row, None)
    assert not axes.has_length_one_along(row, ())
    assert axes.is_nonempty_along(known, None) and not axes.is_nonempty_along(x, (0,))
    assert axes.are_nonzero_lengths((1,), (0, 3)) and not axes.are_nonzero_lengths(None, (0, 3))
