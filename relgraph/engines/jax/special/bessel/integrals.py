"""Integrals of Bessel and Struve functions of the order 0, by tables.

DLMF 10.22 and 10.43, and 11.2 and 11.5 for Struve's; Abramowitz and Stegun, 11.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.special.bessel.tables import (
    log_half,
    reciprocal,
    table,
    times_log_half,
    wave,
)

_NEAR, _NEAR_GROWING, _NEAR_FALLING = 8.0, 20.0, 2.0
_EULER = float(np.euler_gamma)
_TWO_OVER_PI = 2 / math.pi


def _rest(x: Any) -> tuple[Any, Any]:
    """Return the integrals of J0 and Y0 from a large `x` on."""
    y = reciprocal(x)
    real, imag = wave("ith", x, y)
    scale = jnp.sqrt(_TWO_OVER_PI * y)
    return real * scale, imag * scale


def _rest_over(x: Any) -> tuple[Any, Any]:
    """Return the integrals of ``J0(t) / t`` and ``Y0(t) / t`` from a large `x` on."""
    y = reciprocal(x)
    real, imag = wave("it2h", x, y)
    scale = jnp.sqrt(_TWO_OVER_PI * y) * y
    return real * scale, imag * scale


def _of_j(x: Any) -> Any:
    size = jnp.abs(x)
    far = jnp.sign(x) * (1 - _rest(size)[0])
    return jnp.where(size < _NEAR, x * table("itj")(size), far)


def _of_y(x: Any) -> Any:
    near = x * table("itj.y")(x) + _TWO_OVER_PI * times_log_half(x * table("itj")(x), x)
    return jnp.where(x < _NEAR, near, -_rest(x)[1])


def _of_j_over(x: Any) -> Any:
    size = jnp.abs(x)
    far = log_half(size) + _EULER + _rest_over(size)[0]
    return jnp.where(size < _NEAR, x * x * table("it2j")(size), far)


def _of_y_over(x: Any) -> Any:
    log = log_half(x)
    of_j = times_log_half(x * x * table("it2j")(x), x)
    near = table("it2y")(x) + _TWO_OVER_PI * (of_j - log * (log / 2 + _EULER))
    return jnp.where(x < _NEAR, near, _rest_over(x)[1])


def _of_i(x: Any) -> Any:
    size = jnp.abs(x)
    y = reciprocal(size)
    far = jnp.sign(x) * jnp.exp(size) * jnp.sqrt(y) * table("iti.far")(y)
    return jnp.where(size < _NEAR_GROWING, x * jnp.exp(size) * table("iti")(size), far)


def _of_k(x: Any) -> Any:
    y = reciprocal(x)
    near = x * table("itk")(x) - times_log_half(x * jnp.exp(x) * table("iti")(x), x)
    far = math.pi / 2 - jnp.exp(-x) * jnp.sqrt(y) * table("itk.far")(y)
    return jnp.where(x < _NEAR_FALLING, near, far)


def _of_i_over(x: Any) -> Any:
    size = jnp.abs(x)
    y = reciprocal(size)
    far = jnp.exp(size) * jnp.sqrt(y) * y * table("it2i.far")(y) - log_half(size) - _EULER
    near = x * x * jnp.exp(size) * table("it2i")(size)
    return jnp.where(size < _NEAR_GROWING, near, far)


def _of_k_over(x: Any) -> Any:
    y, log = reciprocal(x), log_half(x)
    of_i = times_log_half(x * x * jnp.exp(x) * table("it2i")(x), x)
    near = table("it2k")(x) + of_i + log * (log / 2 + _EULER)
    far = jnp.exp(-x) * jnp.sqrt(y) * y * table("it2k.far")(y)
    found = jnp.where(x < _NEAR_FALLING, near, far)
    return jnp.where(x == jnp.inf, jnp.nan, found)


def itstruve0(x: Any) -> Any:
    size = jnp.abs(x)
    log = _TWO_OVER_PI * (jnp.log(2 * size) + _EULER)
    far = log + table("itstruve.far")(reciprocal(size)) - _rest(size)[1]
    return jnp.where(size < _NEAR, x * x * table("itstruve")(size), far)


def it2struve0(x: Any) -> Any:
    size = jnp.abs(x)
    y = reciprocal(size)
    far = _rest_over(size)[1] + y * table("it2struve.far")(y)
    found = jnp.where(size < _NEAR, math.pi / 2 - size * table("it2struve")(size), far)
    return jnp.where(x < 0, math.pi - found, found)


def itmodstruve0(x: Any) -> Any:
    size = jnp.abs(x)
    square = reciprocal(size) ** 2
    less = jnp.log(2 * size) + _EULER - square * (0.5 + 2.25 * square)
    near = x * x * jnp.exp(size) * table("itmodstruve")(size)
    return jnp.where(size < _NEAR_GROWING, near, _of_i(size) - _TWO_OVER_PI * less)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "itj0y0.0": _of_j,
    "itj0y0.1": _of_y,
    "iti0k0.0": _of_i,
    "iti0k0.1": _of_k,
    "it2j0y0.0": _of_j_over,
    "it2j0y0.1": _of_y_over,
    "it2i0k0.0": _of_i_over,
    "it2i0k0.1": _of_k_over,
    "itstruve0": itstruve0,
    "it2struve0": it2struve0,
    "itmodstruve0": itmodstruve0,
}
