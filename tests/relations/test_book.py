"""Each law in the book keeps what its class says."""

from __future__ import annotations

import pytest

import relations
from relgraph.graph.kanren.relations import Relation
from relgraph.testing import check_relation
from relgraph.testing.discovery import discover_laws
from tests.seeds import seed_of

BOOK = discover_laws()

# Enough for a first look at most laws; `relgraph check --examples 500` looks closer.
FEW = 24


@pytest.mark.parametrize("law", BOOK.values(), ids=list(BOOK))
def test_laws(law: Relation) -> None:
    result = check_relation(law, FEW, seed_of("book", law.name), shrink=False)
    if result.status == "unchecked":
        # so few may all be such that the class claims nothing
        result = check_relation(law, seed=seed_of("book again", law.name), shrink=False)
    assert result.passed, str(result)


def phases():
    return (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)


def test_phases_hold_laws_of_the_book():
    for phase in phases():
        assert phase
        for law in phase:
            assert isinstance(law, Relation)
            assert BOOK[law.name] is law
