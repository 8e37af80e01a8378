"""A small plot of losses in a terminal: both axes logarithmic, a letter for each curve."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 64, 11


def plot(curves: Mapping[str, NDArray[np.float64]], marks: Mapping[str, str]) -> list[str]:
    """Return the lines of a plot.

    Parameters
    ----------
    curves
        For each name the losses of step 0, 1, 2, ...; what is not positive and finite is left out.
    marks
        The character that stands for each.
    """
    length = max(len(losses) for losses in curves.values())
    steps = _steps(length)
    shown = {name: losses[steps[steps < len(losses)]] for name, losses in curves.items()}
    seen = np.concatenate([v[np.isfinite(v) & (v > 0)] for v in shown.values()])
    if not seen.size:
        return []
    least, most = math.log10(seen.min()), math.log10(seen.max())
    span = most - least or 1.0
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for name, losses in reversed(shown.items()):  # the first one stays where they meet
        for column, loss in enumerate(losses):
            if math.isfinite(loss) and loss > 0:
                height = round((math.log10(loss) - least) / span * (HEIGHT - 1))
                rows[HEIGHT - 1 - height][column] = marks[name]
    labels = {0: f"{seen.max():.3g}", HEIGHT - 1: f"{seen.min():.3g}"}
    lines = [f"{labels.get(i, ''):>9} | {''.join(row).rstrip()}" for i, row in enumerate(rows)]
    return [*lines, " " * 10 + "+" + "-" * (WIDTH + 1), " " * 12 + _ticks(steps)]


def _steps(length: int) -> NDArray[np.int64]:
    """Return the step of each column: as many of the first ones as of the last ones."""
    spaced = np.logspace(0, math.log10(max(length, 2)), WIDTH)
    return np.minimum(spaced.round().astype(np.int64) - 1, length - 1)


def _ticks(steps: NDArray[np.int64]) -> str:
    """Return the line that names some steps below their columns."""
    line = [" "] * (WIDTH + 6)
    line[:6] = "step 0"
    free = 8
    for step in (10**k for k in range(1, 10)):
        columns = np.flatnonzero(steps >= step)
        if columns.size and columns[0] >= free:
            text = str(step)
            line[columns[0] : columns[0] + len(text)] = text
            free = columns[0] + len(text) + 2
    return "".join(line).rstrip()
