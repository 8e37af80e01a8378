"""Student's distribution and what has a normal one: shares, quantiles, and parameters by a share.

Parameters and their order are those of ``scipy.special``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special

from relgraph.engines.jax.special.distributions.others import scaled_erfc
from relgraph.engines.jax.special.distributions.quantiles import beta_odds
from relgraph.engines.jax.special.distributions.roots import root_of
from relgraph.engines.jax.special.distributions.tails import beta_tails

_NORMAL = 1e25
"""Degrees of freedom from which Student's distribution is the normal one."""


def _beyond(df: Any, size: Any) -> tuple[Any, Any]:
    """Return the shares within and beyond ``-size`` and `size`, for positive numbers."""
    df = jnp.minimum(df, _NORMAL)
    ratio = size / jnp.sqrt(df)
    # far away the tail is a power (DLMF 8.17.8)
    near = jnp.minimum(ratio, 1e50)
    square = near * near
    within, beyond = beta_tails(0.5, df / 2, 1 / (1 + 1 / square), 1 / (1 + square))
    return within, beyond * jnp.power(jnp.maximum(ratio / 1e50, 1.0), -df)


def _stdtr(df: Any, t: Any) -> Any:
    inside = (df > 0) & ~jnp.isnan(t) & (jnp.abs(t) < jnp.inf) & (t != 0)
    df1, size = jnp.where(inside, df, 1.0), jnp.where(inside, jnp.abs(t), 1.0)
    within, beyond = _beyond(df1, size)
    found = jnp.where(t < 0, beyond / 2, 0.5 + within / 2)
    found = jnp.where(t == 0, 0.5, jnp.where(jnp.isinf(t), jnp.where(t > 0, 1.0, 0.0), found))
    return jnp.where((df > 0) & ~jnp.isnan(t), found, jnp.nan)


def _stdtrit(df: Any, p: Any) -> Any:
    smaller = jnp.minimum(p, 1 - p)
    proper = (df > 0) & (p >= 0) & (p <= 1)
    df1 = jnp.minimum(jnp.where(proper, df, 1.0), _NORMAL)
    normal = special.ndtri(smaller)
    # the first terms of Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5)
    square = normal * normal
    start = normal * (
        1 + (square + 1) / (4 * df1) + (5 * square * square + 16 * square + 3) / (96 * df1 * df1)
    )
    start = jnp.where(df1 > jnp.maximum(2.0, square / 2), start * start / df1, jnp.nan)
    odds = beta_odds(0.5, df1 / 2, jnp.abs(1 - 2 * p), 2 * smaller, start)
    size = jnp.sqrt(df1) * jnp.sqrt(odds)
    # far away the tail is a power, of which the square may be infinite
    log_far = -(jnp.log(df1 * smaller) + special.betaln(df1 / 2, 0.5)) / df1
    size = jnp.where(log_far > 200, jnp.sqrt(df1) * jnp.exp(log_far), size)
    size = jnp.where(df1 >= _NORMAL, -normal, size)
    return jnp.where(proper, jnp.where(p < 0.5, -size, size), jnp.nan)


def _stdtridf(p: Any, t: Any) -> Any:
    smaller = jnp.minimum(p, 1 - p)
    proper = jnp.where(p < 0.5, t < 0, t > 0) & (p > 0) & (p < 1) & (jnp.abs(t) < jnp.inf)
    proper = proper & (p != 0.5)
    size = jnp.where(proper, jnp.abs(t), 1.0)
    asked = jnp.where(proper, 2 * smaller, 0.5)
    found = root_of(lambda df: _beyond(df, size), 1 - asked, asked, jnp.ones_like(size))
    return jnp.where(proper, found, jnp.nan)


def _log_normal(x: Any) -> tuple[Any, Any]:
    """Return the logarithm of the normal share below a negative number, and its derivative."""
    scaled = scaled_erfc(-x / math.sqrt(2))
    return jnp.log(scaled / 2) - x * x / 2, math.sqrt(2 / math.pi) / scaled


def _ndtri_exp(y: Any) -> Any:
    """Return ``ndtri(exp(y))`` (DLMF 7.12.1 for the start of Newton's method)."""
    low = y < -2
    far = jnp.clip(jnp.where(low, y, -3.0), -1e300, None)
    x = -jnp.sqrt(-2 * far - jnp.log(4 * math.pi - 2 * math.pi * jnp.maximum(far, -1e200)))
    x = jnp.where(jnp.isnan(x), -1.0, x)

    for _ in range(3):
        value, slope = _log_normal(x)
        by = (value - far) / slope
        # Halley's correction: the second derivative is -slope * (x + slope)
        x = jnp.minimum(x - by / (1 + by * (x + slope) / 2), -1e-3)
    found = jnp.where(low, x, -special.ndtri(-jnp.expm1(jnp.where(low, -1.0, y))))
    return jnp.where(y == -jnp.inf, -jnp.inf, jnp.where(y > 0, jnp.nan, found))


def _nrdtrimn(p: Any, std: Any, x: Any) -> Any:
    return jnp.where((p > 0) & (p < 1) & (std > 0), x - std * special.ndtri(p), jnp.nan)


def _nrdtrisd(mean: Any, p: Any, x: Any) -> Any:
    return jnp.where((p > 0) & (p < 1), (x - mean) / special.ndtri(p), jnp.nan)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "stdtr": _stdtr,
    "stdtrit": _stdtrit,
    "stdtridf": _stdtridf,
    "ndtri_exp": _ndtri_exp,
    "nrdtrimn": _nrdtrimn,
    "nrdtrisd": _nrdtrisd,
}
