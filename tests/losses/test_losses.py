"""Values and gradients of naive losses are right to ten units of rounding times the condition.

That is so for all but those in `NOT_RIGHT`, the list of which is exact: one that gets right goes
from it. None is worse than without rewriting, but for those in `WORSE`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from relgraph import config
from relgraph.compile import Mode
from tests.losses import LOSSES
from tests.losses.judge import Error, errors
from tests.losses.loss import Loss
from tests.losses.truth import Truth, written

# Of ninety losses, so many are to be right.
GOAL = 85

NOT_RIGHT = {
    "tanh by exponentials": "the slope stays 1 - t * t where the value needs the tanh t anyway: a "
    "network would pay for the digits that this loses where the slope is below 1e-16",
    "dice": "1 - a / b cancels: what is left is a sum over 1 - p and 1 - y, and no law spreads it",
    "contrastive": "the slope 1 - p of a label cancels; to sum the others would be another pass in "
    "the gradient of every network that has labels",
    "contrastive by sums": "the same slope",
    "exp less 1, over x": "the value is right, and two terms of the slope cancel",
}
WORSE: dict[str, str] = {}
IDS = [loss.name for loss in LOSSES]


@cache
def truths() -> dict[str, list[dict[str, Any]]]:
    return written()


@cache
def found(name: str, plain: bool) -> list[Error]:
    (loss,) = (loss for loss in LOSSES if loss.name == name)
    with config.change_flags(check_costs=True):
        return errors(loss, truths()[name], Mode("py", None) if plain else None)


def test_there_are_ninety() -> None:
    assert len(set(IDS)) == len(LOSSES) == 90
    assert {name: len(entries) for name, entries in truths().items()} == {
        loss.name: len(loss.points) for loss in LOSSES
    }
    assert all(math.isfinite(entry["value"]) for entries in truths().values() for entry in entries)


@pytest.mark.parametrize("name", IDS)
def test_value_and_gradient_are_right(name: str) -> None:
    wrong = [error for error in found(name, False) if not error.right]
    if name in NOT_RIGHT:
        assert wrong, f"{name} is right now: take it from NOT_RIGHT"
    else:
        assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", IDS)
def test_none_is_worse_than_without_rewriting(name: str) -> None:
    pairs = zip(found(name, False), found(name, True), strict=True)
    worse = [f"{a}; without rewriting {b.found!r}" for a, b in pairs if a.worse_than(b)]
    if name in WORSE:
        assert worse, f"{name} is no worse now: take it from WORSE"
    else:
        assert not worse, "\n".join(worse)


def test_enough_are_right() -> None:
    assert len(LOSSES) - len(NOT_RIGHT) >= GOAL


@pytest.mark.parametrize(
    "name",
    [
        *("softplus", "log of one less exp", "log of one less a sigmoid"),
        *("norm", "variance by two moments", "Gaussian"),
    ],
)
def test_what_is_written_down_is_true(name: str) -> None:
    (loss,) = (loss for loss in LOSSES if loss.name == name)
    assert [Truth(loss, point).kept() for point in loss.points] == truths()[name]


def _logistic(x: float) -> Loss:
    return Loss("by hand", lambda m, v: m.sum(m.log(1 + m.exp(v))), (([x],),))


def test_errors_are_told_from_what_rounds() -> None:
    exact = {"value": 1000.0, "condition": 1000.0, "gradient": [1.0], "conditions": [0.0]}
    plain = errors(_logistic(1000.0), [exact], Mode("py", None))
    stable = errors(_logistic(1000.0), [exact], Mode(optimizer="stabilize"))
    # the gradient is of what was stabilized, even where nothing is rewritten after that
    assert [e.right for e in plain] == [False, True]
    assert [e.right for e in stable] == [True, True]
    assert plain[0].worse_than(stable[0]) and not stable[0].worse_than(plain[0])
