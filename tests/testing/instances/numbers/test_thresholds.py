"""Where a law decides is read off its terms."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.testing.instances.edge_values import edge_positions
from relgraph.testing.instances.input_values import InputSpec, decode_values, number_table
from relgraph.testing.instances.instantiation import numbers_where_it_decides

a = lvars("a")
SMALL = at.abs(a) < 0.03


def test_numbers_that_something_is_compared_with_and_some_beside_them():
    found = numbers_where_it_decides(at.switch(SMALL, a, at.sin(a) * 7))
    assert set(found) == {s * 0.03 * k for s in (1, -1) for k in (1, 15 / 16, 17 / 16)}
    # 0 and infinity are edges of every float
    assert numbers_where_it_decides(at.switch(a > 0, a, a < np.inf)) == ()


def test_they_are_edges_of_floats_alone():
    for dtype, there in (("float64", True), ("float16", True), ("int64", False)):
        table = number_table(dtype, "any", (17.0, -17.0))
        edges = table[list(edge_positions(dtype, (17.0, -17.0)))]
        assert (np.array(17, dtype) in edges) is there
        assert len(table) == len(number_table(dtype, "any"))
        assert table[0] == 0
    slot = InputSpec(at.dvector(), (256,), notable=(17.0, -17.0))
    (made,) = decode_values(bytes([1, 0, 0, *range(256)]), [slot])
    assert {17.0, -17.0} <= set(made.tolist())


def test_a_series_that_lacks_its_last_term_is_found():
    square = at.sqr(at.switch(SMALL, a, 0))
    for last, passes in ((1 / 120, True), (1 / 119, False)):
        series = 1 - square * (1 / 6 - square * (last - square / 5040))
        right = at.switch(SMALL, series, at.sin(a) / at.switch(SMALL, 1, a))
        found = law("t", at.sin(a) / a, right * (a / a), sound="stable").check(shrink=False)
        assert (found.status == "failed") is not passes
