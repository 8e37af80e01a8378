"""The gamma, chi-square and Poisson distributions: quantiles, and parameters by a share.

Parameters and their order are those of ``scipy.special``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from relgraph.engines.jax.special.distributions.quantiles import (
    WHOLE,
    gamma_quantile,
    with_edges,
)
from relgraph.engines.jax.special.distributions.roots import root_of
from relgraph.engines.jax.special.distributions.tails import gamma_tails


def _gammaincinv(a: Any, p: Any) -> Any:
    return gamma_quantile(a, p, 1 - p)


def _gammainccinv(a: Any, q: Any) -> Any:
    return gamma_quantile(a, 1 - q, q)


def _shape(p: Any, x: Any) -> Any:
    """Return `a` with ``gammainc(a, x) == p``."""
    proper = (x > 0) & (x < jnp.inf)
    safe = jnp.where(proper, x, 1.0)
    found = root_of(lambda a: gamma_tails(a, safe)[::-1], 1 - p, p, safe)
    return with_edges(found, p, 1 - p, jnp.inf, 0.0, proper)


def _pdtri(k: Any, y: Any) -> Any:
    found = _gammainccinv(jnp.floor(k) + 1, y)
    return jnp.where((k >= 0) & (y < 1), found, jnp.nan)


def _pdtrik(p: Any, m: Any) -> Any:
    proper = (m > 0) & (m < jnp.inf)
    safe = jnp.where(proper, m, 1.0)
    found = root_of(lambda k: gamma_tails(k + 1, safe)[::-1], p, 1 - p, safe, WHOLE)
    return with_edges(found, p, 1 - p, 0.0, jnp.inf, proper)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gammaincinv": _gammaincinv,
    "gammainccinv": _gammainccinv,
    "chdtri": lambda v, q: 2 * _gammainccinv(v / 2, q),
    "chdtriv": lambda p, x: 2 * _shape(p, x / 2),
    "gdtria": lambda p, b, x: _gammaincinv(b, p) / x,
    "gdtrib": lambda a, p, x: _shape(p, a * x),
    "gdtrix": lambda a, b, p: _gammaincinv(b, p) / a,
    "pdtri": _pdtri,
    "pdtrik": _pdtrik,
}
