"""Legendre's integrals and the arithmetic-geometric mean (DLMF 19.2, 19.8, 19.25)."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.elliptic.carlson import elliprd, elliprf

# Pi as a sum: multiples of the first two parts by numbers below 2**27 are exact.
_PI_PARTS = (3.1415926218032837, 3.1786509424591713e-08, 1.2246467991473532e-16)

# The next mean of numbers that are as near is exact.
_NEAR = 1e-9


def mean_of(a: Any, b: Any) -> Any:
    """Return the arithmetic-geometric mean of arrays of numbers above 0."""

    def is_apart(means: Any) -> Any:
        a, b = means
        return jnp.any(jnp.abs(a - b) > _NEAR * a)

    def step(means: Any) -> Any:
        a, b = means
        return a / 2 + b / 2, jnp.sqrt(a) * jnp.sqrt(b)

    a, b = lax.while_loop(is_apart, step, (a, b))
    return a / 2 + b / 2


def agm(a: Any, b: Any) -> Any:
    """Return the arithmetic-geometric mean; of two negative numbers it is negative."""
    x, y = jnp.abs(a), jnp.abs(b)
    some_zero, some_infinite = (a == 0) | (b == 0), jnp.isinf(a) | jnp.isinf(b)
    edge = some_zero | some_infinite
    found = mean_of(jnp.where(edge, 1.0, x), jnp.where(edge, 1.0, y))
    found = jnp.where(some_infinite, jnp.inf, jnp.where(some_zero, 0.0, found))
    bad = jnp.isnan(a) | jnp.isnan(b) | (some_zero & some_infinite)
    bad = bad | (~some_zero & (jnp.sign(a) != jnp.sign(b)))
    return jnp.where(bad, jnp.nan, jnp.sign(a) * found)


def ellipkm1(p: Any) -> Any:
    """Return the complete integral of the first kind for the parameter ``1 - p``."""
    edge = ~((p > 0) & (p < math.inf))
    found = math.pi / 2 / mean_of(jnp.ones_like(p), jnp.sqrt(jnp.where(edge, 1.0, p)))
    found = jnp.where(p == 0, jnp.inf, jnp.where(p == math.inf, 0.0, found))
    return jnp.where(p >= 0, found, jnp.nan)


def ellipkinc(phi: Any, m: Any) -> Any:
    """Return the incomplete integral of the first kind; for `m` above 1 it is nan."""
    turns, sine, square, delta = _reduced(phi, m)
    part = sine * elliprf(square, delta, jnp.ones_like(delta))
    whole = jnp.where(turns == 0, 0.0, 2 * turns * ellipkm1(1 - m))
    found = jnp.where(phi == 0, phi, jnp.where(jnp.isinf(phi), phi, whole + part))
    found = jnp.where(m == -math.inf, jnp.where(jnp.isinf(phi), jnp.nan, 0.0), found)
    return jnp.where((m > 1) | jnp.isnan(m) | jnp.isnan(phi), jnp.nan, found)


def ellipeinc(phi: Any, m: Any) -> Any:
    """Return the incomplete integral of the second kind; for `m` above 1 it is nan.

    DLMF 19.25.9 for negative `m` and 19.25.10 for others are sums of one sign.
    """
    turns, sine, square, delta = _reduced(phi, m)
    one, rest = jnp.ones_like(delta), jnp.where(m == 1, 0.0, 1 - m)
    first = elliprf(square, delta, one)
    of_negative = sine * (first - m * sine * sine / 3 * elliprd(square, delta, one))
    third = m * sine * sine / 3 * elliprd(square, one, delta)
    last = m * jnp.sqrt(square / jnp.where(delta == 0, 1.0, delta))
    of_positive = sine * (rest * (first + third) + last)
    of_positive = jnp.where(m == 1, sine, of_positive)
    whole = jnp.where(turns == 0, 0.0, 2 * turns * _complete(1 - m))
    found = whole + jnp.where(m < 0, of_negative, of_positive)
    found = jnp.where(phi == 0, phi, jnp.where(jnp.isinf(phi), phi, found))
    found = jnp.where(m == -math.inf, jnp.copysign(jnp.inf, phi), found)
    return jnp.where((m > 1) | jnp.isnan(m) | jnp.isnan(phi), jnp.nan, found)


def _complete(rest: Any) -> Any:
    """Return the complete integral of the second kind for the parameter ``1 - rest``.

    DLMF 19.25.1, as a sum of one sign.
    """
    zero, one = jnp.zeros_like(rest), jnp.ones_like(rest)
    below = rest * (elliprd(zero, rest, one) + elliprd(zero, one, rest)) / 3
    return jnp.where(rest == 0, 1.0, below)


def _reduced(phi: Any, m: Any) -> tuple[Any, Any, Any, Any]:
    """Return half turns, and of the rest the sine, the square of the cosine, and of `delta`.

    The square of delta is ``1 - m * sine**2``, which is not subtracted where `m` is above 0.
    """
    phi, m = jnp.broadcast_arrays(jnp.where(jnp.isfinite(phi), phi, 0.0), m)
    m = jnp.where((m <= 1) & jnp.isfinite(m), m, 0.0)
    turns = jnp.round(phi / math.pi)
    rest = phi
    for part in _PI_PARTS:
        rest = rest - turns * part
    sine, cosine = jnp.sin(rest), jnp.cos(rest)
    square = cosine * cosine
    return turns, sine, square, square + (jnp.sqrt(1 - m) * sine) ** 2
