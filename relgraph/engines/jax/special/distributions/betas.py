"""The beta, binomial, negative binomial and F distributions: shares, quantiles, and parameters.

Parameters and their order are those of ``scipy.special``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from relgraph.engines.jax.special.distributions.quantiles import (
    WHOLE,
    beta_odds,
    with_edges,
)
from relgraph.engines.jax.special.distributions.roots import root_of
from relgraph.engines.jax.special.distributions.tails import beta_tails


def _share(odds: Any) -> Any:
    return 1 / (1 + 1 / odds)


def _betaincinv(a: Any, b: Any, p: Any) -> Any:
    return _share(beta_odds(a, b, p, 1 - p))


def _betainccinv(a: Any, b: Any, q: Any) -> Any:
    return _share(beta_odds(a, b, 1 - q, q))


def _btdtria(p: Any, b: Any, x: Any) -> Any:
    proper = (b > 0) & (b < jnp.inf) & (x > 0) & (x < 1)
    b1, x1 = jnp.where(proper, b, 1.0), jnp.where(proper, x, 0.5)
    start = b1 * x1 / (1 - x1)
    found = root_of(lambda a: beta_tails(a, b1, x1, 1 - x1)[::-1], 1 - p, p, start)
    found = jnp.where(proper, found, jnp.nan)
    return with_edges(found, p, 1 - p, jnp.inf, 0.0, (b > 0) & (x > 0))


def _btdtrib(a: Any, p: Any, x: Any) -> Any:
    proper = (a > 0) & (a < jnp.inf) & (x > 0) & (x < 1)
    a1, x1 = jnp.where(proper, a, 1.0), jnp.where(proper, x, 0.5)
    start = a1 * (1 - x1) / x1
    found = root_of(lambda b: beta_tails(a1, b, x1, 1 - x1), p, 1 - p, start)
    found = jnp.where(proper, found, jnp.where((a > 0) & (x == 1), 0.0, jnp.nan))
    return with_edges(found, p, 1 - p, 0.0, jnp.inf, (a > 0) & (x > 0))


def _binomial(k: Any, n: Any, p: Any) -> tuple[Any, Any]:
    """Return the shares of at most `k`, and of more, successes among `n`."""
    k, n = jnp.floor(k), jnp.trunc(n)
    proper = (k >= 0) & (n >= k) & (p >= 0) & (p <= 1) & (n < jnp.inf)
    more, at_most = beta_tails(k + 1, n - k, p, 1 - p)
    at_most, more = jnp.where(n == k, 1.0, at_most), jnp.where(n == k, 0.0, more)
    return jnp.where(proper, at_most, jnp.nan), jnp.where(proper, more, jnp.nan)


def _bdtrc(k: Any, n: Any, p: Any) -> Any:
    none = (k < 0) & (p >= 0) & (p <= 1) & (n < jnp.inf)
    return jnp.where(none, 1.0, _binomial(k, n, p)[1])


def _bdtri(k: Any, n: Any, y: Any) -> Any:
    k, n = jnp.floor(k), jnp.trunc(n)
    return jnp.where((k >= 0) & (n > k) & (n < jnp.inf), _betainccinv(k + 1, n - k, y), jnp.nan)


def _bdtrik(y: Any, n: Any, p: Any) -> Any:
    proper = (n > 0) & (n < jnp.inf) & (p > 0) & (p < 1)
    n1, p1 = jnp.where(proper, n, 1.0), jnp.where(proper, p, 0.5)

    def tails(k: Any) -> tuple[Any, Any]:
        return beta_tails(k + 1, n1 - k, p1, 1 - p1)[::-1]

    found = root_of(tails, y, 1 - y, n1 * p1, WHOLE, n1)
    sure = (n > 0) & (n < jnp.inf) & (p == 1)
    found = jnp.where(proper, found, jnp.where(sure, n, jnp.nan))
    return with_edges(found, y, 1 - y, 0.0, n, proper | sure)


def _bdtrin(k: Any, y: Any, p: Any) -> Any:
    proper = (k >= 0) & (k < jnp.inf) & (p > 0) & (p < 1)
    k1, p1 = jnp.where(proper, k, 1.0), jnp.where(proper, p, 0.5)
    start = (k1 + 1) * (1 - p1) / p1
    found = root_of(lambda d: beta_tails(k1 + 1, d, p1, 1 - p1), 1 - y, y, start)
    sure = (k >= 0) & (k < jnp.inf) & (p == 1)
    found = k + jnp.where(proper, found, jnp.where(sure, 0.0, jnp.nan))
    return with_edges(found, 1 - y, y, k, jnp.inf, proper | sure)


def _negative(k: Any, n: Any, p: Any) -> tuple[Any, Any]:
    """Return the shares of at most `k`, and of more, failures before `n` successes."""
    k, n = jnp.trunc(k), jnp.trunc(n)
    at_most, more = beta_tails(n, k + 1, p, 1 - p)
    proper = (k >= 0) & (n > 0) & (p >= 0) & (p <= 1) & (k < jnp.inf) & (n < jnp.inf)
    return jnp.where(proper, at_most, jnp.nan), jnp.where(proper, more, jnp.nan)


def _nbdtrik(y: Any, n: Any, p: Any) -> Any:
    proper = (n > 0) & (n < jnp.inf) & (p > 0) & (p < 1)
    n1, p1 = jnp.where(proper, n, 1.0), jnp.where(proper, p, 0.5)
    start = n1 * (1 - p1) / p1
    found = root_of(lambda k: beta_tails(n1, k + 1, p1, 1 - p1), y, 1 - y, start, WHOLE)
    return with_edges(found, y, 1 - y, 0.0, jnp.nan, proper)


def _fdtri(n: Any, m: Any, p: Any) -> Any:
    found = beta_odds(n / 2, m / 2, p, 1 - p) * m / n
    return jnp.where(jnp.isinf(n) | jnp.isinf(m), jnp.nan, found)


def _nbdtri(k: Any, n: Any, y: Any) -> Any:
    k, n = jnp.trunc(k), jnp.trunc(n)
    finite = (k < jnp.inf) & (n < jnp.inf)
    return jnp.where(finite, _betaincinv(n, k + 1, y), jnp.nan)


def _nbdtrin(k: Any, y: Any, p: Any) -> Any:
    return jnp.where(y == 1, jnp.nan, _btdtria(y, k + 1, p))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "betaincinv": _betaincinv,
    "betainccinv": _betainccinv,
    "btdtria": _btdtria,
    "btdtrib": _btdtrib,
    "bdtr": lambda k, n, p: _binomial(k, n, p)[0],
    "bdtrc": _bdtrc,
    "bdtri": _bdtri,
    "bdtrik": _bdtrik,
    "bdtrin": _bdtrin,
    "nbdtr": lambda k, n, p: _negative(k, n, p)[0],
    "nbdtrc": lambda k, n, p: _negative(k, n, p)[1],
    "nbdtri": _nbdtri,
    "nbdtrik": _nbdtrik,
    "nbdtrin": _nbdtrin,
    "fdtri": _fdtri,
}
