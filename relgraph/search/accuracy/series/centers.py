"""Places near which an expression loses bits in all of its forms: where a series may help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from relgraph.search.accuracy.expressions import (
    INPUT,
    NUMBER,
    Expr,
    apply,
    as_float,
    named,
    number,
    parts,
)
from relgraph.search.accuracy.truth.settling import Known

_GREAT = 3.0
"""Bits of error of a point that asks for a series."""

_FEW, _NEAREST = 3, 24
"""How many such points there are at least, and how many points are looked at around a place."""

_SHARE = 0.6
"""Which part of those around a place has to be bad."""

_MOST = 3

_PI = number("pi")
NUMBERS = (
    *(number(Fraction(n, d)) for n, d in ((1, 1), (2, 1), (1, 2), (3, 1), (10, 1))),
    _PI,
    *(apply("true_div", _PI, number(n)) for n in (2, 3, 4, 6)),
    number("e"),
)
"""Where formulas have their poles and zeros, as a rule; on either side of zero."""


def centers(expr: Expr, known: Known, errors: Any) -> list[tuple[str, Expr]]:
    """Return places around which the points are bad: an input, and the number or the other input
    that it is near to there.

    Parameters
    ----------
    errors
        The bits of error of the best form at each point.
    """
    bad = errors > _GREAT
    if bad.sum() < _FEW:
        return []
    found: list[tuple[float, str, Expr]] = []
    for name, column in known.inputs.items():
        for center in dict.fromkeys(_places(expr, name, known, column[bad])):
            share = _share(column, _values(center, known), bad)
            if share >= _SHARE:
                found.append((share, name, center))
    found.sort(key=lambda f: (-f[0], f[2].size))
    return [(name, center) for _, name, center in found[:_MOST]]


def _share(column: Any, center: Any, bad: Any) -> float:
    """Return which part of the points nearest to a center is bad."""
    with np.errstate(all="ignore"):
        distance = np.abs(column.astype(float) - center) / np.abs(center)
    count = min(int(bad.sum()), _NEAREST)
    nearest = np.argsort(np.where(np.isnan(distance), np.inf, distance), kind="stable")[:count]
    # a center in whose neighborhood there are no points says nothing
    close = bad & (distance < 1)
    return float(close[nearest].mean())


def _places(expr: Expr, name: str, known: Known, values: Any) -> Iterator[Expr]:
    for other in known.inputs:
        if other != name:
            yield from _on_both_sides([named(other)])
    own = [e for e in parts(expr) if e.op is NUMBER and isinstance(e.value, Fraction) and e.value]
    yield from _on_both_sides([*NUMBERS, *own])
    # the middle of them, as a short decimal
    middle = float(np.median(values.astype(float)))
    if middle and np.isfinite(middle):
        yield number(Fraction(f"{middle:.2g}"))


def _on_both_sides(exprs: Iterable[Expr]) -> Iterator[Expr]:
    for e in exprs:
        yield e
        yield number(-e.value) if isinstance(e.value, Fraction) else apply("neg", e)


def _values(center: Expr, known: Known) -> Any:
    """Return what a center is at each point."""
    if center.op is INPUT:
        return known.inputs[center.value].astype(float)
    if center.op is NUMBER:
        return np.float64(as_float(center.value))
    args = [_values(a, known) for a in center.args]
    return -args[0] if center.op == "neg" else args[0] / args[1]
