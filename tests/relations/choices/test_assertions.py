"""What each law about assertions does."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relations import choices
from relgraph.compile import function, get_mode
from relgraph.tensor.basic import Assert, assert_
from tests.relations.applied import applied, laws_of, written

LAWS = laws_of(choices)
x, n = at.dvector("x"), at.lscalar("n")


CASES = [
    ("assert-true", assert_(x, True), "x"),
    ("assert-true", assert_(x, at.constant([1, 2])), "x"),
    ("assert-twice", Assert("b")(Assert("a")(x, n), n), "assert{a}(x, n)"),
    ("remove-assert", assert_(x, n, x > 0, message="a"), "x"),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_what_it_does(name: str, before: at.TensorVariable, after: str) -> None:
    assert written(LAWS[name], before) == after


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("assert-true", assert_(x, n)),
        ("assert-true", assert_(x, at.constant([1, 0]))),
        ("assert-twice", Assert("b")(Assert("a")(x, n), n + 1)),
    ],
)
def test_what_they_leave_alone(name: str, before: at.TensorVariable) -> None:
    assert applied(LAWS[name], before).owner.op is before.owner.op


def test_removal_is_for_who_asks_for_it() -> None:
    checked = assert_(x, n > 0, message="n")
    with pytest.raises(AssertionError, match="n: gt"):
        function([x, n], checked)([1.0], 0)
    for mode in ("unsafe", get_mode("o4").including("local_remove_all_assert")):
        assert function([x, n], checked, mode, on_unused_input="ignore")([1.0], 0) == [1.0]
