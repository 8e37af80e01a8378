"""Laguerre functions: the polynomials' confluent hypergeometric function for real degrees.

Degrees that are whole go by the recurrence. Others are followed from near 0 by Taylor series of the
equation (DLMF 18.8): away from 0 the function is not small beside the other solution, on both
sides.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from relgraph.engines.jax.special.polynomials import recurrences

_NEAR, _SERIES, _TERMS = 1.0, 60, 40

# There the exponential is infinite, and on the other side the asymptotic series is exact.
_LARGEST, _FAR = 1500.0, 30.0


def genlaguerre(n: Any, a: Any, x: Any) -> Any:
    """Return the Laguerre function; nan for `a` up to -1."""
    n, a, x = jnp.broadcast_arrays(n, a, x)
    good = jnp.isfinite(n) & jnp.isfinite(x) & (a > -1) & jnp.isfinite(a)
    n, a, x = (jnp.where(good, v, 0.0) for v in (n, a, x))
    whole = (n == jnp.floor(n)) & (n >= 0)
    polynomial = recurrences.genlaguerre(jnp.where(whole, n, 0.0), a, x)
    degree = jnp.where(whole, 0.5, n)
    size = special.gammaln(degree + a + 1) - special.gammaln(degree + 1) - special.gammaln(a + 1)
    sign = special.gammasgn(degree + a + 1) * special.gammasgn(degree + 1)
    far = x < -_FAR * (1 + (jnp.abs(n) + a) ** 2)
    overflows = x > _LARGEST
    near = _kummer(degree, a + 1, jnp.where(whole | far | overflows, 0.0, x))
    other = sign * jnp.exp(size) * near
    other = jnp.where(overflows, sign * special.gammasgn(-degree) * jnp.inf, other)
    other = jnp.where(far, _far_left(degree, a, jnp.where(far, -x, 1e3)), other)
    pole = (n < 0) & (n == jnp.floor(n))
    found = jnp.where(whole, polynomial, jnp.where(pole, 0.0, other))
    return jnp.where(good, found, jnp.nan)


def laguerre(n: Any, x: Any) -> Any:
    """Return the Laguerre function of parameter 0."""
    return genlaguerre(n, jnp.zeros_like(x), x)


def _far_left(n: Any, a: Any, y: Any) -> Any:
    """Return the function at ``-y`` (DLMF 13.7.2)."""
    term = total = jnp.ones_like(y)
    for k in range(20):
        term = term * (k - n) * (k - n - a) / ((k + 1) * y)
        total = total + term
    return jnp.exp(n * jnp.log(y) - special.gammaln(n + 1)) * special.gammasgn(n + 1) * total


def _kummer(n: Any, b: Any, x: Any) -> Any:
    """Return Kummer's function of ``-n`` and `b` above 0 (DLMF 13.2.2)."""
    place = jnp.clip(x, -_NEAR, _NEAR) / (1 + jnp.abs(n))
    place = jnp.where(jnp.abs(x) < jnp.abs(place), x, place)

    def add(k: Any, state: Any) -> Any:
        term, total, rise = state
        term = term * (k - n) / ((k + b) * (k + 1))
        return term * place, total + term * place, rise + (k + 1) * term

    one = jnp.ones_like(x)
    _, value, slope = lax.fori_loop(0, _SERIES, add, (one, one, 0 * one))

    def is_before(state: Any) -> Any:
        return jnp.any(state[0] != x)

    def go(state: Any) -> Any:
        place, value, slope = state
        size = jnp.abs(place)
        rate = jnp.sqrt(jnp.abs(n) / jnp.where(size == 0, 1.0, size)) + 1 + b / (1 + size)
        reach = jnp.minimum(0.35 * size, 2 / rate)
        h = jnp.clip(x - place, -reach, reach)
        arrived = jnp.abs(x - place) <= reach
        safe = jnp.where(place == 0, 1.0, place)

        def add(k: Any, state: Any) -> Any:
            now, following, total, rise = state
            tilt = (k + 1) * (k + b - place) * h
            further = ((k - n) * h * h * now - tilt * following) / (safe * (k + 2) * (k + 1))
            return following, further, total + further, rise + (k + 2) * further

        begin = (value, slope * h, value + slope * h, slope * h)
        *_, moved, rise = lax.fori_loop(0, _TERMS, add, begin)
        still = h == 0
        slope = jnp.where(still, slope, rise / jnp.where(still, 1.0, h))
        return jnp.where(arrived, x, place + h), jnp.where(still, value, moved), slope

    return lax.while_loop(is_before, go, (place, value, slope))[1]
