"""The checker kills wrong laws."""

from __future__ import annotations

from collections import Counter

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.vocabulary import law, lvars
from tests.testing.mutants.dense import densely_compared
from tests.testing.mutants.same_meaning import mean_the_same
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import (
    BY_HAND,
    SURVIVORS,
    TRUE_BY_READING,
    before,
    every_edit,
    sample,
)
from tests.testing.mutants.tally import Tally
from tests.testing.mutants.verdict import Verdict, verdict_on

MUTANTS = [*sample(), *BY_HAND]
a, b = lvars("a b")


@pytest.fixture(scope="module")
def verdicts():
    """What becomes of each edit, checked with the default number of examples."""
    return {law.name: verdict_on(law, before(law), TRUE_BY_READING) for law in MUTANTS}


def test_all_kinds_are_there_and_none_twice():
    assert len({law.name for law in MUTANTS}) == len(MUTANTS) >= 250
    assert every_edit().keys() > WHERE.keys()


def test_nearly_all_are_killed(verdicts):
    tally = Tally()
    for name, verdict in verdicts.items():
        tally.add(name.partition(":")[0], verdict)
    assert tally.share_killed >= 0.97
    survivors = {name for name, verdict in verdicts.items() if verdict.status == "survives"}
    assert survivors <= SURVIVORS.keys()


def test_edits_by_hand_are_killed(verdicts):
    assert {verdicts[law.name].status for law in BY_HAND} == {"failed"}


def test_a_tally_leaves_out_what_is_true():
    tally = Tally()
    for status in ("failed", "reported", "equivalent", "survives"):
        tally.add("some", Verdict(status, "why"))
    assert tally.by_kind["some"] == Counter(made=4, failed=1, reported=1, equivalent=1, survives=1)
    assert tally.share_killed == 2 / 3
    assert "equivalent: why: 1" in str(tally)


SMALL = at.abs(a) < 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (at.switch(SMALL, at.switch(SMALL, a, 1), b), at.switch(SMALL, a, b), True),
        (at.switch(SMALL, at.switch(at.abs(a) < 2, a, 1), b), at.switch(SMALL, a, b), True),
        (at.switch(SMALL, at.switch(at.abs(a) < 0.5, a, 1), b), at.switch(SMALL, a, b), False),
        (at.switch(SMALL, b, at.switch(at.abs(a) <= 1, a, 1)), at.switch(SMALL, b, 1), False),
        (at.cos(-2 * a), at.cos(a * 2), True),
        (at.sin(-2 * a), at.sin(a * 2), False),
        (-at.sin(-2 * a), at.sin(a * 2), True),
        (at.abs(a - b), at.abs(b - a), True),
        (a - b, b - a, False),
        (at.exp(a - b), at.exp(b - a), False),
        (a / b, b / a, False),
    ],
)
def test_terms_that_mean_the_same(one, other, same):
    assert mean_the_same(one, other) is same


def test_many_points_show_what_is_wrong():
    true = law("cosh-by-sinh", at.cosh(a) / at.sinh(a), 1 / at.tanh(a), sound="stable")
    wrong = law(true.name, true.lhs, 1 / at.tanh(at.maximum(a, -7)), sound="stable")
    assert densely_compared(wrong, true).wrong
    assert densely_compared(true, true).differing == 0
