"""What laws about axes, shapes and filled arrays are written with."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.layout import (
    composed_order,
    length_from_inputs,
    shape_from_inputs,
)
from relgraph.graph.fg import FunctionGraph

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


x, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
known = at.TensorType("float64", (2, 3))("known")


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
