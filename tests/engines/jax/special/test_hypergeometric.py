"""Hypergeometric functions agree with mpmath's; SciPy's U has few digits in many places."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from mpmath import mp

from relgraph.engines.jax.special.hypergeometric import HYPERGEOMETRIC
from tests.engines.jax.special.agreement import Case, compare, named


def _polynomial(a: Any, b: Any, x: Any) -> Any:
    n = int(-a)
    terms = [mp.binomial(n, k) * mp.rf(b + k, n - k) * (-x) ** k for k in range(n + 1)]
    return (-1) ** n * mp.fsum(terms)


def _wright(a: Any, b: Any, x: Any) -> Any:
    return mp.fsum(x**k * mp.rgamma(k + 1) * mp.rgamma(a * k + b) for k in range(1500))


def _log_wright(a: Any, b: Any, x: Any) -> Any:
    return mp.log(_wright(a, b, x))


WRIGHT = [
    (0.0, 0.5, 1.0, 5.0, -1.0),
    (0.0, 1e-3, 1.0, 2.5, nan),
    (0.0, 1e-3, 1.0, 20.0, 300.0, inf),
]
# Where SciPy takes another branch it has three digits, or none.
HARD = [(0.5, 1.0), (10.0, 100.0), (1e4,)]

CASES = [
    Case(
        "hyperu",
        [(0.3, 1.5, 2.5, 30.0), (-10.0, 0.5, 1.0, 2.0, 5.5), (0.1, 2.0, 30.0)],
        truth=mp.hyperu,
    ),
    Case(
        "hyperu", [(-0.5, -3.3, -20.3), (-3.5, 0.0, 1.1, 20.0), (1e-6, 0.1, 5.0)], truth=mp.hyperu
    ),
    Case("hyperu", [(-10.5, 0.3), (5.5, 20.0, -30.5), (1e-6, 1.0, 50.0)], truth=mp.hyperu),
    Case(
        "hyperu", [(0.0, -1.0, -7.0, -30.0), (-9.5, 1.0, 20.0), (0.0, 0.1, 30.0)], truth=_polynomial
    ),
    Case("hyperu", [(0.5, 1.0, nan), (-2.0, 0.5, 1.0, 2.5), (0.0, -1.0, nan)]),
    Case("hyperu", [(0.5,), (0.5,), (inf,)], truth=lambda a, b, x: mp.mpf(0)),
    Case("wright_bessel", WRIGHT),
    Case("wright_bessel", HARD, truth=_wright),
    # SciPy takes the logarithm of a number near 1.
    Case("log_wright_bessel", WRIGHT, envelope=lambda a, b, x: 1e-3 + 0 * x),
    Case("log_wright_bessel", HARD, truth=_log_wright),
    Case("log_wright_bessel", [(0.5,), (2.0,), (1e-8,)], truth=_log_wright),
]


def test_doubles() -> None:
    compare(HYPERGEOMETRIC, named(CASES, "hyperu log_wright_bessel"))
