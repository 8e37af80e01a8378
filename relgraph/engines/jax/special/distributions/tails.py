"""The regularized incomplete gamma and beta functions: both tails, each as exact as it is small.

For small parameters they are series and continued fractions (DLMF 8.7.3, 8.9.2, 8.17.22). For large
ones the density is integrated from `x` outwards by Gauss's rule (DLMF 3.5.v): beside its value at
`x` it decreases as fast as the exponential of a sum of terms of one sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from relgraph.engines.jax.special.distributions.densities import (
    beta_term,
    exp_less,
    gamma_term,
    log_gamma_1p,
    log_less,
)

LARGE = 60.0
"""From here on parameters are large."""

_TINY, _EPS = 1e-300, 2.3e-16


def _gauss(count: int) -> tuple[Any, Any]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


_NODES, _WEIGHTS = _gauss(40)
_FEW = _gauss(6)
# the exponential of this, less, is nothing beside 1
_DEPTH = 60.0


def gamma_parts(a: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return whether the lower tail is the smaller one, and that tail as a product.

    The first factor is ``x**a * exp(-x) / gamma(a + 1)``; `a` and `x` are positive and finite.
    """
    large = a >= LARGE
    is_lower = x < jnp.where(large, a, a + 1)
    few_a, few_x = jnp.where(large, 1.0, a), jnp.where(large, 1.0, x)
    rest = jnp.where(
        is_lower,
        _gamma_series(few_a, jnp.where(is_lower, few_x, 1.0)),
        a * _gamma_fraction(few_a, jnp.where(is_lower, few_a + 2, few_x)),
    )
    many = lax.cond(jnp.any(large), _gamma_integral, _nothing, a, x)
    return is_lower, gamma_term(a, x), jnp.where(large, a * many, rest)


def gamma_tails(a: Any, x: Any) -> tuple[Any, Any]:
    """Return ``gammainc(a, x)`` and ``gammaincc(a, x)``; nan outside ``a >= 0``, ``x >= 0``."""
    a, x = jnp.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & (a < jnp.inf) & (x < jnp.inf)
    safe_a, safe_x = jnp.where(inside, a, 1.0), jnp.where(inside, x, 1.0)
    is_lower, term, rest = gamma_parts(safe_a, safe_x)
    tail = term * rest
    lower, upper = jnp.where(is_lower, tail, 1 - tail), jnp.where(is_lower, 1 - tail, tail)
    small = (safe_a < 1) & is_lower
    sharp = lax.cond(jnp.any(small), _upper_of_small, _nothing, safe_a, safe_x)
    upper = jnp.where(small, sharp, upper)
    to_end = (x == jnp.inf) & (a < jnp.inf) | (a == 0) & (x > 0)
    to_start = (x == 0) & (a > 0) | (a == jnp.inf) & (x < jnp.inf)
    outside = jnp.where(to_end, 1.0, jnp.where(to_start & (x >= 0), 0.0, jnp.nan))
    outside = jnp.where(a >= 0, outside, jnp.nan)
    return jnp.where(inside, lower, outside), jnp.where(inside, upper, 1 - outside)


