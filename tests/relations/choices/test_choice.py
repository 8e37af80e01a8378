"""What each law about choices and assertions does to an expression."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function, get_mode
from relgraph.tensor.basic import Assert, assert_
from tests.relations.applied import (
    b,
    f,
    i,
    j,
    w,
    x,
    y,
    z,
)

n = at.lscalar("n")

CASES = [
    ("switch-true", at.switch(at.constant(True), x, y), "x"),
    ("switch-true", at.switch(2, f, x), "cast{float64}(f)"),
    ("switch-false", at.switch(0.0, w, x), "cast{complex128}(x)"),
    ("switch-minus-zero", at.switch(b, -0.0, 0.0) + x, "second(b, 0.0) + x"),
    ("switch-else-minus-zero", at.switch(b, 0.0, -0.0) + x, "second(b, 0.0) + x"),
    ("switch-switch", at.switch(x > 0, at.switch(x > 0, x, y), z), "switch(x > 0.0, x, z)"),
    ("switch-to-and", at.switch(b, True, False), "b & True"),
    ("switch-to-cast", at.switch(x > 0.5, 1.0, 0.0), "cast{float64}(x > 0.5)"),
    ("lift-switch", at.exp(at.switch(b, 1.0, 2.0)), "switch(b, exp(1.0), exp(2.0))"),
    ("lift-switch-first", at.switch(b, 1.0, -1.0) / 2, "switch(b, 1.0 / 2.0, -1.0 / 2.0)"),
    ("lift-switch-second", 2 - at.switch(b, 1.0, -1.0), "switch(b, 2.0 - 1.0, 2.0 - -1.0)"),
    (
        "add-complementary-switches",
        at.switch(b, x, 0) + z + at.switch(b, 0, y),
        "switch(b, x, y) + z",
    ),
    ("second-where-compared", at.switch(x < 0, 0, x), "maximum(x, 0.0)"),
    ("second-where-compared", at.switch(x >= 0.5, 0.5, x), "minimum(x, 0.5)"),
    ("second-where-compared", at.switch(x < 0.5, 0.5, x), "maximum(x, 0.5)"),
    ("second-of-integers-where-compared", at.switch(i <= j, j, i), "maximum(i, j)"),
    ("first-of-integers-where-compared", at.switch(i > 0, i, 0), "maximum(i, 0)"),
    ("second-extreme", at.switch(x > y, y, x), "minimum(x, y)"),
    ("first-extreme", at.switch(x > 0, x, 0), "maximum(x, 0.0)"),
    ("abs-where-negative", at.switch(x < 0, -x, x), "abs(x)"),
    ("abs-where-positive", at.switch(i >= 0, i, -i), "abs(i)"),
    ("clip-to-one", at.clip(at.sin(x), -1, 1), "sin(x)"),
    ("assert-true", assert_(x, True), "x"),
    ("assert-true", assert_(x, at.constant([1, 2])), "x"),
    ("assert-twice", Assert("b")(Assert("a")(x, n), n), "assert{a}(x, n)"),
    ("remove-assert", assert_(x, n, x > 0, message="a"), "x"),
]

NOT_MATCHED = [
    ("switch-true", at.switch(np.array([1, 0, 1]), x, y)),
    ("switch-not", at.switch(~i, x, y)),  # an integer's bits
    ("switch-and", at.switch(b, at.switch(i, x, y), y)),
    ("switch-neg", at.switch(b, -x, y)),
    ("switch-neg-else-zero", at.switch(b, at.neg(at.constant([1.0, 2.0, 3.0])), 0)),  # is folded
    ("switch-to-cast", at.switch(i, 1.0, 0.0)),
    ("switch-to-cast", at.switch(b, 1.0, -0.0)),
    ("switch-to-and", at.switch(b, i, False)),
    ("lift-switch", at.exp(at.switch(b, x, 2.0))),
    ("lift-switch-first", at.switch(b, 1, 2) ** np.int8(-1)),  # raises, but of no elements
    ("lift-switch-second", np.int64(2) ** at.switch(b, 1, -1)),
    ("second-where-compared", at.switch(x < y, y, x)),  # y may be nan
    ("second-where-compared", at.switch(x < np.nan, np.nan, x)),
    ("second-where-compared", at.switch(x > 0, x, 0)),  # x may be nan
    ("second-of-integers-where-compared", at.switch(x < y, y, x)),
    ("sign-by-cases", at.switch(x > 0, 1.0, at.switch(x < 0, -1.0, 0.0))),
    ("clip-to-one", at.clip(at.exp(x), -1, 1)),
    ("assert-true", assert_(x, n)),
    ("assert-true", assert_(x, at.constant([1, 0]))),
    ("assert-twice", Assert("b")(Assert("a")(x, n), n + 1)),
]


def test_removal_is_for_who_asks_for_it() -> None:
    checked = assert_(x, n > 0, message="n")
    with pytest.raises(AssertionError, match="n: gt"):
        function([x, n], checked)([1.0], 0)
    for mode in ("unsafe", get_mode("o4").including("local_remove_all_assert")):
        assert function([x, n], checked, mode, on_unused_input="ignore")([1.0], 0) == [1.0]
