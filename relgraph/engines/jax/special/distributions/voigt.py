"""Voigt's profile, by the complex error function.

Trapezoidal rules with the residues of the poles (Al Azah and Chandler-Wilde, Computation of the
complex error function using modified trapezoidal rules, 2021): 12 nodes give all digits. The real
part of the sums is written in real numbers, of which all are positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

_COUNT = 11
_STEP = math.sqrt(math.pi / (_COUNT + 1))


def faddeeva_real(x: Any, y: Any) -> Any:
    """Return the real part of ``wofz(x + 1j * y)`` for finite `x` and `y` that are not negative."""
    far = jnp.maximum(x, y) > 1e8
    x1, y1 = jnp.where(far, 1.0, x), jnp.where(far, 1.0, y)
    # the nodes are whole or half steps, whichever are farther from x
    fraction = x1 / _STEP - jnp.floor(x1 / _STEP)
    at_halves = (y1 >= x1) | (fraction < 0.25) | (fraction > 0.75)
    offset = jnp.where(at_halves, 0.5, 0.0)
    square = x1 * x1 + y1 * y1
    total = jnp.where(at_halves, 0.0, y1 / jnp.where(at_halves, 1.0, square) * (_STEP / math.pi))
    for k in range(_COUNT + 1):
        node = (k + offset) * _STEP
        node_square = node * node
        real, imaginary = (x1 - y1) * (x1 + y1) - node_square, 2 * x1 * y1
        weight = jnp.exp(-node_square) * (square + node_square)
        if k == 0:
            weight = jnp.where(at_halves, weight, 0.0)
        size = real * real + imaginary * imaginary
        total = total + 2 * _STEP / math.pi * y1 * weight / jnp.where(weight == 0, 1.0, size)
    total = total + jnp.where(y1 >= jnp.maximum(x1, math.pi / _STEP), 0.0, _residue(x1, y1, offset))
    radius = jnp.hypot(x, y)
    return jnp.where(far, y / radius / radius / math.sqrt(math.pi), total)


def _residue(x: Any, y: Any, offset: Any) -> Any:
    """Return the real part of ``2 exp(-z**2) / (1 -+ exp(-2j pi z / h))``, where z is x + 1j y."""
    sign = jnp.where(offset > 0, 1.0, -1.0)
    size = jnp.exp(-jnp.minimum(2 * math.pi / _STEP * y, 600.0))
    turn = 2 * math.pi * (x / _STEP - jnp.round(x / _STEP))
    # both multiplied by size, so that nothing overflows
    real, imaginary = size + sign * jnp.cos(turn), -sign * jnp.sin(turn)
    norm = real * real + imaginary * imaginary
    norm = jnp.where(norm == 0, 1.0, norm)
    phase = -2 * x * y
    found = (jnp.cos(phase) * real + jnp.sin(phase) * imaginary) / norm
    exponent = jnp.clip((y - x) * (y + x), -745.0, 700.0)
    return 2 * jnp.exp(exponent) * size * found


def _voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    finite = (jnp.abs(x) < jnp.inf) & (jnp.abs(sigma) < jnp.inf) & (jnp.abs(gamma) < jnp.inf)
    inside = finite & (sigma != 0) & (gamma != 0)
    width = jnp.where(inside, sigma, 1.0) * math.sqrt(2)
    z = jnp.abs(jnp.where(inside, x, 1.0) / width)
    w = jnp.where(inside, gamma, 1.0) / width
    found = faddeeva_real(z, jnp.abs(w))
    # below the real line, DLMF 7.4.3
    reflected = 2 * jnp.exp((w - z) * (w + z)) * jnp.cos(2 * z * w) - found
    found = jnp.where(w < 0, reflected, found) / (width * math.sqrt(math.pi))
    normal = jnp.exp(-jnp.square(x / sigma) / 2) / sigma / math.sqrt(2 * math.pi)
    lorentz = gamma / math.pi / (x * x + gamma * gamma)
    at_zero = jnp.where(x == 0, jnp.inf, jnp.where(jnp.isnan(x), jnp.nan, 0.0))
    outside = jnp.where(gamma == 0, jnp.where(sigma == 0, at_zero, normal), lorentz)
    outside = jnp.where(jnp.isinf(sigma) & (gamma != 0), 0.0, outside)
    of_infinite = jnp.where((gamma > 0) & (sigma > 0), 0.0, jnp.nan)
    outside = jnp.where(jnp.isinf(gamma), of_infinite, outside)
    undefined = jnp.isnan(x) | jnp.isnan(sigma) | jnp.isnan(gamma)
    undefined = undefined | jnp.isinf(x) & jnp.isinf(sigma) | jnp.isinf(gamma) & jnp.isinf(sigma)
    return jnp.where(inside, found, jnp.where(undefined, jnp.nan, outside))


FUNCTIONS: dict[str, Callable[..., Any]] = {"voigt_profile": _voigt_profile}
