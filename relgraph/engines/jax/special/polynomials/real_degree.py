"""Jacobi functions: the polynomials' hypergeometric functions for degrees that are real numbers.

Near the end 1 of the interval a degree below 2 has a short series; from there the recurrence goes
up, as for integers. Elsewhere the solution is followed from its values at another point by Taylor
series of its equation (DLMF 18.8): towards -1 and beyond 1 it is the one that grows. Below -1 there
is no real value, and SciPy's is infinite.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from relgraph.engines.jax.special.polynomials.recurrences import jacobi_steps

_SERIES, _TERMS = 400, 40

# How far beyond 1 the series is used.
_FAR = 0.4


def legendre(n: Any, x: Any) -> Any:
    """Return the Legendre function of a degree."""
    zero = jnp.zeros_like(x)
    return _normed(n, zero, zero, x - 1)


def sh_legendre(n: Any, x: Any) -> Any:
    """Return the Legendre function of ``2 * x - 1``."""
    zero = jnp.zeros_like(x)
    return _normed(n, zero, zero, 2 * (x - 1))


def gegenbauer(n: Any, a: Any, x: Any) -> Any:
    """Return the Gegenbauer function (DLMF 18.5.9)."""
    size = _quotient([n + 2 * a], [n + 1, 2 * a])
    return size * _normed(n, a - 0.5, a - 0.5, x - 1)


def jacobi(n: Any, a: Any, b: Any, x: Any) -> Any:
    """Return the Jacobi function (DLMF 18.5.7)."""
    return _quotient([n + a + 1], [n + 1, a + 1]) * _normed(n, a, b, x - 1)


def sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    """Return the Jacobi function on 0 to 1, over the coefficient that it has at the degree."""
    a, b = p - q, q - 1
    size = _quotient([n + a + 1, n + p], [2 * n + p, a + 1])
    return size * _normed(n, a, b, 2 * (x - 1))


def lpmv(m: Any, v: Any, x: Any) -> Any:
    """Return the associated Legendre function of integer order (DLMF 14.3.1)."""
    m, v, x = jnp.broadcast_arrays(m, v, x)
    v = jnp.where(v < -0.5, -v - 1, v)
    k, whole = jnp.abs(m), v == jnp.floor(v)
    size = _quotient([v + k + 1], [v - k + 1, k + 1]) * jnp.exp2(-k)
    of_negative = _quotient([v - k + 1], [v + k + 1])
    sign = jnp.where(k % 2 == 1, -1.0, 1.0)
    height = jnp.where(k == 0, 1.0, jnp.sqrt(jnp.maximum(1 - x, 0) * (1 + x)) ** k)
    found = sign * size * height * _normed(v - k, k, k, x - 1)
    # what is singular there is a multiple of sin(pi * v)
    at_left = jnp.where(jnp.floor(v) % 2 == 1, jnp.inf, -jnp.inf)
    found = jnp.where((x == -1) & ~whole, at_left, found)
    found = jnp.where(m < 0, sign * of_negative, 1.0) * found
    good = (m == jnp.floor(m)) & ((jnp.abs(x) <= 1) | ((k == 0) & (whole | (x > 1))))
    return jnp.where(good, found, jnp.nan)


def _quotient(above: Sequence[Any], below: Sequence[Any]) -> Any:
    """Return gamma functions over others; 0 at a pole of these."""
    at_pole = functools.reduce(operator.or_, [(v <= 0) & (v == jnp.floor(v)) for v in below])
    size: Any = 0.0
    sign: Any = 1.0
    for values, factor in ((above, 1.0), (below, -1.0)):
        for v in values:
            size = size + factor * special.gammaln(v)
            sign = sign * special.gammasgn(v)
    return jnp.where(at_pole, 0.0, sign * jnp.exp(jnp.where(at_pole, 0.0, size)))


def _normed(n: Any, a: Any, b: Any, y: Any) -> Any:
    """Return the function of ``x = 1 + y`` that is 1 at 1."""
    n, a, b, y = jnp.broadcast_arrays(n, a, b, y)
    n = jnp.maximum(n, -n - a - b - 1)
    good = jnp.isfinite(n) & jnp.isfinite(a) & jnp.isfinite(b) & jnp.isfinite(y) & (a > -1)
    n, a, b, y = (jnp.where(good, v, 0.0) for v in (n, a, b, y))
    whole = n == jnp.floor(n)
    start = jnp.where(whole, y, jnp.clip(y, -1.0, _FAR))
    # the derivative is a function of the next parameters (18.9.15)
    degrees, first, last = (jnp.stack(v) for v in ((n, n - 1), (a, a + 1), (b, b + 1)))
    places = jnp.stack([start, jnp.where(whole, 0.0, start)])
    value, other = _near_one(degrees, first, last, places)
    slope = n * (n + a + b + 1) / (2 * (a + 1)) * other
    followed = _followed(n, a, b, start, jnp.where(y > -2, y, start), value, slope)
    found = jnp.where(whole, value, jnp.where(y > -2, followed, jnp.inf))
    return jnp.where(good, found, jnp.nan)


def _near_one(n: Any, a: Any, b: Any, y: Any) -> Any:
    """Return the function by the recurrence, and by its series where all of its terms add up."""
    rises = (n >= 1) & ((y <= 0) | (n == jnp.floor(n)))
    steps = jnp.where(rises, jnp.floor(n), 0.0)
    base, z = n - steps, -y / 2
    places = jnp.where(base == 0, 0.0, z), jnp.where(rises, z, 0.0)
    first, second = _series(jnp.stack([base, base + 1]), a, b, jnp.stack(places))
    _, step = jacobi_steps(a, b)

    def add(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        p, d = state
        goes_on = k < steps
        following = step(base + k, y, p, d)
        return jnp.where(goes_on, p + following, p), jnp.where(goes_on, following, d)

    begun = jnp.where(rises, second, first)
    count = jnp.max(steps, initial=0).astype(int)
    return lax.fori_loop(1, count, add, (begun, second - first))[0]


def _series(n: Any, a: Any, b: Any, z: Any) -> Any:
    """Return the hypergeometric function of ``-n, n + a + b + 1; a + 1`` (DLMF 15.2.1)."""

    def goes_on(state: Any) -> Any:
        k, term, total = state
        return (k < _SERIES) & jnp.any(jnp.abs(term) > 1e-18 * jnp.abs(total))

    def add(state: Any) -> Any:
        k, term, total = state
        term = term * ((k - n) * (k + n + a + b + 1) / ((k + a + 1) * (k + 1)) * z)
        return k + 1, term, total + term

    one = jnp.ones_like(z)
    return lax.while_loop(goes_on, add, (0, one, one))[2]


def _followed(n: Any, a: Any, b: Any, start: Any, y: Any, value: Any, slope: Any) -> Any:
    """Return the function at `y`, from its value and derivative at another place."""
    level, total = n * (n + a + b + 1), a + b + 2

    def is_before(state: Any) -> Any:
        return jnp.any(state[0] != y)

    def go(state: Any) -> Any:
        place, value, slope = state
        x0, w = 1 + place, -place * (place + 2)
        rate = jnp.sqrt((jnp.abs(level) + total * total) / jnp.maximum(jnp.abs(w), 1e-300))
        reach = jnp.minimum(0.3 * jnp.minimum(jnp.abs(place), place + 2), 2 / rate)
        h = jnp.clip(y - place, -reach, reach)
        arrived = jnp.abs(y - place) <= reach
        safe = jnp.where(w == 0, 1.0, w)

        def add(k: Any, state: Any) -> Any:
            now, following, total_value, rise = state
            tilt = (k + 1) * (2 * x0 * k - b + a + total * x0) * h
            back = (k * (k - 1) + total * k - level) * h * h
            further = (tilt * following + back * now) / (safe * (k + 2) * (k + 1))
            return following, further, total_value + further, rise + (k + 2) * further

        begin = (value, slope * h, value + slope * h, slope * h)
        *_, moved, rise = lax.fori_loop(0, _TERMS, add, begin)
        still = h == 0
        slope = jnp.where(still, slope, rise / jnp.where(still, 1.0, h))
        return jnp.where(arrived, y, place + h), jnp.where(still, value, moved), slope

    return lax.while_loop(is_before, go, (start, value, slope))[1]
