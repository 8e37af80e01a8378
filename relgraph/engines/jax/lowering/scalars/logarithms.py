"""Logarithms and exponentials that neither overflow nor cancel, and `polygamma`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special
from jax import lax

from relgraph.scalar.transcendental import LN2


def gammaln(x: Any) -> Any:
    return jnp.where(x == -jnp.inf, -jnp.inf, special.gammaln(x))


def digamma(x: Any) -> Any:
    return jnp.where(x == 0, jnp.copysign(jnp.inf, -x), special.digamma(x))


def softplus(x: Any) -> Any:
    return jnp.logaddexp(jnp.zeros_like(x), x)


def log1mexp(x: Any) -> Any:
    small = x.real < -LN2
    return jnp.where(small, jnp.log1p(-jnp.exp(x)), jnp.log(-jnp.expm1(x)))


def zeta(s: Any, q: Any) -> Any:
    at_pole = (q <= 0) & (q == jnp.floor(q))
    of_first = jnp.where(q < 1, jnp.inf, jnp.where(q == 1, 1.0, jnp.nan))
    found = jnp.where(s == jnp.inf, of_first, special.zeta(s, q))
    found = jnp.where((q == jnp.inf) & (s > 1), 0.0, found)
    return jnp.where(at_pole, jnp.where(s < 1, jnp.nan, jnp.inf), found)


def polygamma(n: Any, x: Any) -> Any:
    order = n + 1
    derivative = jnp.power(-1.0, order) * special.gamma(order) * zeta(order, x)
    return jnp.where(n == 0, digamma(x), derivative)


def _is_normal(x: Any) -> Any:
    limits, size = jnp.finfo(x.dtype), jnp.abs(x)
    return (size >= limits.tiny) & (size <= limits.max)


def _frexp(x: Any) -> tuple[Any, Any]:
    """Return fractions and exponents, those of 0 for what XLA takes for 0: subnormal numbers."""
    fraction, exponent = jnp.frexp(x)
    return jnp.where(x == 0, 0 * fraction, fraction), jnp.where(x == 0, 0, exponent)


def log_product(y: Any, z: Any, *xs: Any) -> Any:
    product = jnp.exp(y)
    ordinary: Any = True
    for x in xs:
        ordinary = ordinary & _is_normal(product)
        product = product * x
    quotient = product / z
    ordinary = ordinary & _is_normal(product) & _is_normal(quotient)
    return jnp.where(ordinary, jnp.log(quotient), _log_of_product(y, z, xs))


def _log_of_product(y: Any, z: Any, xs: Sequence[Any]) -> Any:
    most = -2 * LN2 * float(jnp.finfo(y.dtype).minexp + 1)
    inside = jnp.clip(y, -most, most)
    fraction, exponent = _frexp(jnp.exp(inside / 2))
    fraction, exponent = fraction * fraction, 2 * exponent
    for x in xs:
        factor, of_factor = _frexp(x)
        fraction, carried = _frexp(fraction * factor)
        exponent = exponent + of_factor + carried
    divisor, of_divisor = _frexp(z)
    fraction, carried = _frexp(fraction / divisor)
    exponent = exponent - of_divisor + carried
    is_low = jnp.abs(fraction) < math.sqrt(0.5)
    fraction, exponent = jnp.where(is_low, 2 * fraction, fraction), exponent - is_low
    of_exponent = lax.convert_element_type(exponent, y.dtype) * LN2
    total = (y - inside) + (jnp.log(jnp.abs(fraction)) + of_exponent)
    return jnp.where(jnp.signbit(fraction) & (total > -jnp.inf), jnp.nan, total)


def log_determinant(x: Any, y: Any, z: Any, w: Any) -> Any:
    difference = x * y - z * w
    finite = jnp.isfinite(x) & jnp.isfinite(y) & jnp.isfinite(z) & jnp.isfinite(w)
    exact = _is_normal(difference) | ~finite
    return jnp.where(exact, jnp.log(difference), _log_of_fractions(x, y, z, w))


def _log_of_fractions(x: Any, y: Any, z: Any, w: Any) -> Any:
    (a, of_a), (b, of_b), (c, of_c), (d, of_d) = map(_frexp, (x, y, z, w))
    first, second = a * b, c * d
    least = jnp.iinfo(of_a.dtype).min // 4
    by_first = jnp.where(first == 0, least, of_a + of_b)
    by_second = jnp.where(second == 0, least, of_c + of_d)
    largest = jnp.maximum(by_first, by_second)
    scaled = jnp.ldexp(first, by_first - largest) - jnp.ldexp(second, by_second - largest)
    return jnp.log(scaled) + lax.convert_element_type(largest, x.dtype) * LN2
