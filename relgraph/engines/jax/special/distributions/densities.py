"""The leading terms of the incomplete gamma and beta functions, right for large parameters too.

Loader, Fast and Accurate Computation of Binomial Probabilities (2000): a density is its value at
the mode times the exponential of a deviance, which is computed without cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from scipy.special import zetac

from relgraph.scalar.cancellation import log1pmx_formula

# B_2k / (2k (2k - 1)), DLMF 5.11.1
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_EULER = 0.57721566490153286
# (-1)**k (zeta(k) - 1) / k for k = 2, 3, ..., DLMF 5.7.3
_LOG_GAMMA = tuple((-1) ** k * float(zetac(k)) / k for k in range(2, 32))


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Return the sum of ``c[k] * x**k``."""
    total = jnp.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


def stirling_error(z: Any) -> Any:
    """Return ``log(gamma(z))`` less Stirling's formula of it, for positive `z` (DLMF 5.11.1)."""
    large = jnp.where(z < 10, 10.0, z)
    series = polynomial(_STIRLING, 1 / (large * large)) / large
    small = jnp.where(z < 10, z, 1.0)
    direct = special.gammaln(small) - (small - 0.5) * jnp.log(small) + small
    return jnp.where(z < 10, direct - math.log(2 * math.pi) / 2, series)


def log_gamma_1p(a: Any) -> Any:
    """Return ``log(gamma(1 + a))`` for `a` of 0 and more, exact near 0 too (DLMF 5.7.3)."""
    near = a < 0.5
    small = jnp.where(near, a, 0.0)
    series = small * (1 - _EULER + small * polynomial(_LOG_GAMMA, small)) - jnp.log1p(small)
    return jnp.where(near, series, special.gammaln(1 + jnp.where(near, 1.0, a)))


def log_less(difference: Any, ratio: Any) -> Any:
    """Return ``log(ratio) - (ratio - 1)``, where the difference is ``ratio - 1``."""
    near = jnp.abs(difference) < 0.5
    small = jnp.where(near, difference, 0.0)
    return jnp.where(near, log1pmx_formula(jnp, small), jnp.log(ratio) - difference)


def exp_less(x: Any) -> Any:
    """Return ``exp(x) - 1 - x`` for numbers of which the size is at most 1."""
    return x * x * polynomial([1 / math.factorial(k) for k in range(2, 20)], x)


def gamma_term(a: Any, x: Any) -> Any:
    """Return ``x**a * exp(-x) / gamma(a + 1)`` for positive numbers."""
    large = jnp.where(a < 10, 10.0, a)
    u = (x - large) / large
    exponent = large * log_less(u, x / large) - stirling_error(large)
    far = jnp.exp(exponent) / jnp.sqrt(2 * math.pi * large)
    small, bounded = jnp.where(a < 10, a, 1.0), jnp.minimum(x, 2000.0)
    near = jnp.exp(-bounded - log_gamma_1p(small)) * jnp.power(bounded, small)
    return jnp.where(a < 10, near, far)


def beta_term(a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return ``x**a * y**b / beta(a, b)`` for positive numbers, where ``x + y == 1``."""
    n = a + b
    apart = x * b - y * a
    deviance = a * log_less(apart / a, x * (n / a)) + b * log_less(-apart / b, y * (n / b))
    rest = stirling_error(n) - stirling_error(a) - stirling_error(b)
    return jnp.exp(deviance + rest) * jnp.sqrt(a / n * b / (2 * math.pi))
