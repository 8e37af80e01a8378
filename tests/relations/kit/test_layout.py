"""What laws about axes, shapes and filled arrays are written with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.layout import (
    alloc_like,
    are_made_of_few_ops,
    broadcasts_to,
    composed_order,
    covers_lengths,
    has_lengths,
    is_identity_order,
    is_input_axis,
    is_known_shape_of,
    is_shape_of,
    keeps_memory_order,
    length_from_inputs,
    shape_from_inputs,
    shape_source,
    stretches_to,
    unfilled,
    widest_template,
    without_copies,
)
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.basic import merged_lengths
from relgraph.tensor.shapes import MakeVector, Shape_i

X = np.arange(24.0).reshape(2, 3, 4)


def shuffled(x, order):
    dropped = tuple(i for i in range(x.ndim) if i not in order)
    kept = [a for a in order if a != "x"]
    ranks = {a: i for i, a in enumerate(sorted(kept))}
    x = x.squeeze(dropped).transpose([ranks[a] for a in kept])
    return x[tuple(None if a == "x" else slice(None) for a in order)]


orders = st.permutations([0, 1, 2, "x"])


# What orders of dimshuffles come down to, compared with NumPy.


@given(orders, st.permutations([0, 1, 2, 3, "x"]))
def test_two_orders_are_one(inner, outer):
    both = composed_order(outer, inner)
    assert np.array_equal(shuffled(X, both), shuffled(shuffled(X, inner), outer))


@given(orders, st.data())
def test_a_new_axis_can_be_dropped_again(inner, data):
    left = [i for i, a in enumerate(inner) if a != "x"]
    outer = data.draw(st.permutations(left))
    assert np.array_equal(
        shuffled(X, composed_order(outer, inner)), shuffled(shuffled(X, inner), outer)
    )


def test_orders_that_change_nothing():
    assert is_identity_order(2, (0, 1))
    assert is_identity_order(2, ("x", 1))
    assert not is_identity_order(2, (1, 0))
    assert not is_identity_order(1, (0, "x"))
    assert not is_identity_order(2, ("x", 0))


def test_input_axes():
    assert is_input_axis((1, "x"), 0) and not is_input_axis((1, "x"), 1)


def test_few_ops():
    x = at.dmatrix("x")
    assert are_made_of_few_ops([x]) and are_made_of_few_ops([at.exp(x), at.dot(x, x)])
    assert not are_made_of_few_ops([at.sin(at.tanh(x))])
    assert not are_made_of_few_ops([x, x, x, x])


# What covers the shape of a fill, and what is filled.

x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


def test_what_covers_what() -> None:
    assert covers_lengths(x, (n, n)) and covers_lengths(row, (1, n))
    assert not covers_lengths(row, (n, n)) and not covers_lengths(v, (n, n))
    assert broadcasts_to(v, (n, n)) and broadcasts_to(row, (n, n))
    assert not broadcasts_to(x, (1, n)) and not broadcasts_to(x, (n,))
    assert stretches_to(row, (n, n)) and not stretches_to(x, (n, n))
    assert has_lengths(known, (2, 3)) and not has_lengths(known, (2, n))
    assert alloc_like(v, known).type.shape == (2, 3)
    assert alloc_like(v, x) is None and alloc_like(x, at.constant([1.0])) is None


def test_copies_beside_what_has_the_shape() -> None:
    moved = at.second(v, n).dimshuffle("x", 0)
    assert without_copies([moved, x])[1] is x
    assert without_copies([at.second(x, row), x, at.alloc(v, n, n)]) == (row, x, v)
    assert without_copies([moved, row.T]) is None
    assert without_copies([at.second(x, row), at.second(x, x)]) is None


def test_fills_in_a_sum() -> None:
    y = at.dmatrix("y")
    wide, narrow = at.second(x, row), at.second(row, row)
    assert widest_template((y, narrow, wide)) is x and widest_template((wide, narrow)) is x
    assert widest_template((y, row)) is None
    assert unfilled(x, (y, wide)) == (y, row)
    assert unfilled(row, (wide,)) == (wide,)


def test_what_has_the_shape_of_a_result() -> None:
    assert shape_source(at.exp(x) + row) is x
    assert shape_source(x) is None and shape_source(at.dot(x, x)) is None


# Shapes that a reshape is given.


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


# Lengths and shapes that follow from nodes.


def test_lengths_that_follow() -> None:
    assert length_from_inputs(None, x, 0) is None and shape_from_inputs(None, x) is None
    assert length_from_inputs(None, row, 0).data == 1  # type: ignore[union-attr]
    y, product, part = at.exp(x), at.dot(x, known), v[1:]
    read = FunctionGraph(outputs=[2 * y, 2 * part, 2 * product], clone=False)
    shared = FunctionGraph(outputs=[2 * y, y, 2 * part, part, 2 * product, product], clone=False)
    for graph in (None, read, shared):
        assert str(length_from_inputs(graph, y, 1).owner.op) == "shape_i{1}"  # type: ignore[union-attr]
        assert shape_from_inputs(graph, y).owner.inputs == [x]  # type: ignore[union-attr]
        assert (length_from_inputs(graph, part, 0) is None) is (graph is shared)
        assert (shape_from_inputs(graph, product) is None) is (graph is shared)
        assert shape_from_inputs(graph, known) is not None
    assert length_from_inputs(None, at.alloc(1.0, n, 2), 0) is n
