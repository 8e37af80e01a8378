"""All functions over all grids: ``python -m tests.engines.jax.special.by_hand``.

Prints for each family how many points were compared; a difference raises AssertionError.
"""

from __future__ import annotations

from relgraph.engines.jax.special.elliptic import ELLIPTIC
from relgraph.engines.jax.special.hypergeometric import HYPERGEOMETRIC
from relgraph.engines.jax.special.oscillations import OSCILLATIONS
from relgraph.engines.jax.special.polynomials import POLYNOMIALS
from tests.engines.jax.special import (
    test_elliptic,
    test_hypergeometric,
    test_oscillations,
    test_polynomials,
)
from tests.engines.jax.special.agreement import compare

FAMILIES = {
    "elliptic": (ELLIPTIC, test_elliptic.CASES),
    "hypergeometric": (HYPERGEOMETRIC, test_hypergeometric.CASES),
    "oscillations": (OSCILLATIONS, test_oscillations.CASES),
    "polynomials of integer degree": (POLYNOMIALS, test_polynomials.CASES),
    "polynomials of real degree": (POLYNOMIALS, test_polynomials.OF_REAL_DEGREE),
}

if __name__ == "__main__":
    for family, (functions, cases) in FAMILIES.items():
        compare(functions, cases)
        points = sum(case.arguments()[0].size for case in cases)
        names = len({case.name for case in cases})
        print(f"{family}: {names} functions agree at {points} points")
