"""Entries of indices to draw, and NumPy's answer to them."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from relgraph.tensor.subtensor import Placeholder, Slice, concrete_index

ENDS = (None, -4, -2, -1, 0, 1, 3, 5)
STEPS = (None, -2, -1, 1, 2)
SLICES = [Slice(a, b, c) for a, b, c in itertools.product(ENDS, ENDS, STEPS)]
ANY = Placeholder.INTEGER
"""Stands for a variable."""

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
