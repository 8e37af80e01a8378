"""Polynomials of integer degree, by the recurrence of their differences.

DLMF 18.9.1: what one adds to the next is small near the end of the interval where all of them have
their largest value, so that the sum keeps its digits there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

Step = Callable[[Any, Any, Any], Any]


def legendre(n: Any, x: Any) -> Any:
    """Return the Legendre polynomial of a degree; `n` below 0 is ``-n - 1``."""
    n = jnp.where(n < 0, -n - 1, n)
    return _signed(n, x) * _summed(n, jnp.abs(x) - 1, *_gegenbauer_steps(jnp.ones_like(x)))


def sh_legendre(n: Any, x: Any) -> Any:
    """Return the Legendre polynomial of ``2 * x - 1``."""
    n, turned = jnp.where(n < 0, -n - 1, n), x < 0.5
    sign = jnp.where(turned & (n % 2 == 1), -1.0, 1.0)
    below = jnp.where(turned, -2 * x, 2 * (x - 1))
    return sign * _summed(n, below, *_gegenbauer_steps(jnp.ones_like(x)))


def gegenbauer(n: Any, a: Any, x: Any) -> Any:
    """Return the Gegenbauer polynomial; for `n` below 0 it is 0."""
    found = _summed(n, jnp.abs(x) - 1, *_gegenbauer_steps(2 * a), _over(lambda k, n: k - 1 + 2 * a))
    return _marked(_signed(n, x) * found, n < 0, 0.0, a, x)


def jacobi(n: Any, a: Any, b: Any, x: Any) -> Any:
    """Return the Jacobi polynomial; for `n` below 0 it is 0."""
    found = _summed(n, x - 1, *jacobi_steps(a, b), _over(lambda k, n: k + a))
    return jnp.where(n < 0, jnp.where(jnp.isnan(a + b + x), jnp.nan, 0.0), found)


def sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    """Return the polynomial on 0 to 1 whose first coefficient is 1; for `n` below 0 it is nan."""
    a, b = p - q, q - 1

    def scale(k: Any, n: Any) -> Any:
        return (k + a) / (n + p - 1 + k)

    return jnp.where(n < 0, jnp.nan, _summed(n, 2 * (x - 1), *jacobi_steps(a, b), scale))


def genlaguerre(n: Any, a: Any, x: Any) -> Any:
    """Return the Laguerre polynomial; for `n` below 0 it is 0, and nan for `a` up to -1."""

    def first(y: Any) -> Any:
        return y / (a + 1)

    def step(k: Any, y: Any, p: Any, d: Any) -> Any:
        return (y * p + k * d) / (k + a + 1)

    found = _summed(n, -x, first, step, _over(lambda k, n: k + a))
    found = jnp.where(n == 0, 1.0, found)
    return jnp.where(a > -1, _marked(found, n < 0, 0.0, a, x), jnp.nan)


def laguerre(n: Any, x: Any) -> Any:
    """Return the Laguerre polynomial of parameter 0."""
    return genlaguerre(n, jnp.zeros_like(x), x)


def hermite(n: Any, x: Any) -> Any:
    """Return the Hermite polynomial of the weight ``exp(-x**2)``; for `n` below 0 it is nan."""
    return _hermite(n, x, 2.0)


def hermitenorm(n: Any, x: Any) -> Any:
    """Return the Hermite polynomial of the weight ``exp(-x**2 / 2)``; for `n` below 0 it is nan."""
    return _hermite(n, x, 1.0)


def _hermite(n: Any, x: Any, factor: float) -> Any:
    n, x = jnp.broadcast_arrays(n, x)

    def step(k: Any, state: Any) -> Any:
        before, now = state
        following = factor * (x * now - k * before)
        return jnp.where(k < n, now, before), jnp.where(k < n, following, now)

    start = (jnp.zeros_like(x), jnp.ones_like(x))
    found = _loop(n, step, start)[1]
    return jnp.where((n < 0) | jnp.isnan(x), jnp.nan, found)


def _gegenbauer_steps(twice: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def step(k: Any, y: Any, p: Any, d: Any) -> Any:
        return ((2 * k + twice) * y * p + k * d) / (k + twice)

    return (lambda y: y), step


def jacobi_steps(a: Any, b: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the first difference, of ``x - 1``, and the step to the next of them."""

    def first(y: Any) -> Any:
        return (a + b + 2) * y / (2 * (a + 1))

    def step(k: Any, y: Any, p: Any, d: Any) -> Any:
        t = 2 * k + a + b
        grown = t * (t + 1) * (t + 2) * y * p + 2 * k * (k + b) * (t + 2) * d
        return grown / (2 * (k + a + 1) * (k + a + b + 1) * t)

    return first, step


def _over(numerator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda k, n: numerator(k, n) / k


def _summed(
    n: Any,
    y: Any,
    first: Callable[..., Any],
    step: Callable[..., Any],
    scale: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """Return a polynomial of degree `n` as the sum of differences, from its value 1 where `y` is 0.

    Parameters
    ----------
    first
        The difference of degrees 1 and 0, of `y`.
    step
        The difference of degrees ``k + 1`` and `k`, of `k`, `y`, the sum and the last difference.
    scale
        What the value counts, as a product of factors of `k` from 1 to `n`, and of `n`.
    """
    d = first(y)
    n, y, d = jnp.broadcast_arrays(n, y, d)
    one = jnp.ones_like(d)

    def body(k: Any, state: Any) -> Any:
        p, d, size = state
        following = jnp.where(k == 0, d, step(jnp.where(k == 0, 1.0, k), y, p, d))
        grown = size if scale is None else size * scale(k + 1.0, n)
        goes_on = k < n
        return (
            jnp.where(goes_on, p + following, p),
            jnp.where(goes_on, following, d),
            jnp.where(goes_on, grown, size),
        )

    p, _, size = _loop(n, body, (one, d, one))
    return p * size


def _loop(n: Any, body: Callable[..., Any], start: Any) -> Any:
    return lax.fori_loop(0, jnp.max(n, initial=0).astype(int), body, start)


def _signed(n: Any, x: Any) -> Any:
    return jnp.where((x < 0) & (n % 2 == 1), -1.0, 1.0)


def _marked(value: Any, where: Any, by: float, *values: Any) -> Any:
    """Return a value, or another one somewhere; nan where an argument is."""
    found = jnp.where(where, by, value)
    for v in values:
        found = jnp.where(jnp.isnan(v), jnp.nan, found)
    return found
