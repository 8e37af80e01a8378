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
    found = jnp.where(proper, found, jnp.nan)
    return with_edges(found, p, 1 - p, jnp.inf, 0.0, x > 0)


def _gdtria(p: Any, b: Any, x: Any) -> Any:
    return jnp.where(x == 0, jnp.nan, _gammaincinv(b, p) / x)


def _gdtrib(a: Any, p: Any, x: Any) -> Any:
    inside = (a > 0) & (a < jnp.inf) & (x >= 0) & (x < jnp.inf)
    found = _shape(p, jnp.where(inside, a * x, jnp.nan))
    return jnp.where(inside & (x == 0) & (p > 0) & (p <= 1), 0.0, found)


def _gdtrix(a: Any, b: Any, p: Any) -> Any:
    found = _gammaincinv(b, p) / a
    return jnp.where((a == jnp.inf) | jnp.isinf(b), jnp.nan, found)


def _pdtri(k: Any, y: Any) -> Any:
    found = _gammainccinv(jnp.floor(k) + 1, y)
    return jnp.where((k >= 0) & (k < jnp.inf) & (y < 1), found, jnp.nan)


def _pdtrik(p: Any, m: Any) -> Any:
    proper = (m > 0) & (m < jnp.inf)
    safe = jnp.where(proper, m, 1.0)
    found = root_of(lambda k: gamma_tails(k + 1, safe)[::-1], p, 1 - p, safe, WHOLE)
    found = jnp.where(proper, found, jnp.where(m == 0, 0.0, jnp.nan))
    return with_edges(found, p, 1 - p, 0.0, jnp.nan, m >= 0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gammaincinv": _gammaincinv,
    "gammainccinv": _gammainccinv,
    "chdtri": lambda v, q: 2 * _gammainccinv(v / 2, q),
    "chdtriv": lambda p, x: 2 * _shape(p, x / 2),
    "gdtria": _gdtria,
    "gdtrib": _gdtrib,
    "gdtrix": _gdtrix,
    "pdtri": _pdtri,
    "pdtrik": _pdtrik,
}
