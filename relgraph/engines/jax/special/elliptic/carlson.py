"""Carlson's symmetric integrals, by his duplication theorem.

B. C. Carlson, Numerical computation of real or complex elliptic integrals (1995); NIST Digital
Library of Mathematical Functions 19.15 to 19.36.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

# 4**1100 is more than the quotient of any two doubles.
_STEPS = 1100


def elliprc(x: Any, y: Any) -> Any:
    """Return the degenerate integral, for negative `y` its principal value (DLMF 19.2.18-20)."""
    value = jnp.where(y > 0, _rc(x, y), jnp.sqrt(x / (x - y)) * _rc(x - y, -y))
    value = jnp.where(jnp.isinf(x) | jnp.isinf(y), 0.0, value)
    bad = (x < 0) | (y == 0) | jnp.isnan(x) | jnp.isnan(y)
    return jnp.where(bad, jnp.nan, value)


def elliprf(x: Any, y: Any, z: Any) -> Any:
    """Return the integral of the first kind."""
    xs, sound = _arguments(x, y, z)
    value = jnp.where(_is_one_infinite(x, y, z), 0.0, _rf(*xs))
    return _at_edges(value, sound, x, y, z)


def elliprd(x: Any, y: Any, z: Any) -> Any:
    """Return the integral of the second kind that is symmetric in `x` and `y`."""
    xs, sound = _arguments(x, y, z)
    xs, sound = [jnp.where(z > 0, v, 1.0) for v in xs], sound & (z > 0)
    value = jnp.where(_is_one_infinite(x, y, z), jnp.where(z > 0, 0.0, jnp.inf), _rd(*xs))
    return _at_edges(value, sound, x, y, z)


def elliprg(x: Any, y: Any, z: Any) -> Any:
    """Return the symmetric integral of the second kind (DLMF 19.21.10, with no cancellation)."""
    xs, sound = _arguments(x, y, z)
    least, z0, most = _sorted(*xs)
    product = (most - z0) * (z0 - least)
    total = z0 * _rf(*xs) + product / 3 * _rd(least, most, z0)
    value = (total + jnp.sqrt(least) * jnp.sqrt(most / z0)) / 2
    two_zeros = jnp.sqrt(jnp.maximum(jnp.maximum(x, y), z)) / 2
    value = jnp.where(sound, value, two_zeros)
    value = jnp.where(_is_one_infinite(x, y, z), jnp.inf, value)
    return _at_edges(value, jnp.ones_like(sound), x, y, z)


def elliprj(x: Any, y: Any, z: Any, p: Any) -> Any:
    """Return the integral of the third kind, for negative `p` its principal value (19.20.14)."""
    (x0, y0, z0), sound = _arguments(x, y, z)
    good = sound & (p != 0) & jnp.isfinite(p)
    p0, *xs = [jnp.where(good, v, 1.0) for v in (p, *_sorted(x0, y0, z0))]
    least, middle, most = xs
    q = jnp.abs(p0)
    moved = (most * (least + middle + q) - least * middle) / (most + q)
    third = _rj(least, middle, most, jnp.where(p0 > 0, q, moved))
    product = least * middle + moved * q
    root = jnp.sqrt(least * middle * most / product)
    principal = (
        (moved - most) * third - 3 * _rf(least, middle, most) + 3 * root * _rc(product, moved * q)
    )
    value = jnp.where(p0 > 0, third, principal / (q + most))
    value = jnp.where(_is_one_infinite(x, y, z) | jnp.isinf(p), 0.0, value)
    value = _at_edges(value, sound | (p == 0), x, y, z)
    return jnp.where((p == 0) | jnp.isnan(p), jnp.nan, value)


def _rc(x: Any, y: Any) -> Any:
    """For `y` above 0, by elementary functions: the roots of near numbers' difference are exact."""
    root = jnp.sqrt(jnp.abs(y - x))
    safe = jnp.where(root == 0, 1.0, root)
    below = jnp.arctan2(root, jnp.sqrt(x))
    above = jnp.arcsinh(root / jnp.sqrt(jnp.where(y > 0, y, 1.0)))
    return jnp.where(root == 0, 1 / jnp.sqrt(x), jnp.where(x < y, below, above) / safe)


def _rf(x: Any, y: Any, z: Any) -> Any:
    (a, x, y, z), _, _ = _duplicated((x, y, z), (1, 1, 1), lambda *_: 0.0)
    e2, e3 = x * y + x * z + y * z, x * y * z
    series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44
    series = series - 5 * e2**3 / 208 + 3 * e3 * e3 / 104 + e2 * e2 * e3 / 16
    return series / jnp.sqrt(a)


