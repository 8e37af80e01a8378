"""Bessel functions of small arguments and orders, by series.

DLMF 10.2.2 and 10.25.2; Temme, *On the numerical evaluation of the modified Bessel function of the
third kind* (1975), and *... of the ordinary Bessel function of the second kind* (1976).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph.engines.jax.special.bessel.tables import table

ARGUMENT, ORDER = 3.0, 4.0
"""The functions here are right for arguments and orders below these."""

_TERMS = 18


def power_over_gamma(v: Any, x: Any) -> Any:
    """Return ``(x / 2)**v / gamma(1 + v)`` for ``0 <= v <= ORDER + 1``."""
    n = jnp.round(v)
    m = v - n
    found = (table("gamma.sum")(m) - m * table("gamma.slope")(m)) * jnp.power(x / 2, v)
    for k in range(1, int(ORDER) + 2):
        found = jnp.where(k <= n, found / (m + k), found)
    return found


def first_kind(v: Any, x: Any, sign: float) -> Any:
    """Return J, if `sign` is -1, or I, if it is 1."""
    square = sign * x * x / 4
    total = jnp.ones_like(x)
    for k in range(_TERMS, 0, -1):
        total = 1 + square / (k * (v + k)) * total
    return power_over_gamma(v, x) * total


def second_kind(v: Any, x: Any, sign: float) -> Any:
    """Return Y, if `sign` is -1, or K, if it is 1."""
    n = jnp.round(v)
    m = v - n
    low, high = _temme(m, x, sign)
    for k in range(1, int(ORDER) + 1):
        following = 2 * (m + k) / x * high + sign * low
        following = jnp.where(jnp.isinf(high), high, following)
        low, high = jnp.where(k <= n, high, low), jnp.where(k <= n, following, high)
    return low


def _temme(m: Any, x: Any, sign: float) -> tuple[Any, Any]:
    """Return the functions of the second kind of orders `m` and `m` + 1, for abs(m) <= 1 / 2."""
    half_sum, half_slope = table("gamma.sum")(m), table("gamma.slope")(m)
    log = jnp.log(2 / x)
    power = m * log
    grown = jnp.exp(power)
    hyperbolic = half_slope * jnp.cosh(power) + half_sum * _over(jnp.sinh, power) * log
    f = hyperbolic / _over(jnp.sin, np.pi * m)
    p = grown / (half_sum - m * half_slope) / 2
    q = 1 / (grown * (half_sum + m * half_slope)) / 2
    turned = np.pi * np.pi * m / 2 * _over(jnp.sin, np.pi * m / 2) ** 2 if sign < 0 else 0.0
    square = sign * x * x / 4

    def step(k: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        f, p, q, c, low, high = state
        f = (k * f + p + q) / (k * k - m * m)
        c, p, q = c * square / k, p / (k - m), q / (k + m)
        term = f + turned * q
        return f, p, q, c, low + c * term, high + c * (p - k * term)

    *_, low, high = lax.fori_loop(1, _TERMS, step, (f, p, q, jnp.ones_like(x), f + turned * q, p))
    factor = 1.0 if sign > 0 else -2 / np.pi
    return factor * low, factor * high * (2 / x)


def _over(function: Callable[[Any], Any], x: Any) -> Any:
    """Return ``function(x) / x``, which is 1 at 0."""
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, function(safe) / safe)
