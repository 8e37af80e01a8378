"""The checker kills wrong laws."""

from __future__ import annotations

import pytest

from relgraph.testing import check_relation
from tests.testing.mutants import EQUIVALENT, MUTANTS, SURVIVORS

WRONG = [law for law in MUTANTS if law.name not in EQUIVALENT]


@pytest.fixture(scope="module")
def survivors():
    """The wrong laws that pass with the default number of examples."""
    return [law.name for law in WRONG if not is_killed(law)]


def is_killed(law):
    result = check_relation(law, shrink=False)
    assert result.status != "unchecked", str(result)
    return result.status == "failed"


def test_there_are_many_and_none_twice():
    assert len(WRONG) >= 60
    assert len({law.name for law in MUTANTS}) == len(MUTANTS)


def test_most_are_killed(survivors):
    assert len(survivors) <= 0.05 * len(WRONG), survivors


def test_the_survivors_are_known_and_explained(survivors):
    assert sorted(survivors) == sorted(SURVIVORS)
    assert all(SURVIVORS.values())


@pytest.mark.parametrize("name", EQUIVALENT)
def test_true_laws_among_them_pass(name):
    (law,) = [m for m in MUTANTS if m.name == name]
    assert check_relation(law).passed
