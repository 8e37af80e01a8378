"""What laws compute with slices and other basic indices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.index_arithmetic import (
    BasicIndex,
    are_disjoint,
    axes_after_index,
    composed_entry,
    composed_index,
    index_around_axes,
    index_before_dimshuffle,
    index_into_operand,
    located_in_join,
    order_after_index,
    slice_of_range,
    takes_whole_axis,
)
from relgraph.tensor.subtensor import WHOLE, Slice, concrete_index

ENDS = (None, -4, -2, -1, 0, 1, 3, 5)
STEPS = (None, -2, -1, 1, 2)
SLICES = [Slice(a, b, c) for a, b, c in itertools.product(ENDS, ENDS, STEPS)]


def tensor(*shape):
    """Return a tensor of a shape."""
    return at.TensorType("float64", shape)("x")


slices = st.sampled_from(SLICES)
entries = st.one_of(slices, st.integers(-4, 4))
indices = st.lists(entries, max_size=3).map(tuple)


def take(x, *entries):
    return x[concrete_index(entries, ())]


def taken(x, *entries):
    """Return the part, or None where there is none."""
    try:
        return take(x, *entries)
    except IndexError:
        return None


# What indices come down to, compared with NumPy.


@given(indices, indices, st.booleans())
def test_two_indices_are_one(inner, outer, known):
    x = np.arange(60).reshape(3, 4, 5)
    once = taken(x, *inner)
    if once is None or len(outer) > once.ndim:
        return
    both = composed_index(
        tensor(*x.shape if known else (None,) * 3), BasicIndex(outer), BasicIndex(inner)
    )
    expected = taken(once, *outer)
    if both is None:
        assert expected is None or not known
    elif expected is None:
        assert taken(x, *both.entries) is None
    else:
        assert np.array_equal(take(x, *both.entries), expected)


@given(indices)
def test_the_part_of_an_operand_that_broadcasts(index):
    x, row = np.arange(60).reshape(3, 4, 5), np.arange(5)
    column = np.arange(4).reshape(1, 4, 1)
    if taken(x, *index) is None:
        return
    for y in (row, column):
        part_of_y = index_into_operand(BasicIndex(index), y.shape, x.shape)
        part = taken(np.broadcast_to(y, x.shape), *index)
        assert np.array_equal(np.broadcast_to(take(y, *part_of_y.entries), part.shape), part)


@given(indices, st.permutations([0, 1, 2, "x"]))
def test_a_part_of_a_dimshuffle(index, order):
    x = np.arange(60).reshape(3, 4, 5)
    key = tuple(None if a == "x" else slice(None) for a in order)
    shuffled = x.transpose([a for a in order if a != "x"])[key]
    expected = taken(shuffled, *index)
    before = index_before_dimshuffle(order, BasicIndex(index), 3)
    if expected is None or before is None:
        return
    after = order_after_index(order, index, 3)
    part = take(x, *before.entries)
    key = tuple(None if a == "x" else slice(None) for a in after)
    found = part.transpose([a for a in after if a != "x"])[key]
    assert np.array_equal(found, expected)


@given(indices, st.sets(st.integers(0, 3), min_size=1, max_size=3).map(sorted))
def test_a_part_of_a_reduction(index, axes):
    x = np.arange(120).reshape(2, 3, 4, 5)
    reduced = x.sum(axis=tuple(axes))
    if len(index) > reduced.ndim or taken(reduced, *index) is None:
        return
    before = index_around_axes(BasicIndex(index), axes, 4)
    after = axes_after_index(before.entries, axes, 4)
    assert np.array_equal(take(x, *before.entries).sum(axis=after), take(reduced, *index))


@given(indices, indices, st.booleans())
def test_disjoint_indices_have_nothing_in_common(a, b, known):
    shape = (3, 4, 5)
    x = np.arange(60).reshape(shape)
    first, second = taken(x, *a), taken(x, *b)
    if first is None or second is None:
        return
    if known:
        # what is read is wide, so that an index that is all of an axis is met often
        a = (*a[:1], *[WHOLE] * 2)
        first = take(x, *a)
    if are_disjoint(tensor(*shape if known else (None,) * 3), a, b):
        assert not set(np.ravel(first)) & set(np.ravel(second))


# What entries of indices come down to, compared with NumPy.

LENGTHS = range(7)


@given(slices, entries, st.booleans())
def test_two_entries_on_an_axis_are_one(inner, outer, known):
    for n in LENGTHS:
        both = composed_entry(n if known else None, outer, inner)
        x = np.arange(n)
        if both is not None:
            expected = taken(take(x, inner), outer)
            found = taken(x, both)
            assert (found is None) is (expected is None), (n, both)
            assert expected is None or np.array_equal(found, expected), (n, both)
        elif known:
            assert taken(take(x, inner), outer) is None


@given(st.integers(0, 6), slices)
def test_slice_of_a_range(n, s):
    positions = range(n)[slice(*s.parts())]
    assert np.array_equal(take(np.arange(n), slice_of_range(positions)), list(positions))


@given(slices, st.one_of(st.none(), st.integers(0, 6)))
def test_covered_axes(s, n):
    for m in LENGTHS if n is None else [n]:
        if takes_whole_axis(s, n):
            assert np.array_equal(take(np.arange(m), s), np.arange(m))
        elif n is not None:
            assert not np.array_equal(take(np.arange(n), s), np.arange(n))


@given(entries, st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 7))
def test_an_entry_into_a_join(entry, lengths, hidden):
    parts = [np.arange(n) + 10 * i for i, n in enumerate(lengths)]
    expected = taken(np.concatenate(parts), entry)
    known = [None if hidden >> i & 1 else n for i, n in enumerate(lengths)]
    found = located_in_join(entry, known)
    if found is not None:
        part = taken(parts[found[0]], found[1])
        assert (part is None) is (expected is None)
        assert part is None or np.array_equal(part, expected)
    if isinstance(entry, int) and None not in known and expected is not None:
        assert found is not None


@pytest.mark.parametrize(
    ("entry", "lengths", "found"),
    [
        (Slice(1), [1, None], (1, WHOLE)),
        (Slice(1, 3), [1, None], (1, Slice(None, 2))),
        (Slice(2, -1, 2), [1, None], (1, Slice(1, -1, 2))),
        (Slice(None, 0, -1), [1, None], (1, Slice(None, None, -1))),
        (3, [1, 1, None], (2, 1)),
        (Slice(1, 1), [2, None], None),
        (Slice(3, 1), [2, None], (1, Slice(0, 0))),
        (Slice(None, -1), [None, 1], (0, WHOLE)),
        (Slice(-2, 0, -1), [None, 1], (0, Slice(None, 0, -1))),
        (-3, [None, 2], (0, -1)),
        (-1, [1, None], None),
        (Slice(-2), [1, None], None),
        (Slice(1), [2, None], None),
    ],
)
def test_the_last_piece_and_the_first_may_be_of_any_length(entry, lengths, found):
    assert located_in_join(entry, lengths) == found
