"""Elliptic integrals and functions agree with SciPy's."""

from __future__ import annotations

from math import inf, nan, pi

import numpy as np

from relgraph.engines.jax.special.elliptic import ELLIPTIC
from tests.engines.jax.special.agreement import Case, at_points, compare, named

SIZES = (0.0, 1e-100, 1e-20, 1e-5, 0.3, 1.0, 2.5, 17.0, 1e4, 1e90, inf, nan, -1.0)
ANGLES = (0.0, 1e-200, 1e-8, 0.1, 0.5, 1.5, pi / 2, 2.0, 3.0, 4.0, 1e6, -0.7, -30.0, inf, -inf, nan)
PARAMETERS = (0.0, 1e-300, 1e-8, 0.1, 0.5, 0.9, 0.99, 1 - 1e-8, 1.0, 1.1, -inf, inf, nan)
NEGATIVE = (-1e-10, -0.5, -1.0, -30.0, -1e6)
ARGUMENTS = (0.0, 1e-200, 1e-8, 0.1, 0.5, 1.0, 1.7, 2.5, 5.0, 9.0, 30.0, -0.3, -4.0, inf, nan)
MODERATE = (1e-5, 0.3, 0.7, 1.0, 17.0)

JACOBI = [Case(f"ellipj.{i}", [ARGUMENTS, PARAMETERS], within=2e-12) for i in range(3)]

CASES = [
    Case("agm", [(*SIZES, -2.0, -inf), (*SIZES, -2.0, -0.5, -inf)]),
    Case("ellipkm1", [(*SIZES, 1e300)]),
    # The limit is 0; SciPy has nan, and 0 where the other argument is nan.
    Case(
        "elliprc",
        [SIZES, (*SIZES, -2.5, -1e5)],
        elsewhere={
            **at_points([inf], [-1.0, -2.5, -1e5], gives=0.0),
            **at_points([inf], [nan], gives=nan),
        },
    ),
    Case("elliprf", [SIZES, SIZES, SIZES]),
    Case("elliprd", [SIZES, SIZES, SIZES]),
    Case("elliprg", [SIZES, SIZES, SIZES]),
    Case("elliprj", [SIZES[:-3], SIZES[1:-3], SIZES[1:-3], (1e-20, 0.3, 2.0, 1e20, inf)]),
    Case("elliprj", [(-1.0, 1.0), (nan, 2.0), (3.0,), (nan, 2.0)]),
    # The principal value is a difference: its digits are those of the larger part.
    Case("elliprj", [MODERATE, MODERATE, MODERATE, (-1e-5, -0.2, -2.0, -1e4, 0.0)], within=2e-11),
    # An odd function; SciPy's infinity at 1 has one sign, and begins below the double nearest to
    # half of pi, where the true value is log(2 * tan(phi)).
    Case(
        "ellipkinc",
        [ANGLES, (*PARAMETERS, *NEGATIVE)],
        elsewhere={(pi / 2, 1.0): 38.025003373828866, (-30.0, 1.0): -inf},
    ),
    Case(
        "ellipeinc",
        [ANGLES, (*PARAMETERS, *NEGATIVE)],
        elsewhere=at_points((-0.7, -30.0), [-inf], gives=-inf),
    ),
    *JACOBI,
    # SciPy's amplitude at 1 is subtracted from half of pi.
    Case(
        "ellipj.3",
        [ARGUMENTS, PARAMETERS],
        envelope=lambda u, m: np.where(m == 1, 1e-3, 0.0),
        elsewhere={(1e-200, 1.0): 1e-200, (1e-8, 1.0): 1e-8},
    ),
]


IN_SUITE = "agm elliprf elliprj ellipeinc ellipj.0 ellipj.1"


def test_doubles() -> None:
    compare(ELLIPTIC, named(CASES, IN_SUITE))


def test_floats() -> None:
    """Of floats of 32 bits, which are computed as doubles, the result has 32 bits."""
    compare(ELLIPTIC, [Case("agm", [(0.3, 2.0), (1.0, 7.0)], within=1e-6)], dtype="float32")
