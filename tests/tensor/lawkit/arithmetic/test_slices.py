"""What entries of indices come down to, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.tensor.lawkit.index_arithmetic import (
    composed_entry,
    located_in_join,
    slice_of_range,
    takes_whole_axis,
)
from relgraph.tensor.subtensor import WHOLE, Slice
from tests.tensor.lawkit.arithmetic.drawn_indices import ANY, entries, slices, take, taken

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


def test_variables_are_no_whole_axis():
    assert not takes_whole_axis(Slice(None, ANY), 3)
    assert not takes_whole_axis(0, 1)


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


def test_the_first_piece_needs_no_other_length():
    assert located_in_join(1, [3, None]) == (0, 1)
    assert located_in_join(-1, [None, 3]) == (1, -1)
    assert located_in_join(-4, [None, None, 3]) is None
    assert located_in_join(Slice(None, 3), [3, None]) == (0, Slice(None, 3))
    assert located_in_join(3, [3, None, None]) is None
    assert located_in_join(ANY, [3, 3]) is None


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
