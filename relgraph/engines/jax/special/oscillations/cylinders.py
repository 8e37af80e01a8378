"""Parabolic cylinder functions D and V (DLMF 12).

D is an integral of what has one sign, by the trapezoidal rule (12.5.1), and from there a recurrence
in its order that is stable for positive arguments (12.8). V, which grows, is followed from 0 by
Taylor series of its equation. For negative arguments both are combined (12.2.15, 12.2.16).
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from relgraph.engines.jax.special.oscillations.taylor import followed

_LEFT, _RIGHT = 230, 32

Pair = tuple[Any, Any]


def pbdv(v: Any, x: Any) -> Pair:
    """Return D of an order and its derivative."""
    v, x = jnp.broadcast_arrays(v, x)
    good = jnp.isfinite(v) & jnp.isfinite(x)
    v, x = jnp.where(good, v, 0.5), jnp.where(good, x, 1.0)
    value, slope = _decaying(v, jnp.where(v < -2, x, jnp.abs(x)))
    grown, grown_slope = _growing(v, jnp.where((x < 0) & (v >= -2), -x, 0.0))
    by_gamma = math.pi * rgamma(-v)
    _, cosine = half_turns(v)
    mixed = (x < 0) & (v >= -2)
    value, slope = (
        jnp.where(mixed, _times(cosine, value) + _times(by_gamma, grown), value),
        jnp.where(mixed, -_times(cosine, slope) - _times(by_gamma, grown_slope), slope),
    )
    return jnp.where(good, value, jnp.nan), jnp.where(good, slope, jnp.nan)


def pbvv(v: Any, x: Any) -> Pair:
    """Return V of an order and its derivative."""
    v, x = jnp.broadcast_arrays(v, x)
    good = jnp.isfinite(v) & jnp.isfinite(x)
    v, x = jnp.where(good, v, 0.5), jnp.where(good, x, 1.0)
    size = jnp.abs(x)
    value, slope = _growing(v, size)
    other, other_slope = _decaying(v, size)
    sine, cosine = half_turns(v)
    by_gamma = -sine * rgamma(v + 1)
    value, slope = (
        jnp.where(x < 0, _times(by_gamma, other) - _times(cosine, value), value),
        jnp.where(x < 0, -_times(by_gamma, other_slope) + _times(cosine, slope), slope),
    )
    return jnp.where(good, value, jnp.nan), jnp.where(good, slope, jnp.nan)


def _decaying(v: Any, x: Any) -> Pair:
    """Return D and its derivative, for `x` from 0 or `v` below -2."""
    steps = jnp.maximum(jnp.floor(v) + 3, 0)
    order = v - steps
    now, before, exponent = _integrals(-order, x)

    def step(k: Any, state: Any) -> Any:
        now, before, w = state
        goes_on = k < steps
        following = x * now - w * before
        return (
            jnp.where(goes_on, following, now),
            jnp.where(goes_on, now, before),
            jnp.where(goes_on, w + 1, w),
        )

    count = jnp.max(steps, initial=0).astype(int)
    now, before, _ = lax.fori_loop(0, count, step, (now, before, order))
    slope = -x / 2 * now + v * before
    scale = jnp.exp(exponent / 2)
    return now * scale * scale, slope * scale * scale


def _integrals(p: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return D of the orders ``-p`` and ``-p - 1`` for `p` from 2, without a factor, and its
    logarithm."""
    root = jnp.sqrt(x * x + 4 * p)
    peak = jnp.where(x > 0, 2 * p / (jnp.abs(x) + root), (jnp.abs(x) + root) / 2)
    curvature = p + peak * peak
    step = jnp.minimum(0.1, 0.45 / jnp.sqrt(curvature))

    def add(k: Any, totals: Pair) -> Pair:
        s = (k - _LEFT) * step
        grown = jnp.expm1(s)
        weight = jnp.exp(p * s - peak * peak * grown * (grown + 2) / 2 - x * peak * grown)
        return totals[0] + weight, totals[1] + weight * (1 + grown)

    zero = jnp.zeros_like(p)
    first, second = lax.fori_loop(0, _LEFT + _RIGHT, add, (zero, zero))
    exponent = -x * x / 4 - peak * peak / 2 - x * peak + p * jnp.log(peak) - special.gammaln(p)
    return first * step, second * step * peak / p, exponent


def _growing(v: Any, x: Any) -> Pair:
    """Return V and its derivative, for `x` from 0."""
    a = -v - 0.5
    places = jnp.stack([0.75 - a / 2, 0.25 + a / 2, 0.25 - a / 2, 0.75 + a / 2])
    of_value, for_value, of_slope, for_slope = rgamma(places)
    value = math.pi * 2 ** (a / 2 + 0.25) * of_value**2 * for_value
    slope = math.pi * 2 ** (a / 2 + 0.75) * of_slope**2 * for_slope
    return followed(a, 0.25, x, value, slope)


def rgamma(x: Any) -> Any:
    at_pole = (x <= 0) & (x == jnp.floor(x))
    return jnp.where(at_pole, 0.0, 1 / special.gamma(jnp.where(at_pole, 1.0, x)))


def half_turns(v: Any) -> Pair:
    """Return sine and cosine of `v` times pi; of integers and halves they are exact."""
    rest = v - 2 * jnp.round(v / 2)
    folded = jnp.where(jnp.abs(rest) > 0.5, jnp.sign(rest) - rest, rest)
    cosine = jnp.sin(math.pi * (0.5 - jnp.abs(folded)))
    return jnp.sin(math.pi * folded), jnp.where(jnp.abs(rest) > 0.5, -cosine, cosine)


def _times(factor: Any, value: Any) -> Any:
    """Return a product that is 0 where the factor is, of infinite values too."""
    return jnp.where(factor == 0, 0.0, factor * value)
