"""Quantiles of the gamma and beta distributions, and of those that are made of them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special

from relgraph.engines.jax.special.distributions.densities import (
    beta_term,
    gamma_term,
    log_gamma_1p,
)
from relgraph.engines.jax.special.distributions.roots import root_of
from relgraph.engines.jax.special.distributions.tails import beta_tails, gamma_tails


def with_edges(found: Any, p: Any, q: Any, at_zero: Any, at_one: Any, proper: Any) -> Any:
    """Return a quantile, what it is where `p` or `q` is zero, and nan where it is not defined."""
    found = jnp.where(p == 0, at_zero, jnp.where(q == 0, at_one, found))
    return jnp.where(proper & (p >= 0) & (q >= 0), found, jnp.nan)


WHOLE = 1e-20
"""Numbers of events below this are zero: shares of none tell them no closer."""


def gamma_quantile(a: Any, p: Any, q: Any) -> Any:
    """Return the number below which the gamma distribution of shape `a` has the share `p`.

    ``p + q == 1``, and the smaller one is exact.
    """
    proper = (a > 0) & (a < jnp.inf)
    safe = jnp.where(proper, a, 1.0)
    normal = jnp.where(p < q, special.ndtri(p), -special.ndtri(q))
    # Wilson and Hilferty; below, the first term of the series (DLMF 8.11.4)
    cube = 1 - 1 / (9 * safe) + normal / (3 * jnp.sqrt(safe))
    first = jnp.exp((jnp.log(p) + log_gamma_1p(safe)) / safe)
    start = jnp.where((cube > 0.3) & (safe > 0.5), safe * cube**3, first)
    start = jnp.where((start > 0) & (start < jnp.inf), start, safe)

    def tails(x: Any) -> tuple[Any, ...]:
        return *gamma_tails(safe, x), safe * gamma_term(safe, x), safe - x

    found = jnp.where(proper, root_of(tails, p, q, start), jnp.nan)
    return with_edges(found, p, q, 0.0, jnp.inf, a >= 0)


def beta_odds(a: Any, b: Any, p: Any, q: Any, guess: Any = jnp.nan) -> Any:
    """Return ``x / (1 - x)`` for the `x` below which the beta distribution has the share `p`.

    ``p + q == 1``, and the smaller one is exact; a guess that is not nan is begun with.
    """
    proper = (a > 0) & (b > 0) & (a < jnp.inf) & (b < jnp.inf)
    a1, b1 = jnp.where(proper, a, 1.0), jnp.where(proper, b, 1.0)
    normal = jnp.where(p < q, special.ndtri(p), -special.ndtri(q))
    # Abramowitz and Stegun 26.5.22; else the first terms at both ends
    by_a, by_b = 1 / (2 * a1 - 1), 1 / (2 * b1 - 1)
    scale, width = 2 / (by_a + by_b), (normal * normal - 3) / 6
    w = normal * jnp.sqrt(scale + width) / scale
    w = w - (by_b - by_a) * (width + 5 / 6 - 2 / (3 * scale))
    middle = a1 / b1 * jnp.exp(2 * w)
    log_beta = special.betaln(a1, b1)
    lower = jnp.exp((jnp.log(p) + jnp.log(a1) + log_beta) / a1)
    upper = jnp.exp(-(jnp.log(q) + jnp.log(b1) + log_beta) / b1)
    ends = jnp.where(lower < 0.5, lower, jnp.where(upper > 2, upper, a1 / b1))
    start = jnp.where((a1 > 1) & (b1 > 1) & jnp.isfinite(middle), middle, ends)
    start = jnp.where(jnp.isnan(guess), start, guess)

    def tails(t: Any) -> tuple[Any, ...]:
        x, y = t / (1 + t), 1 / (1 + t)
        return *beta_tails(a1, b1, x, y), beta_term(a1, b1, x, y), a1 * y - b1 * x

    found = jnp.where(proper, root_of(tails, p, q, start), jnp.nan)
    return with_edges(found, p, q, 0.0, jnp.inf, (a > 0) & (b > 0))
