"""The plot of the demonstration."""

import numpy as np
import pytest

from relgraph.demo.cli import HEIGHT, WIDTH, plot


def rows(lines: list[str]) -> list[str]:
    return [line[12:] for line in lines[:HEIGHT]]


def test_a_falling_curve() -> None:
    lines = plot({"a": 1 / np.arange(1.0, 1001.0)}, {"a": "*"})
    found = rows(lines)
    assert lines[0].split()[0] == "1" and lines[HEIGHT - 1].split()[0] == "0.001"
    assert found[0].startswith("*") and found[-1].rstrip().endswith("*")
    places = [row.find("*") for row in found]
    assert places == sorted(places) and max(row.rfind("*") for row in found) == WIDTH - 1
    assert lines[-1].split() == ["step", "0", "10", "100", "1000"] or "100" in lines[-1]


def test_where_a_curve_ends_nothing_is_drawn() -> None:
    curve = np.array([1.0, 2.0, np.nan, np.inf, -1.0, 0.0])
    found = "".join(rows(plot({"a": curve, "b": np.ones(6)}, {"a": "x", "b": "o"})))
    assert set(found) == {"x", "o", " "}
    both = rows(plot({"a": curve, "b": np.ones(6)}, {"a": "x", "b": "o"}))
    assert max(row.rfind("x") for row in both) <= WIDTH / 2 < max(row.rfind("o") for row in both)


@pytest.mark.parametrize("curve", [[2.0], [2.0, 2.0], [np.nan, 3.0], [1e-300, 1e300]])
def test_short_and_flat_curves(curve: list[float]) -> None:
    lines = plot({"a": np.array(curve)}, {"a": "*"})
    assert len(lines) == HEIGHT + 2 and "*" in "".join(lines)


def test_nothing_to_draw() -> None:
    assert plot({"a": np.array([np.nan, np.inf])}, {"a": "*"}) == []
