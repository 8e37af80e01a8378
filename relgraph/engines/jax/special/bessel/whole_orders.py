"""Bessel functions of the orders 0 and 1, by tables.

What is singular at zero is taken apart (DLMF 10.8, 10.31), and so is, of large arguments, what
oscillates or falls (DLMF 10.17, 10.40): the rest is smooth in the reciprocal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from relgraph.engines.jax.special.bessel.tables import (
    log_half,
    reciprocal,
    table,
    times_log_half,
    wave,
)

_NEAR, _NEAR_MODIFIED = 6.0, 2.0


def _far(order: int, x: Any) -> tuple[Any, Any]:
    """Return J and Y of large arguments."""
    real, imag = wave(f"h{order}", x, reciprocal(x))
    scale = jnp.sqrt(2 / math.pi * reciprocal(x))
    return (real * scale, imag * scale) if order == 0 else (imag * scale, -real * scale)


def j0(x: Any) -> Any:
    size = jnp.abs(x)
    return jnp.where(size < _NEAR, table("j0")(size), _far(0, size)[0])


def j1(x: Any) -> Any:
    size = jnp.abs(x)
    return jnp.where(size < _NEAR, x * table("j1")(size), jnp.sign(x) * _far(1, size)[0])


def y0(x: Any) -> Any:
    near = table("y0")(x) + 2 / math.pi * log_half(x) * table("j0")(x)
    return jnp.where(x < _NEAR, near, _far(0, x)[1])


def y1(x: Any) -> Any:
    singular = times_log_half(x * table("j1")(x), x) - 1 / jnp.abs(x)
    return jnp.where(x < _NEAR, x * table("y1")(x) + 2 / math.pi * singular, _far(1, x)[1])


def k0e(x: Any) -> Any:
    return _falling(_k0_near(x) * jnp.exp(x), "k0.far", x, 1.0)


def k0(x: Any) -> Any:
    return _falling(_k0_near(x), "k0.far", x, jnp.exp(-x))


def k1e(x: Any) -> Any:
    return _falling(_k1_near(x) * jnp.exp(x), "k1.far", x, 1.0)


def k1(x: Any) -> Any:
    return _falling(_k1_near(x), "k1.far", x, jnp.exp(-x))


def _k0_near(x: Any) -> Any:
    return table("k0")(x) - log_half(x) * table("i0")(x)


def _k1_near(x: Any) -> Any:
    return x * table("k1")(x) + times_log_half(x * table("i1")(x), x) + 1 / jnp.abs(x)


def _falling(near: Any, name: str, x: Any, scale: Any) -> Any:
    y = reciprocal(x)
    return jnp.where(x < _NEAR_MODIFIED, near, scale * table(name)(y) * jnp.sqrt(y))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    f.__name__: f for f in (j0, j1, y0, y1, k0, k0e, k1, k1e)
}
