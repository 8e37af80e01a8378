"""What orders and axes come down to, compared with NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout.axis_orders import (
    axes_before,
    changes_nothing,
    composed_order,
    constant_along,
    kept_axes,
    merged_axes,
    order_after,
    padded_order,
    spelt_axes,
)

X = np.arange(24.0).reshape(2, 3, 4)


def shuffled(x, order):
    dropped = tuple(i for i in range(x.ndim) if i not in order)
    kept = [a for a in order if a != "x"]
    ranks = {a: i for i, a in enumerate(sorted(kept))}
    x = x.squeeze(dropped).transpose([ranks[a] for a in kept])
    return x[tuple(None if a == "x" else slice(None) for a in order)]


orders = st.permutations([0, 1, 2, "x"])


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
    assert changes_nothing(2, (0, 1))
    assert changes_nothing(2, ("x", 1))
    assert not changes_nothing(2, (1, 0))
    assert not changes_nothing(1, (0, "x"))
    assert not changes_nothing(2, ("x", 0))


axes = st.one_of(st.none(), st.sets(st.integers(0, 2)).map(lambda a: tuple(sorted(a))))


@given(axes, st.data())
def test_two_reductions_are_one(inner, data):
    once = X.sum(axis=inner)
    outer = data.draw(st.sets(st.integers(0, once.ndim - 1)) if once.ndim else st.just(set()))
    outer = tuple(sorted(outer)) if len(outer) < once.ndim else None
    merged = merged_axes(outer, inner)
    assert np.array_equal(X.sum(axis=merged), once.sum(axis=outer))


@given(orders, st.sets(st.integers(0, 3)).map(lambda a: tuple(sorted(a))))
def test_reducing_before_shuffling(order, reduced):
    spelt = spelt_axes(reduced, 4)
    before, after = axes_before(order, spelt, 3), order_after(order, spelt, 3)
    expected = shuffled(X, order).sum(axis=reduced)
    assert np.array_equal(shuffled(np.asarray(X.sum(axis=before)), after), expected)


def test_axes_that_are_left():
    assert kept_axes((0, 2), 4) == (1, 3)
    assert kept_axes(None, 2) == ()
    assert padded_order(1, 3) == ("x", "x", 0)


def test_what_is_constant_along_an_axis():
    row, column = at.row("row"), at.col("column")
    assert constant_along(row, (0,), 2)
    assert not constant_along(row, None, 2)
    assert constant_along(column, (1,), 2)
    assert constant_along(at.vector("v"), (0,), 2)
    assert not constant_along(at.vector("v"), (1,), 2)
