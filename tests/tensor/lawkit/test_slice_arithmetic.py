"""What indices come down to, compared with NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.tensor.indexing.indices import WHOLE, Placeholder, Slice, concrete_index
from relgraph.tensor.lawkit.layout.slice_arithmetic import (
    Part,
    are_apart,
    axes_after,
    before_order,
    composed,
    composed_entry,
    covers_axis,
    into_operand,
    order_of_part,
    past_axes,
    slice_of,
    split_at,
    trimmed,
    within_join,
)

ENDS = (None, -4, -2, -1, 0, 1, 3, 5)
STEPS = (None, -2, -1, 1, 2)
SLICES = [Slice(a, b, c) for a, b, c in itertools.product(ENDS, ENDS, STEPS)]
LENGTHS = range(7)
ANY = Placeholder.INTEGER


def take(x, *entries):
    return x[concrete_index(entries, ())]


def taken(x, *entries):
    """Return the part, or None where there is none."""
    try:
        return take(x, *entries)
    except IndexError:
        return None


slices = st.sampled_from(SLICES)
entries = st.one_of(slices, st.integers(-4, 4))


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


@pytest.mark.parametrize(
    ("inner", "outer", "both"),
    [
        (Slice(None, None, -1), Slice(None, None, -1), WHOLE),
        (Slice(1), Slice(None, -1), Slice(1, -1)),
        (Slice(None, -1), Slice(1), Slice(1, -1)),
        (Slice(None, -1), Slice(None, -1), Slice(None, -2)),
        (Slice(2), 3, 5),
        (Slice(2, 4), 3, None),
        (Slice(2, 9, 3), Slice(1, 2), Slice(5, 8, 3)),
        (Slice(-3), 0, None),
        (Slice(None, None, -1), 0, -1),
    ],
)
def test_entries_of_an_axis_of_unknown_length(inner, outer, both):
    assert composed_entry(None, outer, inner) == both


@given(st.integers(0, 6), slices)
def test_slice_of_places(n, s):
    places = range(n)[slice(*s.parts())]
    assert np.array_equal(take(np.arange(n), slice_of(places)), list(places))


@given(slices, st.one_of(st.none(), st.integers(0, 6)))
def test_covered_axes(s, n):
    for m in LENGTHS if n is None else [n]:
        if covers_axis(s, n):
            assert np.array_equal(take(np.arange(m), s), np.arange(m))
        elif n is not None:
            assert not np.array_equal(take(np.arange(n), s), np.arange(n))


def test_variables_are_no_whole_axis():
    assert not covers_axis(Slice(None, ANY), 3)
    assert not covers_axis(0, 1)


indices = st.lists(entries, max_size=3).map(tuple)


@given(indices, indices, st.booleans())
def test_two_indices_are_one(inner, outer, known):
    x = np.arange(60).reshape(3, 4, 5)
    once = taken(x, *inner)
    if once is None or len(outer) > once.ndim:
        return
    both = composed(x.shape if known else (None,) * 3, outer, (), inner, ())
    expected = taken(once, *outer)
    if both is None:
        assert expected is None or not known
    elif expected is None:
        assert taken(x, *both.index) is None
    else:
        assert np.array_equal(take(x, *both.index), expected)


def test_variables_in_indices_keep_their_places():
    assert composed((None,) * 3, (ANY,), ("j",), (ANY,), ("i",)) == Part((ANY, ANY), ("i", "j"))
    assert composed((None,) * 3, (0, ANY), ("j",), (WHOLE, ANY), ("i",)) == Part(
        (0, ANY, ANY),
        ("i", "j"),
    )
    assert composed((None,) * 2, (WHOLE, ANY), ("j",), (Slice(ANY, ANY),), ("a", "b")) == Part(
        (Slice(ANY, ANY), ANY),
        ("a", "b", "j"),
    )
    assert composed((None,), (ANY,), ("j",), (Slice(1),), ()) is None


@given(indices)
def test_a_share_of_a_broadcast_part(index):
    x, row = np.arange(60).reshape(3, 4, 5), np.arange(5)
    column = np.arange(4).reshape(1, 4, 1)
    if taken(x, *index) is None:
        return
    for y in (row, column):
        share = into_operand(index, (), y.shape, x.shape)
        part = taken(np.broadcast_to(y, x.shape), *index)
        assert np.array_equal(np.broadcast_to(take(y, *share.index), part.shape), part)


def test_a_share_has_the_variables_of_its_own_axes():
    assert into_operand((ANY, ANY), ("i", "j"), (1, None), (None, None)) == Part((0, ANY), ("j",))
    assert into_operand((ANY, Slice(ANY, ANY)), ("i", "a", "b"), (None,), (None, None)) == Part(
        (Slice(ANY, ANY),),
        ("a", "b"),
    )


@given(indices, st.permutations([0, 1, 2, "x"]))
def test_a_part_of_a_dimshuffle(index, order):
    x = np.arange(60).reshape(3, 4, 5)
    key = tuple(None if a == "x" else slice(None) for a in order)
    shuffled = x.transpose([a for a in order if a != "x"])[key]
    expected = taken(shuffled, *index)
    before = before_order(order, index, (), 3)
    if expected is None or before is None:
        return
    after = order_of_part(order, index, 3)
    part = take(x, *before.index)
    key = tuple(None if a == "x" else slice(None) for a in after)
    found = part.transpose([a for a in after if a != "x"])[key]
    assert np.array_equal(found, expected)


def test_what_takes_no_new_axis_stays():
    assert before_order((0, "x"), (WHOLE, Slice(1)), (), 1) is None
    assert before_order((0, "x"), (WHOLE, 1), (), 1) is None
    assert before_order(("x", 0), (ANY,), ("i",), 1) is None
    assert before_order((1, 0), (ANY,), ("i",), 2) == Part((WHOLE, ANY), ("i",))


@given(indices, st.sets(st.integers(0, 3), min_size=1, max_size=3).map(sorted))
def test_a_part_of_a_reduction(index, axes):
    x = np.arange(120).reshape(2, 3, 4, 5)
    reduced = x.sum(axis=tuple(axes))
    if len(index) > reduced.ndim or taken(reduced, *index) is None:
        return
    before = past_axes(index, (), axes, 4)
    after = axes_after(before.index, axes, 4)
    assert np.array_equal(take(x, *before.index).sum(axis=after), take(reduced, *index))


def test_an_index_in_two():
    first, second = split_at((ANY, 2), ("i",), 1, 3)
    assert first == Part((ANY,), ("i",))
    assert second == Part((2,), ())


@given(entries, st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 7))
def test_a_part_of_parts_side_by_side(entry, lengths, hidden):
    parts = [np.arange(n) + 10 * i for i, n in enumerate(lengths)]
    expected = taken(np.concatenate(parts), entry)
    known = [None if hidden >> i & 1 else n for i, n in enumerate(lengths)]
    found = within_join(entry, known)
    if found is not None and expected is not None:
        assert np.array_equal(take(parts[found[0]], found[1]), expected)
    if isinstance(entry, int) and None not in known:
        assert (found is None) is (expected is None)


def test_the_first_of_parts_needs_no_other_length():
    assert within_join(1, [3, None]) == (0, 1)
    assert within_join(-1, [None, 3]) == (1, -1)
    assert within_join(-4, [None, 3]) is None
    assert within_join(Slice(None, 3), [3, None]) == (0, Slice(None, 3))
    assert within_join(3, [3, None]) is None
    assert within_join(ANY, [3, 3]) is None


@given(indices, indices, st.booleans())
def test_what_is_apart_has_nothing_in_common(a, b, known):
    shape = (3, 4, 5)
    x = np.arange(60).reshape(shape)
    first, second = taken(x, *a), taken(x, *b)
    if first is None or second is None:
        return
    if known:
        # what is read is wide, so that an index that is all of an axis is met often
        a = (*a[:1], *[WHOLE] * 2)
        first = take(x, *a)
    if are_apart(shape if known else (None,) * 3, a, b):
        assert not set(np.ravel(first)) & set(np.ravel(second))


def test_apart():
    assert are_apart((None,), (0,), (1,))
    assert not are_apart((None,), (0,), (-1,))
    assert are_apart((None,), (Slice(None, 2),), (Slice(2, 4),))
    assert are_apart((10,), (Slice(None, None, 2),), (Slice(1, None, 2),))
    assert are_apart((10,), (Slice(None, None, 2),), (3,))
    assert not are_apart((10,), (Slice(None, None, 2),), (4,))
    assert not are_apart((None,), (Slice(None, 2),), (Slice(1, 4),))
    assert not are_apart((None,), (ANY,), (0,))
    assert not are_apart((None, None), (ANY, WHOLE), (ANY, WHOLE))
    assert not are_apart((None,), (WHOLE,), (Slice(None, None, -1),))
    assert not are_apart((None,), (Slice(3, 0, -2),), (1,))


def test_trimmed():
    assert trimmed((0, WHOLE, WHOLE)) == (0,)
