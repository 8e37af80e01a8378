"""Each law in the book keeps what its class says."""

from __future__ import annotations

import pytest

import relations
from relgraph.graph.kanren.relations import Relation
from relgraph.testing import check_relation
from relgraph.testing.discovery import discover_laws
from tests.seeds import sampled, seed_of

BOOK = discover_laws()

FEW, MANY = 8, 400

AT_A_TIME = 20
"""How many laws the suite checks by plan; those that the seed draws."""


def passes(law: Relation, plan: bool) -> None:
    result = check_relation(law, FEW, seed_of("book", law.name), shrink=False, plan=plan)
    if result.status == "unchecked":
        # so few may all be such that the class claims nothing
        seed = seed_of("book again", law.name)
        result = check_relation(law, MANY, seed, shrink=False, plan=plan)
    assert result.passed, str(result)


@pytest.mark.parametrize("law", BOOK.values(), ids=list(BOOK))
def test_values(law: Relation) -> None:
    passes(law, plan=False)


@pytest.mark.parametrize("name", sampled(BOOK, AT_A_TIME, "laws by plan"))
def test_values_by_plan(name: str) -> None:
    """Each kind, rank, length, layout and edge value that the law admits."""
    passes(BOOK[name], plan=True)


def phases():
    return (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)


def test_phases_hold_laws_of_the_book():
    for phase in phases():
        assert phase
        for law in phase:
            assert isinstance(law, Relation)
            assert BOOK[law.name] is law
