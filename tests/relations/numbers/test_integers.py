"""What each law about floor division and remainders does to an expression."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from tests.relations.applied import (
    i,
    u,
    value_of,
    x,
)

CASES = [
    ("int-div-one", u // 1, "u"),
    ("int-div-minus-one", i // -1, "-i"),
    ("zero-int-div", 0 // i, "second(i, 0)"),
    ("int-div-twice", i // 3 // 5, "i // 15"),
    ("mod-minus-one", i % -1, "second(i, 0)"),
    ("zero-mod", 0 % i, "second(i, 0)"),
    ("int-div-of-mod", i % 3 // 3, "second(i % 3, 0)"),
    ("div-mod", i // 3 * 3 + i % 3, "i"),
    ("sub-int-div", i - i // -3 * -3, "i % -3"),
    ("sub-mod", i - i % 3, "i // 3 * 3"),
]

NOT_MATCHED = [
    ("int-div-minus-one", u // np.uint8(255)),
    ("int-div-twice", u // np.uint8(16) // np.uint8(16)),
    ("int-div-twice", i // -3 // 5),
    ("int-div-of-mod", i % 0 // 0),
    ("div-mod", i // 0 * 0 + i % 0),
    ("mod-self", x % x),
]


@pytest.mark.parametrize(
    ("before", "values"),
    [
        (i * 3 // 3, [2**62, -(2**62), 5]),
        (i * 4 % 4, [2**62, -7, 5]),
        (i // 2, [-7, 7, -1]),
        (i % 2, [-7, 7, -1]),
        (i // 0, [-7, 7, 0]),
        (i % 0, [-7, 7, 0]),
        (i + i - i, [2**63 - 1, -(2**63), 0]),
        (at.neg(-i) + abs(-i), [-(2**63), 2**63 - 1, 0]),
    ],
)
def test_integers_wrap_around_as_before(before, values):
    after = optimize_graph(before, include=("canonicalize", "specialize"), clone=True)
    expected, found = (value_of(graph, {"i": np.array(values)}) for graph in (before, after))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
