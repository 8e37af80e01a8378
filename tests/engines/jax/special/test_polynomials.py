"""Orthogonal polynomials agree with SciPy's."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import scipy
from mpmath import mp

from relgraph.engines.jax.special.polynomials import POLYNOMIALS
from tests.engines.jax.special.agreement import Case, compare, named

INSIDE = (0.0, 1e-10, 0.1, 0.3, 0.5, 0.77, 0.9, 0.99, 0.999999, 1.0)
OUTSIDE = (1.001, 1.5, 2.0, 3.0, 10.0, 1e5)
POINTS = (*INSIDE, *OUTSIDE, *[-x for x in (*INSIDE, *OUTSIDE)], nan)
LINE = (0.0, 1e-10, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1e5)
DEGREES = (-3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 10, 11, 20, 33, 50)
PARAMETERS = (-0.9, -0.49, -0.3, 0.0, 1e-3, 0.5, 1.0, 2.5, 10.0, 30.0, nan)


def _within(low: float, high: float, size: float) -> Any:
    """Return an envelope that is constant in an interval, for the last argument."""
    return lambda *arguments: np.where((arguments[-1] >= low) & (arguments[-1] <= high), size, 0.0)


def _legendre(n: Any, x: Any) -> Any:
    """Bernstein's bound, within the interval."""
    height = np.sqrt(np.maximum(1 - x * x, 0))
    return np.where(np.abs(x) <= 1, 1 / np.sqrt(1 + np.abs(n) * height), 0.0)


def _near_middle(name: str) -> Any:
    """Return as envelope what neighbours reach in the middle of the interval, for both signs."""

    def envelope(n: Any, *arguments: Any) -> Any:
        *parameters, x = arguments
        function = getattr(scipy.special, name)
        middle = 0.0 * x + (0.5 if "_sh_" in name else 0.0)
        sizes = [np.abs(function(np.maximum(m, 0), *parameters, middle)) for m in (n, n + 1)]
        return np.maximum(*sizes)

    return envelope


CASES = [
    Case("eval_chebyt", [DEGREES, POINTS], envelope=_within(-1, 1, 1.0)),
    Case("eval_chebyc", [DEGREES, POINTS], envelope=_within(-2, 2, 2.0)),
    Case("eval_sh_chebyt", [DEGREES, POINTS], envelope=_within(0, 1, 1.0)),
    # What SciPy has for nan is 0.
    Case(
        "eval_chebyu",
        [DEGREES, POINTS],
        envelope=_within(-1, 1, 1.0),
        elsewhere={(-1, nan): nan},
    ),
    Case(
        "eval_chebys",
        [DEGREES, POINTS],
        envelope=_within(-2, 2, 1.0),
        elsewhere={(-1, nan): nan},
    ),
    Case(
        "eval_sh_chebyu",
        [DEGREES, POINTS],
        envelope=_within(0, 1, 1.0),
        elsewhere={(-1, nan): nan},
    ),
    Case("eval_legendre", [DEGREES, POINTS], envelope=_legendre),
    Case("eval_sh_legendre", [DEGREES, POINTS], envelope=lambda n, x: _legendre(n, 2 * x - 1)),
    # SciPy's binomial coefficient has a part of the error.
    Case(
        "eval_gegenbauer",
        [DEGREES, PARAMETERS, POINTS],
        within=3e-12,
        envelope=_near_middle("eval_gegenbauer"),
    ),
    Case(
        "eval_jacobi",
        [DEGREES[3:], PARAMETERS, (-0.7, 0.0, 0.5, 3.0, 20.0), POINTS],
        envelope=_near_middle("eval_jacobi"),
    ),
    Case(
        "eval_sh_jacobi",
        [DEGREES, (1.0, 2.0, 5.5, 20.0), (0.2, 1.0, 1.5), POINTS],
        envelope=_near_middle("eval_sh_jacobi"),
    ),
    # SciPy has 0 or nan below 0, by the parameters.
    Case(
        "eval_jacobi",
        [(-1, -2), (0.5, 1.0, nan), (0.5,), (-1.0, 0.3)],
        truth=lambda n, a, b, x: 0 * a,
    ),
    Case("eval_genlaguerre", [DEGREES, PARAMETERS, LINE], envelope=lambda n, a, x: 1e-3 + 0 * x),
    Case("eval_laguerre", [DEGREES, (*LINE, *[-x for x in LINE], nan)]),
    Case("eval_hermite", [DEGREES, (*LINE, *[-x for x in LINE], nan)]),
    Case("eval_hermitenorm", [DEGREES, (*LINE, *[-x for x in LINE], nan, inf)]),
]

