"""Orthogonal polynomials: of integer degree by recurrences, of any degree by closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.engines.jax.special.polynomials import chebyshev, recurrences
from relgraph.engines.jax.special.widened import widened

OF_INTEGER_DEGREE: dict[str, Callable[..., Any]] = widened(
    {
        "eval_gegenbauer": recurrences.gegenbauer,
        "eval_genlaguerre": recurrences.genlaguerre,
        "eval_hermite": recurrences.hermite,
        "eval_hermitenorm": recurrences.hermitenorm,
        "eval_jacobi": recurrences.jacobi,
        "eval_laguerre": recurrences.laguerre,
        "eval_legendre": recurrences.legendre,
        "eval_sh_jacobi": recurrences.sh_jacobi,
        "eval_sh_legendre": recurrences.sh_legendre,
    }
)
"""Functions of a degree that is an array of integers, by the names that SciPy has for them."""

POLYNOMIALS: dict[str, Callable[..., Any]] = {
    **OF_INTEGER_DEGREE,
    **widened(
        {
            "eval_chebyc": chebyshev.chebyc,
            "eval_chebys": chebyshev.chebys,
            "eval_chebyt": chebyshev.chebyt,
            "eval_chebyu": chebyshev.chebyu,
            "eval_sh_chebyt": chebyshev.sh_chebyt,
            "eval_sh_chebyu": chebyshev.sh_chebyu,
        }
    ),
}
"""Functions of a degree and real numbers, by the names that SciPy has for them."""
