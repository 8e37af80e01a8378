"""What each law about assertions does."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.compile import function, get_mode
from relgraph.tensor.basic import Assert, assert_

x, n = at.dvector("x"), at.lscalar("n")


CASES = [
    ("assert-true", assert_(x, True), "x"),
    ("assert-true", assert_(x, at.constant([1, 2])), "x"),
    ("assert-twice", Assert("b")(Assert("a")(x, n), n), "assert{a}(x, n)"),
    ("remove-assert", assert_(x, n, x > 0, message="a"), "x"),
]

NOT_MATCHED = [
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
