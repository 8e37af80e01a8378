"""Bessel functions of real orders and arguments: of small ones by series, else by contours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from relgraph.engines.jax.special.bessel import near_zero
from relgraph.engines.jax.special.bessel.contours import (
    DEPTH,
    Path,
    cubic_reach,
    gaussian_reach,
    real_integral,
)

_UP, _STEEPEST = 2.5, 2.0
_RISING = math.tan(math.radians(55.0))


def _first_and_second(v: Any, x: Any) -> tuple[Any, Any]:
    small = (x < near_zero.ARGUMENT) & (v < near_zero.ORDER)
    series = jnp.where(small, v, 0.0), jnp.where(small, x, 1.0), -1.0
    first, second = _by_contours(jnp.where(small, 8.0, v), jnp.where(small, 8.0, x))
    return (
        jnp.where(small, near_zero.first_kind(*series), first),
        jnp.where(small, near_zero.second_kind(*series), second),
    )


def _by_contours(v: Any, x: Any) -> tuple[Any, Any]:
    below = x < v
    w = jnp.sqrt(jnp.abs(x - v)) * jnp.sqrt(x + v)
    slow, none = jnp.minimum(gaussian_reach(w, 80.0), 2 * cubic_reach(v)), jnp.zeros_like(w)
    right = Path(
        jnp.where(below, w, none),
        jnp.where(below, none, w),
        v,
        jnp.where(below, _steepest(w, v), _RISING),
        _UP,
    ).integral(slow)
    angle = jnp.where(below, 0.0, jnp.arctan2(w, v))
    left = Path(
        jnp.where(below, -w, none),
        jnp.where(below, none, w),
        -v,
        jnp.minimum(1.0, 4 * angle / slow),
        jnp.maximum(angle, 1e-10),
    ).integral(slow)
    above = _oscillating(v, x, w, (left[0] + right[0], left[1] + right[1]))
    return tuple(
        jnp.where(below, a, b) for a, b in zip(_monotone(v, x, w, left, right), above, strict=True)
    )


def _steepest(w: Any, v: Any) -> Any:
    """Return the slope towards where the exponent ``w * u**2 / 2 + v * u**3 / 6`` is real."""
    b = jnp.minimum(gaussian_reach(w), cubic_reach(v)) / 2
    across = jnp.hypot(w, v * b / math.sqrt(3)) + w
    return jnp.minimum(3 * across / jnp.maximum(v * b, 1e-300), _STEEPEST)


def _monotone(v: Any, x: Any, w: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return J and Y for ``x < v``, where the saddles are real."""
    distance = jnp.arcsinh(w / x)
    growth = v * distance - w
    spent = jnp.where(v * distance > DEPTH + w, (DEPTH + w) / jnp.maximum(v, 1e-300), jnp.inf)
    between = real_integral(w, v, jnp.minimum(2 * distance, spent), 2 * distance)
    grown, shrunk = jnp.exp(growth) / math.pi, jnp.exp(-growth) / math.pi
    return shrunk * right[1], -(grown * (left[0] + between) + shrunk * right[0])


def _oscillating(v: Any, x: Any, w: Any, integral: Any) -> tuple[Any, Any]:
    """Return J and Y for ``x >= v``: the integral turned by ``w - v * arccos(v / x)``."""
    phase = v * jnp.arctan2(v, w) - v * (v / (x + w))
    quarters = jnp.mod(v, 4.0) * (math.pi / 2)
    real, imag = integral
    for angle in (x, phase, -quarters, jnp.full_like(x, -math.pi / 2)):
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        real, imag = real * cos - imag * sin, real * sin + imag * cos
    return real / math.pi, imag / math.pi


class Modified(NamedTuple):
    """I is `first` times ``exp(growth + x)``, and K `second` over that."""

    first: Any
    second: Any
    growth: Any


def _modified(v: Any, x: Any) -> Modified:
    small = (x < near_zero.ARGUMENT) & (v < near_zero.ORDER)
    near = jnp.where(small, v, 0.0), jnp.where(small, x, 1.0), 1.0
    first, second = _modified_by_contours(jnp.where(small, 8.0, v), jnp.where(small, 8.0, x))
    return Modified(
        jnp.where(small, near_zero.first_kind(*near), first),
        jnp.where(small, near_zero.second_kind(*near), second),
        jnp.where(small, -x, _growth(v, x)),
    )


def _growth(v: Any, x: Any) -> Any:
    return v * (v / (x + jnp.hypot(v, x)) - jnp.arcsinh(v / x))


def _modified_by_contours(v: Any, x: Any) -> tuple[Any, Any]:
    w = jnp.hypot(v, x)
    slow = jnp.minimum(gaussian_reach(w, 80.0), 2 * cubic_reach(v))
    first = Path(w, jnp.zeros_like(w), v, _steepest(w, v), _UP).integral(slow)[1]
    spent = (DEPTH + v * (v / (x + w))) / jnp.maximum(v, 1e-300)
    level = jnp.arcsinh(v / x) + jnp.arccosh((DEPTH + w) / x)
    after = real_integral(w, -v, slow)
    before = real_integral(w, v, jnp.minimum(spent, level))
    return first / math.pi, (before + after) / 2


first_and_second: Callable[[Any, Any], tuple[Any, Any]] = jax.jit(_first_and_second)
"""The functions J and Y, for ``v >= 0`` and ``x > 0``."""

modified: Callable[[Any, Any], Modified] = jax.jit(_modified)
"""The functions I and K, for ``v >= 0`` and ``x > 0``."""
