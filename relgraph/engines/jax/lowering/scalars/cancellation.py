"""Functions that are exact where the formula that defines them cancels.

The series are those of `relgraph.scalar.cancellation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from relgraph.scalar.cancellation import LOG1PMX, SIN_LESS_XCOS, X_LESS_SIN


def _polynomial(coefficients: Sequence[float], y: Any) -> Any:
    total = jnp.full_like(y, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * y + c
    return total


def cosm1(x: Any) -> Any:
    half = jnp.sin(x * 0.5)
    return -2 * half * half


def log1pmx(x: Any) -> Any:
    near = jnp.abs(x) < 0.5
    small = jnp.where(near, x, 0)
    r = small / (2 + small)
    y = r * r
    series = r * (2 * y * _polynomial(LOG1PMX, y) - small)
    return jnp.where(near, series, jnp.log1p(x) - x)


def log1p_sqr(x: Any) -> Any:
    square = x * x
    return jnp.where(jnp.isinf(square), 2 * jnp.log(jnp.abs(x)), jnp.log1p(square))


def hypot1m1(x: Any) -> Any:
    near = jnp.abs(x) < 1
    small = jnp.where(near, x, 0)
    square = small * small
    return jnp.where(near, square / (jnp.sqrt(1 + square) + 1), jnp.hypot(jnp.ones_like(x), x) - 1)


def x_less_sin(x: Any) -> Any:
    near = jnp.abs(x) < 2
    small = jnp.where(near, x, 0)
    y = small * small
    return jnp.where(near, small * y * _polynomial(X_LESS_SIN, y), x - jnp.sin(x))


def tan_less_x(x: Any) -> Any:
    near = jnp.abs(x) < 1
    small = jnp.where(near, x, 0)
    y = small * small
    series = small * y * _polynomial(SIN_LESS_XCOS, y) / jnp.cos(small)
    return jnp.where(near, series, jnp.tan(x) - x)


def sqr_less_sqr(x: Any, y: Any) -> Any:
    square, other = x * x, y * y
    found = square - other
    near = jnp.abs(found) < 0.6 * (square + other)
    found = jnp.where(near, (x - y) * (x + y), found)
    halves = (x / 2 - y / 2) * (x / 2 + y / 2)
    return jnp.where(jnp.isfinite(found), found, 4 * halves)
