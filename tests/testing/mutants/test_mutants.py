"""The checker kills wrong laws."""

from __future__ import annotations

import pytest

from relgraph.testing import check_relation
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import EQUIVALENT, SPOILED, SURVIVORS, mutants

MUTANTS = mutants()
WRONG = [law for law in MUTANTS if law.name not in EQUIVALENT]


@pytest.fixture(scope="module")
def survivors():
    """The wrong laws that do not fail with the default number of examples."""
    return [law.name for law in WRONG if check_relation(law, shrink=False).status != "failed"]


def test_there_are_many_and_none_twice():
    assert len(WRONG) >= 250
    assert len({law.name for law in MUTANTS}) == len(MUTANTS)
    assert SPOILED.keys() == WHERE.keys()


def test_nearly_all_are_killed(survivors):
    assert len(survivors) <= 0.01 * len(WRONG), survivors


def test_the_survivors_are_known_and_explained(survivors):
    assert sorted(survivors) == sorted(SURVIVORS)
    assert all(SURVIVORS.values())


@pytest.mark.parametrize("name", EQUIVALENT)
def test_true_laws_among_them_pass(name):
    (law,) = [m for m in MUTANTS if m.name == name]
    assert check_relation(law, examples=40, shrink=False).passed
