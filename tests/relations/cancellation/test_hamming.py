"""Hamming's formulas are right to a few digits, and none is worse than it was written."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.relations.cancellation.hamming import MODES, PROBLEMS, errors, points
from tests.seeds import seed_of

POINTS = 16
GOAL = 12.0


@cache
def table() -> dict[str, dict[str, float]]:
    return {problem.where: errors(problem, POINTS, seed_of("Hamming")) for problem in PROBLEMS}


def test_the_formulas_are_those_of_the_book() -> None:
    assert len(table()) == 28
    assert np.mean([means["None"] for means in table().values()]) > 30


@pytest.mark.parametrize("mode", MODES[1:])
def test_the_mean_error_is_small(mode: str) -> None:
    assert np.mean([means[mode] for means in table().values()]) < GOAL


@pytest.mark.parametrize("mode", MODES[1:])
def test_no_formula_gets_worse(mode: str) -> None:
    worse = [where for where, means in table().items() if means[mode] > means["None"] + 0.1]
    assert worse == []


def test_true_values_do_not_depend_on_what_cancels() -> None:
    """``sqrt(x + 1) - sqrt(x)`` is half of one by the root, where `x` is large."""
    (x,), truths = points(PROBLEMS[0], 16, seed_of("Hamming"))
    large = x > 1e10
    assert large.any()
    np.testing.assert_allclose(truths[large], 0.5 / np.sqrt(x[large]), rtol=1e-9)