REALS = (-0.3, 0.2, 1.0, 3.7, 20.5)
AT = (1.0, 0.5, 0.0, -0.1, -0.9, 1.1, 2.0, 100.0)
OF_LAGUERRE = [(-0.7, 0.3, 2.0, 7.3, 50.5), (-0.9, 0.5, 20.0), (0.0, 0.3, 20.0, 200.0, -2.0, -50.0)]


def _confluent(n: Any, a: Any, x: Any) -> Any:
    return mp.binomial(n + a, n) * mp.hyp1f1(-n, a + 1, x)


def _continued_from_0(n: Any, x: Any) -> Any:
    return _continued(n, 2 * x - 1)


def _ultraspherical(n: Any, a: Any, x: Any) -> Any:
    return mp.gegenbauer(n, a, x, zeroprec=500)


def _ferrers(m: Any, v: Any, x: Any) -> Any:
    return mp.legenp(v, m, x, type=2)


def _continued(n: Any, x: Any) -> Any:
    return mp.hyp2f1(-n, n + 1, 1, (1 - x) / 2, zeroprec=500)


# Of a degree of about 20 SciPy's series have few digits left of 0, of 50 none.
OF_REAL_DEGREE = [
    Case("eval_legendre", [REALS, AT], truth=_continued),
    Case("eval_legendre", [(50.5,), (-0.9, 0.3)], truth=_continued),
    Case("eval_legendre", [(2.5, 0.3), (-1.0, -2.0, nan)]),
    Case("eval_sh_legendre", [REALS, (0.01, 0.3, 1.5)], truth=_continued_from_0),
    # Where a singular solution is followed from 0 to the left its error grows with its pole.
    Case("eval_gegenbauer", [REALS, (0.1, 0.5, 5.0), AT], within=1e-11, truth=_ultraspherical),
    Case("eval_jacobi", [REALS[:-1], (-0.5, 0.5, 3.0), (-0.7, 0.3, 2.5), AT], within=2e-11),
    Case("eval_sh_jacobi", [REALS[1:-1], (1.0, 2.5), (0.3, 1.5), (0.1, 0.4, 0.9, 1.5)]),
    Case("eval_genlaguerre", OF_LAGUERRE, truth=_confluent),
    Case("eval_genlaguerre", [(0.5,), (0.5,), (-1e5, 700.0)], truth=_confluent),
    Case("eval_laguerre", [OF_LAGUERRE[0], OF_LAGUERRE[2]], truth=lambda n, x: _confluent(n, 0, x)),
    Case("lpmv", [(0.0, 1.0, 2.0, -1.0, 0.5), (0.0, 2.0, 2.5, -0.5), (0.0, 0.9, 1.0, 1.1)]),
    Case("lpmv", [(1.0, nan), (2.5,), (nan, 0.5)]),
    Case("lpmv", [(6.0,), (2.5, 30.5), (-0.99, 0.3)], within=1e-11, truth=_ferrers),
]


# JAX compiles all in some seconds: what stands for the others is compared in the suite.
OF_INTEGERS = "eval_chebyt eval_sh_chebyu eval_legendre eval_jacobi eval_genlaguerre"
OF_REALS = "eval_gegenbauer eval_laguerre"


def test_integer_degrees() -> None:
    compare(POLYNOMIALS, named(CASES, OF_INTEGERS))


def test_real_degrees() -> None:
    compare(POLYNOMIALS, named(OF_REAL_DEGREE, OF_REALS))
