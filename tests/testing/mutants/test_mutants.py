"""The checker kills wrong laws."""

from __future__ import annotations

import os
import pickle
from collections import Counter

import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.vocabulary import law, lvars
from tests.testing.mutants.dense import densely_compared
from tests.testing.mutants.same_meaning import mean_the_same
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import (
    BY_HAND,
    PARTS,
    SURVIVORS,
    TRUE_BY_READING,
    before,
    every_edit,
    part_of,
    sample,
)
from tests.testing.mutants.tally import Tally
from tests.testing.mutants.verdict import Verdict, verdict_on

MUTANTS = [*sample(), *BY_HAND]
AT_LEAST_KILLED = 0.6
"""Of each part; the others may be true all the same."""
a, b = lvars("a b")


def test_all_kinds_are_there_and_none_twice():
    assert len({law.name for law in MUTANTS}) == len(MUTANTS) >= 250
    assert every_edit().keys() > WHERE.keys()
    assert {part_of(law) for law in MUTANTS} == set(range(PARTS))


@pytest.fixture(scope="module")
def tallies(tmp_path_factory):
    """A folder of what the parts of this run find, whichever processes they run in."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "tallies"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("part", range(PARTS))
def test_all_are_killed_but_those_that_are_explained(part, tallies):
    """Each edit is checked with the default number of examples. The last part to end counts all."""
    tally, survivors = Tally(), set()
    for mutant in MUTANTS:
        if part_of(mutant) == part:
            verdict = verdict_on(mutant, before(mutant), TRUE_BY_READING)
            tally.add(mutant.name.partition(":")[0], verdict)
            if verdict.status == "survives":
                survivors.add(mutant.name)
            assert verdict.status == "failed" or mutant not in BY_HAND, mutant.name
    assert survivors <= SURVIVORS.keys()
    assert tally.killed >= AT_LEAST_KILLED * tally.total["made"]
    (tallies / f"{part}.pickle").write_bytes(pickle.dumps(tally))
    found = [pickle.loads(file.read_bytes()) for file in tallies.glob("*.pickle")]
    if len(found) == PARTS:
        everything = sum(found, Tally())
        assert everything.total["made"] == len(MUTANTS)
        assert everything.share_killed >= 0.99, everything


def test_a_tally_leaves_out_what_is_true():
    tally = Tally()
    for status in ("failed", "reported", "equivalent", "survives"):
        tally.add("some", Verdict(status, "why"))
    assert tally.by_kind["some"] == Counter(made=4, failed=1, reported=1, equivalent=1, survives=1)
    assert tally.killed == 2
    assert tally.share_killed == 2 / 3
    assert "equivalent: why: 1" in str(tally)


def test_tallies_add_up():
    one, other = Tally(), Tally()
    for tally, statuses in ((one, ["failed"] * 3), (other, ["failed", "survives", "equivalent"])):
        for status in statuses:
            tally.add("some", Verdict(status, "why"))
    assert (one + other).by_kind["some"] == Counter(made=6, failed=4, survives=1, equivalent=1)
    assert (one + other).share_killed == 4 / 5
    assert (one + other).reasons == Counter(why=1)
    assert one.total["made"] == 3


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
