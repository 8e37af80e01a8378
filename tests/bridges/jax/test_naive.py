"""Naive losses on JAX are right when they are rewritten, in value and gradient; none is worse.

A part of them is tried here; ``python -m tests.bridges.jax.naive`` tries all, and says how many are
right. `NOT_RIGHT` has those that are not, which that prints too.
"""

from __future__ import annotations

import pytest

from tests.bridges.jax.naive import outcome
from tests.losses import LOSSES
from tests.losses.test_losses import NOT_RIGHT as NOT_RIGHT_HERE
from tests.losses.test_losses import truths

NOT_RIGHT = {
    **NOT_RIGHT_HERE,
    "softmax's first": "the column is taken of its parts before these are known as a softmax",
    "Student's t": "the slope of JAX's gammaln is off by a few units more",
}
BY_NAME = {loss.name: loss for loss in LOSSES}
# Some of every page, in both precisions, and with matrices.
TRIED = (
    *("log sigmoid, single", "focal", "log-sum-exp", "cross-entropy of what is picked"),
    *("Gaussian by a product", "Poisson by powers", "variance by two moments"),
    *("log of a difference of exponentials", "log-determinant"),
)


@pytest.mark.parametrize("name", TRIED)
def test_it_is_right_when_it_is_rewritten(name: str) -> None:
    found = outcome(BY_NAME[name], truths())
    assert found.rescued and not found.worse, str(found)


def test_what_is_not_right_is_no_worse() -> None:
    assert NOT_RIGHT.keys() < BY_NAME.keys()
    found = outcome(BY_NAME["contrastive by sums"], truths())
    assert 0 < len(found.wrong) < found.naive and not found.worse, str(found)
