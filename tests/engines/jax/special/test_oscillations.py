"""Modified Fresnel integrals, Mathieu's values and parabolic cylinder functions agree with
SciPy's, and with mpmath's where SciPy's have no digits."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from mpmath import mp

from relgraph.engines.jax.special.oscillations import OSCILLATIONS
from tests.engines.jax.special.agreement import Case, compare, named

ORDERS = (0, 1, 2, 3, 4, 5, 7, 10)
FROM_ZERO = (0.0, 1e-300, 1e-5, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 8.6, 8.8, 20.0, nan)
DEGREES = (0.0, 0.3, 1.0, 2.0, 3.7, 5.0, -0.2, -0.5, -1.0, -1.5, -2.0, -3.0)
SMALL = (0.0, 1e-5, 0.3, 1.0, 2.0, -1e-5, -0.3, -1.0, -2.0)
WITHIN_FIVE = (0.0, 1e-5, 1.0, 2.0, 5.0, 5.1, -1e-5, -1.0, -2.0, -5.0, nan, inf)


def _rounding_at_zero(v: Any, x: Any) -> Any:
    """What SciPy has for some values that are 0."""
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


def _decaying_slope(v: Any, x: Any) -> Any:
    return v * mp.pcfd(v - 1, x) - x / 2 * mp.pcfd(v, x)


def _growing(v: Any, x: Any) -> Any:
    return mp.pcfv(-v - 0.5, x)


def _slope(function: Any) -> Any:
    return lambda a, x: mp.diff(lambda y: function(a, y), x)


def _conjugate(function: Any) -> Any:
    return lambda x: mp.conj(function(x))


LEFT = [(-0.4, -1.8, -20.0, 100.0)]
ENDS = [(-inf, inf)]
OF_D = [(20.3, 50.0, -10.0, -50.0), (-20.0, -1.0, 2.0, 20.0)]
OF_V = [(2.0, 20.3), (-20.0, -5.0, 15.0)]
OF_W = [(5.0, 2.5), (5.0, 4.0, 3.0, -5.0)]
MATHIEU = [(*map(float, ORDERS), -1.0, 0.5), (0.0, 1e-3, 0.1, 1.0, 10.0, 25.0, -5.0)]

# What follows the cases of SciPy's are points at which its values are others.
CASES = [
    Case("modfresnelp.0", [FROM_ZERO]),
    Case("modfresnelp.0", LEFT, truth=_fresnel),
    Case("modfresnelp.0", ENDS, truth=_whole),
    Case("modfresnelm.0", [FROM_ZERO]),
    Case("modfresnelm.0", LEFT, truth=_conjugate(_fresnel)),
    Case("modfresnelm.0", ENDS, truth=_conjugate(_whole)),
    Case("modfresnelp.1", [FROM_ZERO]),
    Case("modfresnelm.1", [FROM_ZERO]),
    Case("mathieu_a", MATHIEU),
    Case("mathieu_a", [(0.0, 1.0, 2.0), (1e4,)], truth=lambda m, q: _eigenvalue(2 * m + 1, q)),
    Case("mathieu_b", MATHIEU),
    Case("mathieu_b", [(1.0, 2.0, 3.0), (1e4,)], truth=lambda m, q: _eigenvalue(2 * m - 1, q)),
    Case("pbdv.0", [DEGREES, SMALL]),
    Case("pbdv.0", OF_D, truth=mp.pcfd),
    Case("pbdv.1", [DEGREES, SMALL]),
    Case("pbdv.1", OF_D, truth=_decaying_slope),
    Case("pbvv.0", [DEGREES, SMALL], envelope=_rounding_at_zero),
    Case("pbvv.0", OF_V, truth=_growing),
    Case("pbvv.1", [DEGREES, SMALL], envelope=_rounding_at_zero),
    Case("pbvv.1", OF_V, truth=_slope(_growing)),
    # Of SciPy's series nine digits are left at (5, 5).
    Case("pbwa.0", [WITHIN_FIVE, WITHIN_FIVE], within=2e-9),
    Case("pbwa.0", OF_W, truth=mp.pcfw),
    Case("pbwa.1", [WITHIN_FIVE, WITHIN_FIVE], within=2e-9),
    Case("pbwa.1", OF_W, truth=_slope(mp.pcfw)),
]


IN_SUITE = "modfresnelp.0 modfresnelm.1 mathieu_a pbdv.0 pbdv.1 pbwa.0"


def test_doubles() -> None:
    compare(OSCILLATIONS, named(CASES, IN_SUITE))
