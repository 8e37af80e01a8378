"""Orthogonal polynomials agree with SciPy's."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy

from relgraph.engines.jax.special.polynomials import POLYNOMIALS
from tests.engines.jax.special.agreement import Case, compare

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
    Case("eval_genlaguerre", [DEGREES, PARAMETERS, LINE], envelope=lambda n, a, x: 1e-3 + 0 * x),
    Case("eval_laguerre", [DEGREES, (*LINE, *[-x for x in LINE], nan)]),
    Case("eval_hermite", [DEGREES, (*LINE, *[-x for x in LINE], nan)]),
    Case("eval_hermitenorm", [DEGREES, (*LINE, *[-x for x in LINE], nan, inf)]),
]


def test_doubles() -> None:
    compare(POLYNOMIALS, CASES)


def test_jacobi_of_a_negative_degree_is_zero() -> None:
    """SciPy has 0 or nan there, by its parameters."""
    n, a = jnp.array([-1, -2, -3, -1]), jnp.array([0.5, 1.0, 3.0, nan])
    found = POLYNOMIALS["eval_jacobi"](n, a, jnp.array(0.5), jnp.array(0.3))
    np.testing.assert_array_equal(found, [0.0, 0.0, 0.0, nan])
