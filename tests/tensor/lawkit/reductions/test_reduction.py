"""What the axes of reductions come down to, compared with NumPy, and what they count."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.tensor.lawkit.index_arithmetic import canonical_axes
from relgraph.tensor.lawkit.reductions import (
    axes_before_dimshuffle,
    is_repeated_along,
    merged_axes,
    order_after_reduction,
    order_padded_to,
    rank_after_reduction,
    repetition_count,
)
from tests.tensor.lawkit.layout.shuffled import X, orders, shuffled

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
    canonical = canonical_axes(reduced, 4)
    before = axes_before_dimshuffle(order, canonical, 3)
    after = order_after_reduction(order, canonical, 3)
    expected = shuffled(X, order).sum(axis=reduced)
    assert np.array_equal(shuffled(np.asarray(X.sum(axis=before)), after), expected)


def test_ranks():
    x = at.dtensor3()
    assert rank_after_reduction((0, 2), x) == 1 and rank_after_reduction(None, x) == 0
    assert order_padded_to(at.dvector(), (4, 4, 4)) == ("x", "x", 0)


def test_how_often_broadcasting_repeats():
    v = at.dvector("v")
    assert is_repeated_along(v, (0,), 2) and not is_repeated_along(v, (1,), 2)
    assert repetition_count(v, None, (5, 3)).data == 5
    assert repetition_count(at.row("row"), None, (5, 3)).data == 5
