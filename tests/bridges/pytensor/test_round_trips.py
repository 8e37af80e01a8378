"""Graphs to PyTensor and back."""

from __future__ import annotations

from collections import Counter

from tests.bridges.pytensor.campaign import campaign


def test_random_graphs_have_the_same_values_in_pytensor_and_after_the_return() -> None:
    tally: Counter[str] = Counter()
    assert list(campaign(120, 0, tally)) == []
    assert tally["back: to the bit"] >= 115
    assert tally["there: to the bit"] >= 110
