"""Values and gradients of naive losses are right to ten units of rounding times the condition.

That is so for all but those in `NOT_RIGHT`, the list of which is exact: one that gets right goes
from it. None is worse than without rewriting, but for those in `WORSE`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from relgraph.compile import Mode
from tests.losses import LOSSES
from tests.losses.judge import Error, errors
from tests.losses.loss import Loss
from tests.losses.truth import Truth, written

# Of sixty losses, so many are to be right.
GOAL = 57

_SUMMED = "softmax's value is recognized and its gradient is not, nor its logarithm past an index"
_PRODUCT = "the logarithm of a product is not taken apart, and the product under- or overflows"
_SQUARES = "squares over- or underflow; no law scales them"
_MOMENTS = "differences of moments cancel; no law makes a variance of them"

NOT_RIGHT = {
    "tanh by exponentials": "the slope stays 1 - t * t where the value needs the tanh t anyway",
    "dice": "1 - a / b cancels",
    "softmax's first": _SUMMED,
    "KL of two softmaxes": _SUMMED,
    "Jensen-Shannon": _SUMMED,
    "contrastive": _SUMMED,
    "Gaussian": _PRODUCT,
    "Laplace": _PRODUCT,
    "logistic": _PRODUCT,
    "Gumbel": _PRODUCT,
    "Weibull": _PRODUCT,
    "Student's t": _SQUARES,
    "gamma": _PRODUCT,
    "beta": _PRODUCT,
    "Bernoulli by a product": _PRODUCT,
    "norm": _SQUARES,
    "cosine similarity": _SQUARES,
    "variance by two moments": _MOMENTS,
    "correlation by moments": _MOMENTS,
    "pseudo-Huber": "sqrt(1 + r²) - 1 cancels, and r² overflows",
    "log-determinant of two by two": "a * d overflows; nothing scales it",
    "explained variance of a direction": _SQUARES,
}
WORSE: dict[str, str] = {}
IDS = [loss.name for loss in LOSSES]


@cache
def truths() -> dict[str, list[dict[str, Any]]]:
    return written()


@cache
def found(name: str, plain: bool) -> list[Error]:
    (loss,) = (loss for loss in LOSSES if loss.name == name)
    return errors(loss, truths()[name], Mode("py", None) if plain else None)


def test_there_are_sixty() -> None:
    assert len(set(IDS)) == len(LOSSES) == 60
    assert {name: len(entries) for name, entries in truths().items()} == {
        loss.name: len(loss.points) for loss in LOSSES
    }


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


@pytest.mark.xfail(strict=True, reason=f"{len(NOT_RIGHT)} of 60 are not right yet")
def test_enough_are_right() -> None:
    assert len(LOSSES) - len(NOT_RIGHT) >= GOAL


@pytest.mark.parametrize(
    "name", ["softplus", "log of one less exp", "norm", "variance by two moments", "Gaussian"]
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
