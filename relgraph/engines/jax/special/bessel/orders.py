"""``scipy.special``'s Bessel functions of real orders: orders and arguments of either sign.

DLMF 10.2 to 10.4, 10.11, 10.25 to 10.27, 10.34. Where SciPy gives nan because numbers are too large
or too small for AMOS, these give the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.bessel.real_order import first_and_second, modified


def _sin_pi(v: Any) -> Any:
    """Return the sine of ``pi * v``, which is 0 of whole numbers."""
    rest = v - 2 * jnp.round(v / 2)
    near = jnp.where(jnp.abs(rest) > 0.5, jnp.sign(rest) - rest, rest)
    return jnp.sin(math.pi * near)


def _cos_pi(v: Any) -> Any:
    return _sin_pi(jnp.mod(v, 2.0) + 0.5)


def _times(factor: Any, value: Any) -> Any:
    """Return a product that is 0 where the factor is, be the value infinite."""
    return jnp.where(factor == 0, 0.0, factor * value)


def _inside(v: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return the absolute order and argument, or ones, and whether they are numbers but 0."""
    usable = (x != 0) & jnp.isfinite(x) & jnp.isfinite(v)
    return jnp.where(usable, jnp.abs(v), 1.0), jnp.where(usable, jnp.abs(x), 1.0), usable


def _for_negative(v: Any, x: Any, found: Any) -> Any:
    """Return what is found for abs(x) with the sign of x's: nan, if the order is not whole."""
    sign = jnp.where(v == jnp.round(v), 1 - 2 * jnp.mod(jnp.abs(v), 2.0), jnp.nan)
    return jnp.where(x < 0, sign * found, found)


def _ordinary(v: Any, x: Any) -> tuple[Any, Any]:
    """Return J and Y of the absolute order and argument."""
    order, argument, usable = _inside(v, x)
    first, second = first_and_second(order, argument)
    at_zero = (x == 0) & ~jnp.isnan(v)
    other = jnp.where(v == 0, 1.0, 0.0), jnp.full_like(second, -jnp.inf)
    return tuple(
        jnp.where(usable, found, jnp.where(at_zero, limit, jnp.nan))
        for found, limit in zip((first, second), other, strict=True)
    )


def jv(v: Any, x: Any) -> Any:
    first, second = _ordinary(v, x)
    turned = _times(_cos_pi(v), first) + _times(_sin_pi(v), second)
    return _for_negative(v, x, jnp.where(v < 0, turned, first))


def yv(v: Any, x: Any) -> Any:
    first, second = _ordinary(v, x)
    turned = _times(_cos_pi(v), second) - _times(_sin_pi(v), first)
    return jnp.where(x < 0, jnp.nan, jnp.where(v < 0, turned, second))


def ive(v: Any, x: Any) -> Any:
    return _first_modified(v, x, 0.0)


def iv(v: Any, x: Any) -> Any:
    return _first_modified(v, x, 1.0)


def _first_modified(v: Any, x: Any, scale: float) -> Any:
    """Return I times ``exp((scale - 1) * abs(x))``."""
    order, argument, usable = _inside(v, x)
    first, second, growth = modified(order, argument)
    found = _scaled(first, growth + scale * argument)
    other = _scaled(second, (scale - 2) * argument - growth)
    turned = found - _times(_sin_pi(v), other) * (2 / math.pi)
    at_zero = jnp.where(v == 0, 1.0, _times(-_sin_pi(jnp.minimum(v, 0.0)), jnp.inf))
    at_zero = jnp.where((x == 0) & ~jnp.isnan(v), at_zero, jnp.nan)
    found = jnp.where(usable, jnp.where(v < 0, turned, found), at_zero)
    return _for_negative(v, x, found)


def kve(v: Any, x: Any) -> Any:
    return _second_modified(v, x, 0.0)


def kv(v: Any, x: Any) -> Any:
    found = _second_modified(v, x, 1.0)
    return jnp.where((x == jnp.inf) & jnp.isfinite(v), 0.0, found)


def _second_modified(v: Any, x: Any, scale: float) -> Any:
    """Return K times ``exp((1 - scale) * x)``."""
    order, argument, usable = _inside(v, x)
    _, second, growth = modified(order, argument)
    found = _scaled(second, -growth - scale * argument)
    found = jnp.where(usable & (x > 0), found, jnp.nan)
    return jnp.where((x == 0) & ~jnp.isnan(v), jnp.inf, found)


def _scaled(value: Any, exponent: Any) -> Any:
    """Return a value times ``exp(exponent)``, which alone may be too large."""
    half = jnp.exp(exponent / 2)
    return value * half * half


def _hankel(kind: int, is_scaled: bool) -> Callable[[Any, Any], Any]:
    """Return a Hankel function of a real argument, below 0 on the upper side of the cut."""

    def hankel(v: Any, x: Any) -> Any:
        first, second = _ordinary(v, x)
        one, two = lax.complex(first, second), lax.complex(first, -second)
        order = jnp.abs(v)
        turn = lax.complex(_cos_pi(order), _sin_pi(order))
        if kind == 1:
            found = jnp.where(x < 0, -jnp.conj(turn) * two, one)
        else:
            found = jnp.where(x < 0, turn * one + 2 * turn.real * two, two)
            turn = jnp.conj(turn)
        found = jnp.where(v < 0, turn * found, found)
        if is_scaled:
            cos, sin = jnp.cos(x), jnp.sin(x)
            found = found * lax.complex(cos, -sin if kind == 1 else sin)
        return jnp.where((x != 0) & jnp.isfinite(found), found, jnp.nan + 1j * jnp.nan)

    return hankel


def _finite_at_zero(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function that is nan at 0 where another one is infinite, as SciPy's scaled ones."""

    def scaled(v: Any, x: Any) -> Any:
        found = function(v, x)
        return jnp.where((x == 0) & jnp.isinf(found), jnp.nan, found)

    return scaled


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "jn": jv,
    "yn": lambda n, x: yv(jnp.trunc(n), x),
    "kn": lambda n, x: kv(jnp.trunc(n), x),
    "jv": jv,
    "jve": _finite_at_zero(jv),
    "yv": yv,
    "yve": _finite_at_zero(yv),
    "iv": iv,
    "ive": _finite_at_zero(ive),
    "kv": kv,
    "kve": kve,
    "hankel1": _hankel(1, False),
    "hankel1e": _hankel(1, True),
    "hankel2": _hankel(2, False),
    "hankel2e": _hankel(2, True),
}
