"""The distributions of Kolmogorov and of Smirnov, and their quantiles.

Parameters and their order are those of ``scipy.special``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.distributions.densities import log_less, stirling_error
from relgraph.engines.jax.special.distributions.quantiles import with_edges
from relgraph.engines.jax.special.distributions.roots import root_of


def _kolmogorov_tails(y: Any) -> tuple[Any, Any]:
    """Return the shares below and above positive numbers: two series of theta functions' (DLMF
    20.7.32), of which one has three terms that count."""
    small = y < 0.82
    low, high = jnp.where(small, y, 0.5), jnp.where(small, 1.0, y)
    power = jnp.exp(-(math.pi**2) / (8 * low * low))
    below = sum(power ** ((2 * k - 1) ** 2) for k in range(1, 5)) * math.sqrt(2 * math.pi) / low
    other = jnp.exp(-2 * high * high)
    above = 2 * sum((-1) ** (k - 1) * other ** (k * k) for k in range(1, 6))
    return jnp.where(small, below, 1 - above), jnp.where(small, 1 - below, above)


def _kolmogorov(y: Any) -> Any:
    found = _kolmogorov_tails(jnp.where(y > 0, y, 1.0))[1]
    return jnp.where(jnp.isnan(y), y, jnp.where(y > 0, found, 1.0))


def _kolmogi(p: Any) -> Any:
    start = jnp.where(p < 0.9, jnp.sqrt(-jnp.log(p / 2) / 2), 0.5)
    found = root_of(_kolmogorov_tails, 1 - p, p, start)
    return with_edges(found, p, 1 - p, jnp.inf, 0.0, ~jnp.isnan(p))


_MOST_TERMS = 1e6
_STIRLING = [
    math.lgamma(z) - (z - 0.5) * math.log(z) + z - math.log(2 * math.pi) / 2 for z in range(1, 10)
]


def _stirling_of_whole(z: Any) -> Any:
    found = stirling_error(jnp.maximum(z, 10.0))
    for k, error in enumerate(_STIRLING, 1):
        found = jnp.where(z == k, error, found)
    return found


def _smirnov_upper(n: Any, d: Any) -> Any:
    """Return the share above `d`, between 0 and 1, for whole numbers `n` (Birnbaum and Tingey)."""
    constant = _stirling_of_whole(n) - math.log(2 * math.pi) / 2 + jnp.log(n) / 2
    last = jnp.floor(n * (1 - d))
    # of the last one the factor that should be zero may not be
    last = jnp.where(last >= n, n - 1, last)

    def step(state: Any) -> Any:
        j, total = state
        safe = jnp.where(j <= last, j, 1.0)
        rest = n - safe
        safe, rest = jnp.maximum(safe, 1.0), jnp.maximum(rest, 1.0)
        low, high = d * n / safe, -d * n / rest
        exponent = safe * log_less(low, 1 + low) + rest * log_less(high, 1 + high)
        exponent = exponent - _stirling_of_whole(safe) - _stirling_of_whole(rest) + constant
        term = jnp.exp(exponent) / jnp.sqrt(safe * rest) / (d + safe / n)
        return j + 1, total + jnp.where((j <= last) & (high > -1), term, 0.0)

    def goes_on(state: Any) -> Any:
        return state[0] <= jnp.max(last)

    _, total = lax.while_loop(goes_on, step, (jnp.asarray(1.0, d.dtype), jnp.zeros_like(d)))
    return jnp.minimum(d * total + jnp.exp(n * jnp.log1p(-d)), 1.0)


def _asymptotic(n: Any, d: Any) -> Any:
    """Return the share above `d` for numbers so large that a sum would be too long, as SciPy does
    (Maag and Dicaire 1971)."""
    return jnp.exp(-jnp.square(6 * n * d + 1) / (18 * n))


def _above(n: Any, d: Any) -> Any:
    exact = n <= _MOST_TERMS
    found = _smirnov_upper(jnp.where(exact, n, 1.0), jnp.where(exact, d, 0.5))
    return jnp.where(exact, found, _asymptotic(n, d))


def _proper(n: Any) -> Any:
    return (n >= 1) & (n == jnp.floor(n)) & (n < jnp.inf)


def _smirnov(n: Any, d: Any) -> Any:
    n, d = jnp.broadcast_arrays(n, d)
    inside = _proper(n) & (d > 0) & (d < 1)
    found = _above(jnp.where(inside, n, 1.0), jnp.where(inside, d, 0.5))
    found = jnp.where(inside, found, jnp.where(d == 0, 1.0, jnp.where(d == 1, 0.0, jnp.nan)))
    return jnp.where(_proper(n), found, jnp.nan)


def _smirnovi(n: Any, p: Any) -> Any:
    n, p = jnp.broadcast_arrays(n, p)
    proper = _proper(n)
    safe = jnp.where(proper, n, 1.0)

    def tails(d: Any) -> tuple[Any, Any]:
        upper = _above(safe, jnp.minimum(d, 1 - 1e-16))
        # up to 1 / n the lower tail has one term
        lower = d * jnp.exp((safe - 1) * jnp.log1p(d))
        return jnp.where(d * safe < 1, lower, 1 - upper), upper

    start = jnp.sqrt(-jnp.log(p) / (2 * safe))
    found = root_of(tails, 1 - p, p, jnp.minimum(start, 0.9), highest=1.0)
    found = jnp.where(safe == 1, 1 - p, found)
    return with_edges(found, p, 1 - p, 1.0, 0.0, proper)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "kolmogorov": _kolmogorov,
    "kolmogi": _kolmogi,
    "smirnov": _smirnov,
    "smirnovi": _smirnovi,
}