def _rd(x: Any, y: Any, z: Any) -> Any:
    def term(x: Any, y: Any, z: Any, cross: Any) -> Any:
        return 1 / (z * (z * z + cross))

    (a, x, y, z), weight, total = _duplicated((x, y, z), (1, 1, 3), term)
    return 3 * total + weight * _series(x, y, z, z) / (a * jnp.sqrt(a))


def _rj(x: Any, y: Any, z: Any, p: Any) -> Any:
    def term(x: Any, y: Any, z: Any, p: Any, cross: Any) -> Any:
        alpha, beta = p * p * (x + y + z) + x * y * z, p * (p * p + cross)
        return _rc(jnp.ones_like(alpha), (beta / alpha) ** 2) / alpha

    (a, x, y, z, p), weight, total = _duplicated((x, y, z, p), (1, 1, 1, 2), term)
    return 3 * total + weight * _series(x, y, z, p) / (a * jnp.sqrt(a))


def _series(x: Any, y: Any, z: Any, p: Any) -> Any:
    """DLMF 19.36.2, of relative distances whose sum with `p` counted twice is 0."""
    product = x * y * z
    e2 = x * y + x * z + y * z - 3 * p * p
    e3 = product + 2 * e2 * p + 4 * p**3
    e4 = (2 * product + e2 * p + 3 * p**3) * p
    e5 = product * p * p
    low = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52
    middle = 3 * e5 / 26 - e2**3 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20
    return low + middle + 45 * e2 * e2 * e3 / 272 - 9 * (e3 * e4 + e2 * e5) / 68


def _duplicated(
    xs: tuple[Any, ...], counts: Sequence[int], term: Callable[..., Any]
) -> tuple[tuple[Any, ...], Any, Any]:
    """Return the mean and how far the arguments are from it, the weight of what follows, a sum.

    Parameters
    ----------
    counts
        How often each argument counts in the mean.
    term
        What a step adds to the sum, of the roots of the arguments and of their products by pairs.
    """
    near = (float(jnp.finfo(xs[0].dtype).eps) / 4) ** (1 / 8)

    def mean(xs: tuple[Any, ...]) -> Any:
        return sum(x * (n / sum(counts)) for n, x in zip(counts, xs, strict=True))

    def is_apart(state: Any) -> Any:
        n, xs, _, _ = state
        a = mean(xs)
        return (n < _STEPS) & jnp.any(jnp.stack([jnp.abs(a - x) for x in xs]) > near * a)

    def step(state: Any) -> Any:
        n, xs, weight, total = state
        x, y, z = roots = [jnp.sqrt(v) for v in xs][:3]
        cross = x * y + x * z + y * z
        total = total + weight * term(*roots, *map(jnp.sqrt, xs[3:]), cross)
        return n + 1, tuple((v + cross) / 4 for v in xs), weight / 4, total

    one = jnp.ones_like(xs[0])
    _, xs, weight, total = lax.while_loop(is_apart, step, (0, xs, one, 0 * one))
    a = mean(xs)
    return (a, *(1 - x / a for x in xs)), weight, total


def _arguments(*values: Any) -> tuple[list[Any], Any]:
    """Return the arguments, 1 where the integral has an edge, and where it has none."""
    zeros = sum((v == 0).astype("int8") for v in values)
    sound = zeros < 2
    for v in values:
        sound = sound & (v >= 0) & (v < math.inf)
    return [jnp.where(sound, v, 1.0) for v in jnp.broadcast_arrays(*values)], sound


def _is_one_infinite(*values: Any) -> Any:
    return jnp.stack([v == math.inf for v in jnp.broadcast_arrays(*values)]).any(0)


def _at_edges(value: Any, sound: Any, *values: Any) -> Any:
    """Return a value, infinity where it is not sound, nan where an argument is bad."""
    finite = sound | _is_one_infinite(*values)
    good = jnp.stack([v >= 0 for v in jnp.broadcast_arrays(*values)]).all(0)
    return jnp.where(good, jnp.where(finite, value, jnp.inf), jnp.nan)


def _sorted(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    low, high = jnp.minimum(x, y), jnp.maximum(x, y)
    return jnp.minimum(low, z), jnp.maximum(low, jnp.minimum(high, z)), jnp.maximum(high, z)
