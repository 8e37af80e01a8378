"""Stabilizing laws make no expression worse that stands around their left sides."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.notation import algebra
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


def test_a_rounding_that_cancels_is_left_alone() -> None:
    """``log(u) * x / (u - 1)`` with the rounded ``u = 1 + x`` is right to the last digits."""
    x = at.dvector("x")
    u, v = 1 + x, x + at.sqrt(1 + at.sqr(x))
    for by_hand in (at.log(u) * x / (u - 1), at.log(1 - x) * x / (1 - (1 - x))):
        kept = optimize_graph(by_hand, include=["stabilization"], clone=True)
        assert "log1p" not in algebra(kept)
        best = optimize_graph(by_hand, include=["fast_run"], clone=True)
        measured = errors(Composition("log1p", by_hand, {x: (50,)}), best, 1, 30, 1500)
        assert measured is not None and measured.mine < 2
    for by_hand, better in (
        (at.log(v) / (1 - v), "arcsinh"),
        (1 - 1 / at.sqr(x) + at.log(1 / at.sqr(x)), "-log"),
        (1 - at.prod(at.exp(x)) + at.log(at.prod(at.exp(x))), "sum"),
    ):
        kept = optimize_graph(by_hand, include=["stabilization"], clone=True)
        assert better not in algebra(kept)


def test_the_measure_sees_a_formula_that_is_worse() -> None:
    x = at.dvector("x")
    good, bad = at.log1p(x), at.log(1 + x)
    measured = errors(Composition("none", good, {x: (50,)}), bad, 1, 30, 1500)
    assert measured is not None and measured.mine > measured.naive + 5
    assert measured.worse()
