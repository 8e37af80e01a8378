"""Tricomi's confluent hypergeometric function, by its integral (DLMF 13.4.4).

The integrand is positive and has one peak as a function of the logarithm; the trapezoidal rule is
exact for it. From there recurrences go down in the first parameter (13.3.7) and then up in the
second one (13.3.8), each in the direction in which the function is not small beside the other
solution.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

# A summand below exp(-_DEPTH) of the largest is left out.
_DEPTH = 42.0
_BISECTIONS = 40

# Below it, and for a second parameter below -1, the limit at 0 has all digits.
_TINY = 1e-25


def hyperu(a: Any, b: Any, x: Any) -> Any:
    """Return U of real parameters; nan for a negative argument."""
    a, b, x = jnp.broadcast_arrays(a, b, x)
    valid = (x >= 0) & jnp.isfinite(a) & jnp.isfinite(b)
    inside = valid & (x > 0) & (x < math.inf)
    p, b, y = (jnp.where(valid, v, 1.0) for v in (a, b, jnp.where(inside, x, 1.0)))
    other = _is_ending(p - b + 1) & (b < jnp.where(_is_ending(p), 1, 3))
    # Kummer's transformation (13.2.40)
    turned = other | ((p < 2) & (b < -1))
    power = jnp.where(turned, (1 - b) * jnp.log(y), 0.0)
    found = _inside(jnp.where(turned, p - b + 1, p), jnp.where(turned, 2 - b, b), y, power)
    found = jnp.where(turned & ~other & (y < _TINY), _at_zero(p, b), found)
    found = jnp.where(x == 0, _at_zero(p, b), found)
    at_infinity = jnp.where(a == 0, 1.0, jnp.where(a > 0, 0.0, jnp.inf))
    return jnp.where(valid, jnp.where(x == math.inf, at_infinity, found), jnp.nan)


def _inside(a: Any, b: Any, x: Any, power: Any) -> Any:
    """Return U times ``exp(power)``."""
    climb = jnp.where((a < 2) & ~_is_ending(a), jnp.maximum(jnp.floor(b) - 1, 0), 0.0)
    base = b - climb
    (now, above), (exponent, other) = _descended(a, jnp.stack([base, base + 1]), x)
    above = above * jnp.exp(other - exponent)

    def step(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        now, above = state
        c = base + 1 + k
        following = ((c - 1 + x) * above - (c - a - 1) * now) / x
        goes_on = k < climb
        return jnp.where(goes_on, above, now), jnp.where(goes_on, following, above)

    now, _ = lax.fori_loop(0, jnp.max(climb, initial=0).astype(int), step, (now, above))
    half = jnp.exp((exponent + power) / 2)
    return now * half * half


def _descended(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """Return U without a factor, and the logarithm of this."""
    a, b, x = jnp.broadcast_arrays(a, b, x)
    ends = _is_ending(a)
    steps = jnp.maximum(jnp.ceil(jnp.where(ends, 0.0, 2.0) - a), 0)
    p = a + steps
    now, above, exponent = _integrals(jnp.where(ends, 2.0, p), b, x)
    now, exponent = jnp.where(ends, 1.0, now), jnp.where(ends, 0.0, exponent)

    def step(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        now, above = state
        q = p - k
        below = (x + 2 * q - b) * now - q * (q - b + 1) * above
        goes_on = k < steps
        return jnp.where(goes_on, below, now), jnp.where(goes_on, now, above)

    now, _ = lax.fori_loop(0, jnp.max(steps, initial=0).astype(int), step, (now, above))
    return now, exponent


def _integrals(a: Any, b: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return U of `a` and of ``a + 1`` for `a` from 2, without a factor, and its logarithm."""

    def rise(t: Any) -> Any:
        return (b - a - 1) * jnp.log1p(t) - x * t

    linear = b - 1 - x
    root = jnp.sqrt(linear * linear + 4 * a * x)
    peak = jnp.where(linear > 0, (linear + root) / (2 * x), 2 * a / (root - linear))
    place, most = jnp.log(peak), rise(peak)

    def depth(s: Any) -> Any:
        return a * (s - place) + rise(jnp.exp(s)) - most

    left = _edge(depth, jnp.minimum(place, 0.0) - _DEPTH, place)
    right = _edge(depth, jnp.maximum(place, jnp.log(1000 / x)) + 3, place)
    curvature = x * peak - (b - a - 1) * peak / (1 + peak) ** 2
    fine = jnp.minimum(0.12, 0.45 / jnp.sqrt(jnp.maximum(curvature, 1e-3)))
    count = jnp.ceil(jnp.max((right - left) / fine, initial=1.0)).astype(int)
    step = (right - left) / count

    def add(k: Any, totals: tuple[Any, Any]) -> tuple[Any, Any]:
        s = left + k * step
        t, weight = jnp.exp(s), jnp.exp(depth(s))
        return totals[0] + weight, totals[1] + weight * t / (1 + t)

    zero = jnp.zeros_like(x)
    first, second = lax.fori_loop(0, count + 1, add, (zero, zero))
    exponent = a * place + most - special.gammaln(a)
    return first * step, second * step / a, exponent


def _edge(depth: Any, far: Any, peak: Any) -> Any:
    """Return, between a far place and the peak, where summands begin to count."""

    def halve(_: Any, bounds: tuple[Any, Any]) -> tuple[Any, Any]:
        outside, inside = bounds
        middle = (outside + inside) / 2
        small = depth(middle) < -_DEPTH
        return jnp.where(small, middle, outside), jnp.where(small, inside, middle)

    return lax.fori_loop(0, _BISECTIONS, halve, (far, peak))[0]


def _is_ending(a: Any) -> Any:
    return (a <= 0) & (a == jnp.floor(a))


def _at_zero(a: Any, b: Any) -> Any:
    """Return the limit at 0: infinite for `b` from 1 on, but for polynomials (13.2(iii))."""
    ends, below, c = _is_ending(a), b < 1, a - b + 1
    above = jnp.where(below, 1 - b, b - a)
    under = jnp.where(below, jnp.where(_is_ending(c), 1.0, c), b)
    ratio = special.gamma(above) / special.gamma(under)
    parity = jnp.where(a % 2 == 1, -1.0, 1.0)
    of_singular = jnp.where(ends, parity * ratio, jnp.inf)
    return jnp.where(below, jnp.where(_is_ending(c), 0.0, ratio), of_singular)