def beta_parts(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return whether the lower tail is computed, and that tail, else the upper one, as a product.

    The first factor is ``x**a * y**b / beta(a, b)``; all are positive and finite.
    """
    is_lower = x * (b + 1) < y * (a + 1)
    a, b = jnp.where(is_lower, a, b), jnp.where(is_lower, b, a)
    x, y = jnp.where(is_lower, x, y), jnp.where(is_lower, y, x)
    large = jnp.minimum(a, b) >= LARGE
    few = [jnp.where(large, v, s) for s, v in ((a, 1.0), (b, 1.0), (x, 0.25), (y, 0.75))]
    many = lax.cond(jnp.any(large), _beta_integral, _nothing, a, b, x, y)
    rest = jnp.where(large, many / y, _beta_fraction(*few))
    return is_lower, beta_term(a, b, x, y), rest


def beta_tails(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return ``betainc(a, b, x)`` and ``betaincc(a, b, x)``, where ``x + y == 1``.

    They are nan outside ``a >= 0``, ``b >= 0`` and ``0 <= x <= 1``.
    """
    a, b, x, y = jnp.broadcast_arrays(a, b, x, y)
    inside = (a > 0) & (b > 0) & (x > 0) & (y > 0) & (a < jnp.inf) & (b < jnp.inf)
    a1 = jnp.clip(jnp.where(inside, a, 1.0), 1e-200, 1e100)
    b1 = jnp.clip(jnp.where(inside, b, 1.0), 1e-200, 1e100)
    x1, y1 = jnp.where(inside, x, 0.5), jnp.where(inside, y, 0.5)
    is_lower, term, rest = beta_parts(a1, b1, x1, y1)
    tail = term * rest
    other = beta_other(is_lower, tail, a1, b1, x1, y1)
    lower, upper = jnp.where(is_lower, tail, other), jnp.where(is_lower, other, tail)
    proper = (a >= 0) & (b >= 0) & (x >= 0) & (y >= 0)
    proper = proper & ((a > 0) | (b > 0)) & ((a < jnp.inf) | (b < jnp.inf))
    to_end = (y == 0) | ((a == 0) | (b == jnp.inf)) & (x > 0)
    to_start = (x == 0) | ((b == 0) | (a == jnp.inf)) & (y > 0)
    outside = jnp.where(proper & to_end, 1.0, jnp.where(proper & to_start, 0.0, jnp.nan))
    return jnp.where(inside, lower, outside), jnp.where(inside, upper, 1 - outside)


def beta_other(is_lower: Any, tail: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return the tail that is not the one which `beta_parts` gives."""
    a, b = jnp.where(is_lower, a, b), jnp.where(is_lower, b, a)
    small = a < 0.1
    sharp = lax.cond(jnp.any(small), _beta_of_small, _nothing, a, b, jnp.where(is_lower, x, y))
    return jnp.where(small, sharp, 1 - tail)


def _nothing(first: Any, *others: Any) -> Any:
    return jnp.ones_like(first)


def _gamma_series(a: Any, x: Any) -> Any:
    """Return the sum of ``x**n / ((a + 1) ... (a + n))`` (DLMF 8.7.3)."""

    def step(state: Any) -> Any:
        n, term, total = state
        term = term * x / (a + n)
        return n + 1, term, total + term

    def goes_on(state: Any) -> Any:
        n, term, total = state
        return (n < 1000) & jnp.any(term > _EPS * total / 4)

    one = jnp.ones_like(x)
    return lax.while_loop(goes_on, step, (jnp.asarray(1.0, x.dtype), one, one))[2]


def lentz(first: Any, terms: Callable[[Any], tuple[Any, Any]], most: int = 2000) -> Any:
    """Return ``first + a1 / (b1 + a2 / (b2 + ...))`` by Lentz's method (DLMF 3.10.iii).

    Parameters
    ----------
    terms
        The function that gives ``a_n`` and ``b_n`` for `n`.
    most
        The number of steps after which what was found is returned as it is.
    """

    def step(state: Any) -> Any:
        n, c, d, total, last, _ = state
        above, below = terms(n)
        d = below + above * d
        d = 1 / jnp.where(d == 0, _TINY, d)
        c = below + above / c
        c = jnp.where(c == 0, _TINY, c)
        return n + 1, c, d, total * c * d, c * d, last

    def goes_on(state: Any) -> Any:
        # two steps, since one alone may happen to change nothing
        changes = (jnp.abs(state[4] - 1) > 1e-15) | (jnp.abs(state[5] - 1) > 1e-15)
        return (state[0] < most) & jnp.any(changes)

    first = jnp.where(first == 0, _TINY, first)
    start = (jnp.asarray(1.0, first.dtype), first, jnp.zeros_like(first), first)
    zeros = jnp.zeros_like(first)
    return lax.while_loop(goes_on, step, (*start, zeros, zeros))[3]


def _gamma_fraction(a: Any, x: Any) -> Any:
    """Return ``gamma(a, x) * exp(x) / x**a`` by a continued fraction (DLMF 8.9.2, contracted)."""
    return 1 / lentz(x + 1 - a, lambda n: (-n * (n - a), x + 2 * n + 1 - a))


def _beta_fraction(a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return ``betainc(a, b, x)`` over ``x**a * y**b / beta(a, b)`` by the continued fraction of
    Didonato and Morris, Algorithm 708 (1992), which is DLMF 8.17.22 contracted."""
    apart = a * y - b * x + 1

    def below(m: Any) -> Any:
        # m - 1 first: the parameter may be small
        last = m * (b - m) * x / jnp.where(m == 0, 1.0, a + (2 * m - 1))
        return m + last + (a + m) * (apart + m * (1 + y)) / (a + (2 * m + 1))

    def terms(m: Any) -> tuple[Any, Any]:
        n = a + (2 * m - 1)
        return (a + (m - 1)) * (a + b + (m - 1)) / n * m * (b - m) / n * x * x, below(m)

    return 1 / lentz(below(jnp.asarray(0.0, x.dtype)), terms)


def _upper_of_small(a: Any, x: Any) -> Any:
    """Return ``gammaincc(a, x)`` for `a` below 1 and `x` below 2 (DLMF 8.7.1)."""
    a, x = jnp.minimum(a, 1.0), jnp.minimum(x, 2.0)

    def step(n: Any, state: Any) -> Any:
        power, total = state
        power = -power * x / n
        return power, total + power / (a + n)

    _, total = lax.fori_loop(1, 28, step, (jnp.ones_like(x), jnp.zeros_like(x)))
    exponent = a * jnp.log(x) - log_gamma_1p(a)
    return -jnp.expm1(exponent) - a * jnp.exp(exponent) * total


def _beta_of_small(a: Any, b: Any, x: Any) -> Any:
    """Return ``betaincc(a, b, x)`` for `a` below 0.1 and `x` below its mean (DLMF 8.17.7)."""
    a = jnp.minimum(a, 0.1)

    def step(n: Any, state: Any) -> Any:
        power, total = state
        power = power * (n - b) / n * x
        return power, total + power / (a + n)

    _, total = lax.fori_loop(1, 60, step, (jnp.ones_like(x), jnp.zeros_like(x)))
    # log(gamma(1 + a + b) / gamma(1 + b)) as the integral of its derivative
    slope = sum(w * special.digamma(1 + b + a * t) for t, w in zip(*_FEW, strict=True))
    exponent = a * (jnp.log(x) + slope) - jnp.log1p(a / b) - log_gamma_1p(a)
    return -jnp.expm1(exponent) - a * jnp.exp(exponent) * total


def _gamma_integral(a: Any, x: Any) -> Any:
    """Return the tail beyond `x`, away from `a`, over ``x**a * exp(-x) / gamma(a)``."""
    side = jnp.where(x < a, -1.0, 1.0)[..., None]
    a, x = a[..., None], x[..., None]
    slope = jnp.abs(x - a)
    end = 2 * _DEPTH / (slope + jnp.sqrt(slope * slope + 2 * _DEPTH * x))
    s = end * _NODES
    exponent = slope * s + x * exp_less(side * s)
    return jnp.sum(jnp.exp(-exponent) * (end * _WEIGHTS), -1)


def _beta_integral(a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return the tail below `x` over ``x**a * y**(b - 1) / beta(a, b)``."""
    a, b, x, y = a[..., None], b[..., None], x[..., None], y[..., None]
    odds = (b - 1) * x / y
    slope = (a * y - (b - 1) * x) / y
    end = 2 * _DEPTH / (slope + jnp.sqrt(slope * slope + 2 * _DEPTH * odds / y))
    s = end * _NODES
    w = -jnp.expm1(-s) * x / y
    exponent = slope * s + odds * exp_less(-s) - (b - 1) * log_less(w, 1 + w)
    return jnp.sum(jnp.exp(-exponent) * (end * _WEIGHTS), -1)
