"""Writes the polynomials of ``relgraph/engines/jax/special/bessel/tables.csv``.

``python -m tests.engines.jax.special.bessel.write_tables`` takes some minutes; with words of names
it says how well these are approximated, and writes nothing. A line of the file is one polynomial:
its name, the interval, and the coefficients by powers of a variable that runs from -1 to 1 there.
They interpolate values by mpmath in Chebyshev's points.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
from mpmath import mpf

import relgraph
from tests.engines.jax.special.bessel.tabulated import GROUPS

FILE = Path(relgraph.__file__).parent / "engines/jax/special/bessel/tables.csv"
DEGREE = 16


class Piece(NamedTuple):
    """The polynomials of one interval: several, where the function gives several values."""

    low: Any
    high: Any
    coefficients: list[list[Any]]
    errors: list[float]


def piece(function: Callable[[Any], tuple[Any, ...]], low: Any, high: Any) -> Piece:
    """Return the polynomials that interpolate a function's values, and their last terms' sizes."""
    count = DEGREE + 1
    angles = [mp.pi * (2 * k + 1) / (2 * count) for k in range(count)]
    middle, half = (low + high) / 2, (high - low) / 2
    rows = [function(middle + half * mp.cos(a)) for a in angles]
    coefficients, errors = [], []
    for values in zip(*rows, strict=True):
        by_chebyshev = [
            mp.fsum(f * mp.cos(n * a) for f, a in zip(values, angles, strict=True))
            * (1 if n == 0 else 2)
            / count
            for n in range(count)
        ]
        largest = max(map(abs, values))
        errors.append(float(max(map(abs, by_chebyshev[-2:])) / largest))
        coefficients.append(_by_powers(by_chebyshev))
    return Piece(low, high, coefficients, errors)


def _by_powers(by_chebyshev: list[Any]) -> list[Any]:
    """Return a sum of Chebyshev polynomials as coefficients of powers."""
    total = [mpf(0)] * len(by_chebyshev)
    before, now = [mpf(0)], [mpf(1)]
    for n, c in enumerate(by_chebyshev):
        for k, p in enumerate(now):
            total[k] += c * p
        following = [mpf(0), *[(1 if n == 0 else 2) * p for p in now]]
        for k, p in enumerate(before if n else []):
            following[k] -= p
        before, now = now, following
    return total


def lines(words: list[str]) -> Iterator[str]:
    """Yield the lines of the file, and print how good they are."""
    for group in GROUPS:
        if words and not any(word in name for word in words for name in group.names):
            continue
        width = (group.high - group.low) / group.pieces
        for k in range(group.pieces):
            low = group.low + k * width
            found = piece(group.function, low, low + width)
            print(group.names, f"{float(low):.3g}", *[f"{e:.0e}" for e in found.errors], flush=True)
            for name, row in zip(group.names, found.coefficients, strict=True):
                bounds = [float(found.low), float(found.high)]
                yield ",".join([name, *map(repr, bounds + [float(c) for c in row])])


if __name__ == "__main__":
    mp.mp.dps = 30
    written = list(lines(sys.argv[1:]))
    if not sys.argv[1:]:
        FILE.write_text("\n".join(written) + "\n", encoding="utf-8")
