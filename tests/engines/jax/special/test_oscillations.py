"""Modified Fresnel integrals, Mathieu's values and parabolic cylinder functions agree with
SciPy's, and with mpmath's where SciPy's have no digits."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from mpmath import mp

from relgraph.engines.jax.special.oscillations import OSCILLATIONS
from tests.engines.jax.special.agreement import Case, compare

ORDERS = (0, 1, 2, 3, 4, 5, 7, 10)
FROM_ZERO = (0.0, 1e-300, 1e-5, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 8.6, 8.8, 20.0, nan)
DEGREES = (0.0, 0.3, 1.0, 2.0, 3.7, 5.0, -0.2, -0.5, -1.0, -1.5, -2.0, -3.0, -10.0)
SMALL = (0.0, 1e-5, 0.3, 1.0, 2.0, -1e-5, -0.3, -1.0, -2.0)
WITHIN_FIVE = (0.0, 1e-5, 1.0, 2.0, 5.0, 5.1, -1e-5, -1.0, -2.0, -5.0, nan, inf)


def _two_to_half(v: Any, x: Any) -> Any:
    """Some rounding of what is 0 at 0."""
    return np.where(x == 0, 1e-3, 0.0)


def _fresnel(x: Any) -> Any:
    turn = mp.expjpi(0.25)
    return mp.sqrt(mp.pi) / 2 * turn * mp.erfc(x / turn)


def _whole(x: Any) -> Any:
    return (x < 0) * mp.sqrt(mp.pi) * mp.expjpi(0.25)


def _eigenvalue(s: Any, q: Any) -> Any:
    """DLMF 28.8.1, for a large parameter."""
    h = mp.sqrt(q)
    low = -2 * q + 2 * s * h - (s**2 + 1) / 8 - (s**3 + 3 * s) / (2**7 * h)
    low -= (5 * s**4 + 34 * s**2 + 9) / (2**12 * q)
    low -= (33 * s**5 + 410 * s**3 + 405 * s) / (2**17 * q * h)
    return low - (63 * s**6 + 1260 * s**4 + 2943 * s**2 + 486) / (2**20 * q * q)


CASES = [
    Case("modfresnelp.0", [FROM_ZERO]),
    Case("modfresnelp.1", [FROM_ZERO]),
    Case("modfresnelm.0", [FROM_ZERO]),
    Case("modfresnelm.1", [FROM_ZERO]),
    # SciPy takes other eigenvalues where the parameter is large beside the order.
    Case("mathieu_a", [(*map(float, ORDERS), -1.0, 0.5), (0.0, 1e-3, 0.1, 1.0, 10.0, 25.0, -5.0)]),
    Case("mathieu_b", [(*map(float, ORDERS), -1.0, 0.5), (0.0, 1e-3, 0.1, 1.0, 10.0, 25.0, -5.0)]),
    Case("pbdv.0", [DEGREES[:-1], SMALL]),
    Case("pbdv.1", [DEGREES, SMALL]),
    Case("pbvv.0", [DEGREES, SMALL], envelope=_two_to_half),
    Case("pbvv.1", [DEGREES, SMALL], envelope=_two_to_half),
    # Of SciPy's series nine digits are left at (5, 5).
    Case("pbwa.0", [WITHIN_FIVE, WITHIN_FIVE], within=2e-9),
    Case("pbwa.1", [WITHIN_FIVE, WITHIN_FIVE], within=2e-9),
    # Where SciPy's values are others.
    Case("modfresnelp.0", [(-0.4, -1.8, -20.0, 100.0)], truth=_fresnel),
    Case("modfresnelm.0", [(-0.4, -1.8, -20.0, 100.0)], truth=lambda x: mp.conj(_fresnel(x))),
    Case(
        "modfresnelp.0", [(-inf, inf)], truth=lambda x: (x < 0) * mp.sqrt(mp.pi) * mp.expjpi(0.25)
    ),
    Case("mathieu_a", [(0.0, 1.0, 2.0), (1e4,)], truth=lambda m, q: _eigenvalue(2 * m + 1, q)),
    Case("mathieu_b", [(1.0, 2.0, 3.0), (1e4,)], truth=lambda m, q: _eigenvalue(2 * m - 1, q)),
    Case("pbdv.0", [(20.3, 50.0, -10.0, -50.0), (-20.0, -1.0, 2.0, 20.0)], truth=mp.pcfd),
    Case("pbvv.0", [(2.0, 20.3), (-20.0, -5.0, 15.0)], truth=lambda v, x: mp.pcfv(-v - 0.5, x)),
    Case("pbwa.0", [(5.0, 2.5), (5.0, 4.0, 3.0, -5.0)], truth=mp.pcfw),
]


def test_doubles() -> None:
    compare(OSCILLATIONS, CASES)
