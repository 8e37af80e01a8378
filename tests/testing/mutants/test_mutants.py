"""The checker kills wrong laws."""

from __future__ import annotations

import pytest

from relgraph.testing import check_relation
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import BY_HAND, EQUIVALENT, SURVIVORS, every_edit, sample

MUTANTS = [*sample(), *BY_HAND]


@pytest.fixture(scope="module")
def statuses():
    """What comes of the check of each edit with the default number of examples."""
    return {law.name: check_relation(law, shrink=False).status for law in MUTANTS}


def test_none_is_there_twice():
    assert len({law.name for law in MUTANTS}) == len(MUTANTS) > 100
    assert every_edit().keys() > WHERE.keys()


def test_nearly_all_are_killed(statuses):
    wrong = statuses.keys() - EQUIVALENT.keys()
    survivors = sorted(name for name in wrong if statuses[name] != "failed")
    assert survivors == sorted(SURVIVORS)
    assert len(survivors) <= 0.01 * len(wrong)


def test_true_laws_among_them_pass(statuses):
    """What is called equivalent is in the sample, and has not been killed since."""
    killed = [name for name in EQUIVALENT if statuses[name] == "failed"]
    assert killed == []
