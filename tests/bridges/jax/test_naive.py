"""Naive JAX functions are right when they are rewritten, in value and gradient; none is worse.

A part of them is tried here; ``python -m tests.bridges.jax.naive`` tries all, and says how many are
right. `NOT_RIGHT` has those that are not, which that prints too.
"""

from __future__ import annotations

import pytest

from tests.bridges.jax.naive import FUNCTIONS
from tests.bridges.jax.naive.formula import Naive
from tests.bridges.jax.naive.report import outcome
from tests.bridges.jax.naive.truth import truth, written

# Of fifty functions, so many are to be right.
GOAL = 45

NOT_RIGHT = {
    "contrastive loss": "the slope 1 - p of a label cancels, to twelve digits",
    "exp less one, over x": "the value is right, and two terms of the slope cancel",
}
# Some of every page, in both precisions, and with matrices.
TRIED = (
    *("log of a sigmoid, single", "focal loss", "log-sum-exp", "cross-entropy of labels"),
    *("Gaussian likelihood as a product", "Poisson likelihood", "variance by two moments"),
    *("log of a difference of exponentials", "log of a determinant"),
)


def named(name: str) -> Naive:
    (found,) = (f for f in FUNCTIONS if f.name == name)
    return found


def test_there_are_fifty_with_true_values() -> None:
    points = {f.name: len(f.points) for f in FUNCTIONS}
    assert len(points) == len(FUNCTIONS) == 50
    assert {name: len(entries) for name, entries in written().items()} == points
    assert len(FUNCTIONS) - len(NOT_RIGHT) >= GOAL and NOT_RIGHT.keys() < points.keys()


@pytest.mark.parametrize("name", TRIED)
def test_it_is_right_when_it_is_rewritten(name: str) -> None:
    found = outcome(named(name), written())
    assert found.rescued and not found.worse, str(found)


def test_what_is_not_right_is_no_worse() -> None:
    found = outcome(named("contrastive loss"), written())
    assert len(found.wrong) < found.naive and not found.worse, str(found)


def test_what_is_written_down_is_true() -> None:
    function = named("softplus")
    assert [truth(function, point) for point in function.points] == written()["softplus"]
