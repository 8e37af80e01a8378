"""Orthogonal polynomials and the functions of real degree that continue them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.engines.jax.special.polynomials import (
    chebyshev,
    laguerre,
    real_degree,
    recurrences,
)
from relgraph.engines.jax.special.widened import widened

Function = Callable[..., Any]


def _by_degree(of_integers: Function, of_reals: Function) -> Function:
    """Return a function for degrees of both kinds of dtypes."""

    def of_degree(n: Any, *arguments: Any) -> Any:
        return (of_reals if n.dtype.kind == "f" else of_integers)(n, *arguments)

    return of_degree


POLYNOMIALS: dict[str, Function] = widened(
    {
        "eval_chebyc": chebyshev.chebyc,
        "eval_chebys": chebyshev.chebys,
        "eval_chebyt": chebyshev.chebyt,
        "eval_chebyu": chebyshev.chebyu,
        "eval_gegenbauer": _by_degree(recurrences.gegenbauer, real_degree.gegenbauer),
        "eval_genlaguerre": _by_degree(recurrences.genlaguerre, laguerre.genlaguerre),
        "eval_hermite": recurrences.hermite,
        "eval_hermitenorm": recurrences.hermitenorm,
        "eval_jacobi": _by_degree(recurrences.jacobi, real_degree.jacobi),
        "eval_laguerre": _by_degree(recurrences.laguerre, laguerre.laguerre),
        "eval_legendre": _by_degree(recurrences.legendre, real_degree.legendre),
        "eval_sh_chebyt": chebyshev.sh_chebyt,
        "eval_sh_chebyu": chebyshev.sh_chebyu,
        "eval_sh_jacobi": _by_degree(recurrences.sh_jacobi, real_degree.sh_jacobi),
        "eval_sh_legendre": _by_degree(recurrences.sh_legendre, real_degree.sh_legendre),
        "lpmv": real_degree.lpmv,
    }
)
"""Functions of a degree and real numbers, by the names that SciPy has for them."""
