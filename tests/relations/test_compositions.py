"""Stabilizing laws make no expression worse that stands around their left sides."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from tests.relations.compositions import SLIGHTLY, Composition, Found, changed_compositions, errors
from tests.seeds import seed_of

GRAPHS = 40
MORE_GRAPHS, SEEDS = 500, 20


def none_is_worse(found: Found) -> None:
    assert found.worse == []
    assert found.mean_growth < SLIGHTLY


def test_no_composition_gets_worse() -> None:
    found = changed_compositions(GRAPHS, seed_of("compositions"))
    assert found.changed > GRAPHS // 3
    none_is_worse(found)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_composition_gets_worse_at_any_seed(seed: int) -> None:
    none_is_worse(changed_compositions(MORE_GRAPHS, seed_of("compositions", seed)))


def test_the_measure_sees_a_formula_that_is_worse() -> None:
    x = at.dvector("x")
    good, bad = at.log1p(x), at.log(1 + x)
    measured = errors(Composition("none", good, {x: (50,)}), bad, 1, 30, 1500)
    assert measured is not None and measured.mine > measured.naive + 5
    assert measured.worse()
