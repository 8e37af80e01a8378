"""Wright's generalized Bessel function, by its series of positive terms.

The terms have one peak. Where it is wide they are summed at some places of it: what lies between
these is, by Poisson's summation formula, below rounding. Where it is very wide Laplace's method has
all digits of the logarithm.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

# On each side of the peak, by steps of a tenth of its width.
_TERMS = 100
_VERY_WIDE = 1e6


def wright_bessel(a: Any, b: Any, x: Any) -> Any:
    """Return the sum of ``x**k / (k! gamma(a * k + b))``; nan for a negative argument."""
    return jnp.exp(log_wright_bessel(a, b, x))


def log_wright_bessel(a: Any, b: Any, x: Any) -> Any:
    """Return the logarithm of the sum; nan for a negative argument."""
    a, b, x = jnp.broadcast_arrays(a, b, x)
    valid = (a >= 0) & (b >= 0) & (x >= 0) & (a < math.inf) & (b < math.inf)
    inside = valid & (x > 0) & (x < math.inf)
    found = _logarithm(*(jnp.where(inside, v, 1.0) for v in (a, b, x)))
    found = jnp.where((a == 0) & (b == 0), -jnp.inf, found)
    at_zero = -_gammaln(jnp.where(valid, b, 1.0))
    found = jnp.where(inside, found, jnp.where(x > 0, jnp.inf, at_zero))
    return jnp.where(valid, found, jnp.nan)


def _logarithm(a: Any, b: Any, x: Any) -> Any:
    rate = jnp.log(x)

    def exponent(k: Any) -> Any:
        return k * rate - special.gammaln(k + 1) - _gammaln(a * k + b)

    peak = _peak(a, b, rate)
    width = 1 / jnp.sqrt(1 / peak + a * a / (a * peak + b))
    stride = jnp.maximum(1.0, width / 10)
    start = jnp.where(stride > 1, peak, jnp.maximum(jnp.floor(peak), _TERMS)) - _TERMS * stride
    # a sum that begins with its largest term is 1 and something, in units of it
    first = jnp.where(b == 0, 1.0, 0.0)
    leading = jnp.where(stride > 1, peak, jnp.maximum(jnp.floor(peak), first))
    most = exponent(leading)

    def add(i: Any, total: Any) -> Any:
        k = start + i * stride
        return total + jnp.where(k == leading, 0.0, jnp.exp(exponent(k) - most))

    rest = lax.fori_loop(0, 2 * _TERMS + 1, add, jnp.zeros_like(x))
    by_sum = jnp.where(stride > 1, jnp.log((rest + 1) * stride), jnp.log1p(rest))
    by_width = jnp.log(width * math.sqrt(2 * math.pi))
    return most + jnp.where(peak > _VERY_WIDE, by_width, by_sum)


def _peak(a: Any, b: Any, rate: Any) -> Any:
    """Return about where the largest term is, by bisection for the logarithm of its place."""

    def halve(_: Any, bounds: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = bounds
        middle = (low + high) / 2
        k = jnp.exp(middle)
        rises = rate > jnp.log(k + 0.5) + a * jnp.log(a * k + b)
        return jnp.where(rises, middle, low), jnp.where(rises, high, middle)

    start = (jnp.full_like(rate, -3.0), jnp.full_like(rate, 709.0))
    return jnp.exp(lax.fori_loop(0, 60, halve, start)[0])


def _gammaln(x: Any) -> Any:
    """Return the logarithm of gamma, infinite at 0."""
    return jnp.where(x == 0, jnp.inf, special.gammaln(jnp.where(x == 0, 1.0, x)))
