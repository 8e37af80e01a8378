"""Places around which points are bad are seen by the points themselves."""

from __future__ import annotations

import numpy as np

from relgraph.search.accuracy.expansion import centers
from relgraph.search.accuracy.expressions import written
from relgraph.search.accuracy.formulas import parsed
from relgraph.search.accuracy.true_values import Known


def places(text: str, errors, **columns) -> list[str]:
    found = centers(parsed(text), Known(columns, np.ones(300), np.zeros(300)), errors)
    return [f"{name} = {written(center)}" for name, center in found]


def test_a_number() -> None:
    x = np.random.default_rng(0).uniform(2, 5, 300)
    assert places("sin(x) / (x - pi)", 10 * (abs(x - np.pi) < 0.1), x=x)[0] == "x = pi"
    # of the expression itself
    assert places("log(x / 4.25)", 10 * (abs(x - 4.25) < 0.1), x=x)[0] == "x = 4.25"


def test_another_input() -> None:
    x, y = np.random.default_rng(0).lognormal(0, 3, (2, 300))
    x[::4] = y[::4] * (1 + 1e-5)
    assert places("log(x) - log(y)", 10 * (np.arange(300) % 4 == 0), x=x, y=y)[0] == "x = y"


def test_points_all_over_are_no_place() -> None:
    rng = np.random.default_rng(0)
    x = rng.lognormal(0, 3, 300)
    assert places("sqrt(x + 1)", np.zeros(300), x=x) == []
    assert places("sqrt(x + 1)", 10 * (rng.random(300) < 0.2), x=x) == []
