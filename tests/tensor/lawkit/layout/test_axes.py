"""What orders of dimshuffles come down to, compared with NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.tensor.lawkit.layout import (
    composed_order,
    is_identity_order,
    is_input_axis,
    is_made_of_few_ops,
)
from tests.tensor.lawkit.layout.shuffled import X, orders, shuffled


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
    assert is_made_of_few_ops(x) and is_made_of_few_ops(at.exp(x + at.dot(x, x)))
    assert not is_made_of_few_ops(at.exp(at.sin(at.tanh(x))))
    assert not is_made_of_few_ops(at.add(x, x, x, x))
