"""The checker kills wrong laws."""

from __future__ import annotations

from collections import Counter

import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.graph.kanren.laws import Law
from tests.seeds import sampled
from tests.testing.mutants.dense import wrong_somewhere
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import (
    BOOK,
    BY_HAND,
    PARTS,
    SURVIVORS,
    TRUE,
    before,
    edited,
    every_edit,
    part_of,
    sample,
)
from tests.testing.mutants.verdict import Tally, Verdict, verdict_on

AT_LEAST_KILLED = 0.6
"""Of each part; the others may be true all the same."""
a = lvars("a")


def mutants() -> list[Law]:
    return [*sample(), *BY_HAND]


def test_all_kinds_are_there_and_none_twice():
    found = mutants()
    assert len({law.name for law in found}) == len(found) >= 250
    assert every_edit().keys() > WHERE.keys()
    assert {part_of(law) for law in found} == set(range(PARTS))


def test_the_edits_that_pass_are_of_laws_of_the_book():
    names = {law.name for law in BOOK}
    assert [edit for edit in (*TRUE, *SURVIVORS) if edit.partition(": ")[2] not in names] == []


def test_an_edit_that_makes_both_sides_the_same_is_left_out():
    names = {law.name for law in edited(every_edit()["swapped"])}
    assert len(names) > 100
    assert "swapped: magnitude-of-difference" not in names


def tally_of(laws):
    """Return what the checker says of some wrong laws, with its default number of examples."""
    tally, survivors = Tally(), set()
    for mutant in laws:
        verdict = verdict_on(mutant, before(mutant), TRUE)
        tally.add(mutant.name.partition(":")[0], verdict)
        if verdict.status == "survives":
            survivors.add(mutant.name)
        assert verdict.status == "failed" or mutant not in BY_HAND, mutant.name
    assert survivors <= SURVIVORS.keys()
    return tally


@pytest.mark.parametrize("part", sampled(range(PARTS), 1, "parts of the mutants"))
def test_all_of_a_part_are_killed_but_one_at_most(part):
    tally = tally_of([law for law in mutants() if part_of(law) == part])
    assert tally.killed >= AT_LEAST_KILLED * tally.total["made"]
    assert tally.total["survives"] <= 1, tally


@pytest.mark.thorough
def test_of_those_that_are_wrong_99_in_a_hundred_are_killed():
    tally = tally_of(mutants())
    assert tally.total["made"] == len(mutants())
    assert tally.share_killed >= 0.99, tally


def test_a_tally_leaves_out_what_is_true():
    tally = Tally()
    for status in ("failed", "reported", "equivalent", "survives"):
        tally.add("some", Verdict(status, "why"))
    assert tally.by_kind["some"] == Counter(made=4, failed=1, reported=1, equivalent=1, survives=1)
    assert tally.killed == 2
    assert tally.share_killed == 2 / 3
    assert "equivalent: why: 1" in str(tally)


def test_many_points_show_what_is_wrong():
    true = law("cosh-by-sinh", at.cosh(a) / at.sinh(a), 1 / at.tanh(a), sound="stable")
    wrong = law(true.name, true.lhs, 1 / at.tanh(at.maximum(a, -7)), sound="stable")
    assert wrong_somewhere(wrong, true)
    assert not wrong_somewhere(true, true)
