"""Each law in the book keeps what its class says."""

from __future__ import annotations

import relations
from relgraph.graph.kanren.relations import Relation
from relgraph.testing import law_tests
from relgraph.testing.discovery import discover_laws

BOOK = discover_laws()

# Enough for a first look at each law; `relgraph check --examples 500` looks closer.
test_laws = law_tests(BOOK, examples=24, shrink=False)


def phases():
    return (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)


def test_phases_hold_laws_of_the_book():
    for phase in phases():
        assert phase
        for law in phase:
            assert isinstance(law, Relation)
            assert BOOK[law.name] is law
