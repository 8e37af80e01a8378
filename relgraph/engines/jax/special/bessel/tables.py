"""Polynomials in pieces: the parts of functions that are tabulated in ``tables.csv``.

They interpolate values by mpmath: ``tests/engines/jax/special/bessel/write_tables.py`` has written
them.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

_FILE = Path(__file__).with_name("tables.csv")


class Table(NamedTuple):
    """A function between `low` and `high`: a row of coefficients for each of some equal pieces."""

    low: float
    high: float
    coefficients: Any

    def __call__(self, x: Any) -> Any:
        """Return the function's value; of what is outside, that of the bound."""
        pieces = len(self.coefficients)
        place = (jnp.clip(x, self.low, self.high) - self.low) * (pieces / (self.high - self.low))
        piece = jnp.minimum(jnp.floor(place), pieces - 1)
        t = 2 * (place - piece) - 1
        at = piece.astype("int32")
        total = jnp.zeros_like(x)
        for column in self.coefficients.T[::-1]:
            total = total * t + (column[0] if pieces == 1 else jnp.asarray(column, x.dtype)[at])
        return total


def table(name: str) -> Table:
    """Return a function by its name."""
    return _tables()[name]


@cache
def _tables() -> dict[str, Table]:
    rows: dict[str, list[list[float]]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        name, *numbers = line.split(",")
        rows.setdefault(name, []).append([float(x) for x in numbers])
    return {
        name: Table(found[0][0], found[-1][1], np.array(found)[:, 2:])
        for name, found in rows.items()
    }


def wave(name: str, angle: Any, y: Any) -> tuple[Any, Any]:
    """Return the parts of ``exp(i * (angle - pi / 4))`` times a tabulated function of `y`."""
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    real, imag = table(f"{name}.re")(y), table(f"{name}.im")(y)
    along, across = (cos + sin) * math.sqrt(0.5), (sin - cos) * math.sqrt(0.5)
    return along * real - across * imag, across * real + along * imag


def reciprocal(x: Any) -> Any:
    """Return ``1 / x``, and 1 at 0."""
    return 1 / jnp.where(x == 0, 1.0, x)


def log_half(x: Any) -> Any:
    """Return ``log(x / 2)``, which is infinite at 0 and nan below."""
    return jnp.log(x) - math.log(2)


def times_log_half(factor: Any, x: Any) -> Any:
    """Return a product with ``log(x / 2)`` that is 0 at 0, where the factor is."""
    return jnp.where(x == 0, 0.0, factor * log_half(x))
