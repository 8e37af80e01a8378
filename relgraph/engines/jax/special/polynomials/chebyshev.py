"""Chebyshev polynomials of any real degree, by trigonometric and hyperbolic functions.

DLMF 18.5.1, 18.5.2. A point `y` is given by the pair ``(1 - y) / 2, (1 + y) / 2``, so that angles
are exact near both ends. Below -1 a degree that is no integer has no real value: it is infinite, as
the hypergeometric function is there that SciPy computes.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

Pair = tuple[Any, Any]


def chebyt(n: Any, x: Any) -> Any:
    return _first(n, _halves(x))


def chebyu(n: Any, x: Any) -> Any:
    return _second(n, _halves(x))


def chebyc(n: Any, x: Any) -> Any:
    return 2 * _first(n, _halves(x / 2))


def chebys(n: Any, x: Any) -> Any:
    return _second(n, _halves(x / 2))


def sh_chebyt(n: Any, x: Any) -> Any:
    return _first(n, (1 - x, x))


def sh_chebyu(n: Any, x: Any) -> Any:
    return _second(n, (1 - x, x))


def _halves(x: Any) -> Pair:
    return (1 - x) / 2, (1 + x) / 2


def _first(n: Any, pair: Pair) -> Any:
    """Return the polynomial of the first kind."""
    n, (below, above) = jnp.abs(n * 1.0), pair
    angle, from_left, growth = _angles(below, above)
    sine, cosine = _of_half_turns(n)
    near_left = cosine * jnp.cos(n * from_left) + sine * jnp.sin(n * from_left)
    inside = jnp.where(below > above, near_left, jnp.cos(n * angle))
    outside = jnp.cosh(n * growth) * jnp.where(above < 0, cosine, 1.0)
    outside = jnp.where((above < 0) & (sine != 0), jnp.inf, outside)
    value = jnp.where((below < 0) | (above < 0), outside, inside)
    return _checked(jnp.where(n == 0, 1.0, value), n, below)


def _second(n: Any, pair: Pair) -> Any:
    """Return the polynomial of the second kind, which is odd around the degree -1."""
    (below, above), sign = pair, jnp.where(n < -1, -1.0, 1.0)
    n = jnp.abs(n + 1.0)
    angle, from_left, growth = _angles(below, above)
    sine, cosine = _of_half_turns(n)
    height = jnp.sin(jnp.minimum(angle, from_left))
    near_left = sine * jnp.cos(n * from_left) - cosine * jnp.sin(n * from_left)
    inside = jnp.where(below > above, near_left, jnp.sin(n * angle))
    at_left = jnp.where(sine == 0, -cosine * n, jnp.inf)
    inside = jnp.where(height == 0, jnp.where(below > above, at_left, n), inside / _nonzero(height))
    quotient = jnp.expm1(-2 * n * growth) / _nonzero(jnp.expm1(-2 * growth))
    outside = jnp.exp((n - 1) * growth) * jnp.where(growth == 0, n, quotient)
    outside = outside * jnp.where(above < 0, -cosine, 1.0)
    outside = jnp.where((above < 0) & (sine != 0), jnp.inf, outside)
    value = sign * jnp.where((below < 0) | (above < 0), outside, inside)
    return _checked(jnp.where(n == 0, 0.0, value), n, below)


def _angles(below: Any, above: Any) -> tuple[Any, Any, Any]:
    """Return the angle of a point, what it is from the left end, and outside its hyperbolic one."""
    low, high = jnp.sqrt(jnp.maximum(below, 0)), jnp.sqrt(jnp.maximum(above, 0))
    out = jnp.sqrt(jnp.maximum(-jnp.minimum(below, above), 0))
    return 2 * jnp.arctan2(low, high), 2 * jnp.arctan2(high, low), 2 * jnp.arcsinh(out)


def _of_half_turns(n: Any) -> Pair:
    """Return sine and cosine of `n` times pi; of integers they are exact."""
    rest = n - 2 * jnp.round(n / 2)
    folded = jnp.where(jnp.abs(rest) > 0.5, jnp.sign(rest) - rest, rest)
    sine = jnp.sin(math.pi * folded)
    half = 0.5 - jnp.abs(folded)
    cosine = jnp.sin(math.pi * half) * jnp.where(jnp.abs(rest) > 0.5, -1.0, 1.0)
    return sine, cosine


def _nonzero(x: Any) -> Any:
    return jnp.where(x == 0, 1.0, x)


def _checked(value: Any, n: Any, x: Any) -> Any:
    return jnp.where(jnp.isnan(x) | ~jnp.isfinite(n), jnp.nan, value)
