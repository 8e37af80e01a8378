"""Graphs to PyTensor and back."""

from __future__ import annotations

from collections import Counter

from tests.bridges.pytensor.campaign import campaign, examine_rewriter
from tests.seeds import seed_of


def test_random_graphs_have_the_same_values_in_pytensor_and_after_the_return() -> None:
    tally: Counter[str] = Counter()
    assert list(campaign(60, seed_of("there and back"), tally)) == []
    assert tally["back: to the bit"] >= 57
    assert tally["there: to the bit"] >= 55


def test_random_graphs_that_pytensor_rewrites_by_laws_have_the_same_values() -> None:
    tally: Counter[str] = Counter()
    assert list(campaign(30, seed_of("rewriter"), tally, examine_rewriter)) == []
    assert tally["rewriter: at rest after 1"] >= 15
