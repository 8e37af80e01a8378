"""Kelvin functions: modified Bessel functions on the ray of angle pi / 4, by tables.

DLMF 10.61, 10.65 and 10.67; what grows is taken from what falls by DLMF 10.34.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.bessel.tables import (
    log_half,
    reciprocal,
    table,
    times_log_half,
)

_FIRST, _SECOND = 8.0, 2.0
_DIAGONAL = math.sqrt(0.5), math.sqrt(0.5)


class _Number(NamedTuple):
    """A complex number."""

    real: Any
    imag: Any


def _turned(number: _Number, cos: Any, sin: Any) -> _Number:
    """Return the product with ``cos + i * sin``."""
    real, imag = number
    return _Number(real * cos - imag * sin, real * sin + imag * cos)


def _falling(order: int, x: Any) -> _Number:
    """Return K of the order at ``x * exp(i * pi / 4)``, for large `x`."""
    y, part = reciprocal(x), x * math.sqrt(0.5)
    scale = jnp.exp(-part) * jnp.sqrt(y)
    tables = table(f"kelvin{order}.re")(y), table(f"kelvin{order}.im")(y)
    real, imag = _turned(_Number(*tables), jnp.cos(part), -jnp.sin(part))
    return _Number(scale * real, scale * imag)


def _growing(order: int, x: Any) -> _Number:
    """Return ber and bei, or, of order 1, their derivatives, for large `x`."""
    y, part = reciprocal(x), x * math.sqrt(0.5)
    scale = jnp.exp(part) * jnp.sqrt(y)
    tables = table(f"turned{order}.re")(y), table(f"turned{order}.im")(y)
    grown = _turned(_Number(*tables), jnp.cos(part), jnp.sin(part))
    falling, sign = _falling(order, x), -1
    if order == 1:
        grown, falling, sign = _turned(grown, *_DIAGONAL), _turned(falling, *_DIAGONAL), 1
    real, imag = (scale * g + sign * f for g, f in zip(grown, falling, strict=True))
    return _Number(imag / math.pi, -real / math.pi)


def _first(x: Any) -> _Number:
    """Return ber and bei."""
    size = jnp.abs(x)
    far = _growing(0, size)
    near = _Number(table("ber")(size), size * size * table("bei")(size))
    return _joined(size < _FIRST, near, far)


def _first_slope(x: Any) -> _Number:
    size = jnp.abs(x)
    far = _growing(1, size)
    near = _Number(size**3 * table("berp")(size), size * table("beip")(size))
    found, sign = _joined(size < _FIRST, near, far), jnp.sign(x)
    return _Number(sign * found.real, sign * found.imag)


def _second(x: Any) -> _Number:
    """Return ker and kei."""
    ber, bei = table("ber")(x), x * x * table("bei")(x)
    near = _Number(table("ker")(x) - log_half(x) * ber, table("kei")(x) - times_log_half(bei, x))
    return _joined(x <= _SECOND, near, _falling(0, x))


def _second_slope(x: Any) -> _Number:
    ber, bei_over_x = table("ber")(x), x * table("bei")(x)
    berp, beip = x**3 * table("berp")(x), x * table("beip")(x)
    near = _Number(
        x * table("kerp")(x) - times_log_half(berp, x) - ber / jnp.abs(x),
        x * table("keip")(x) - times_log_half(beip, x) - bei_over_x,
    )
    cos, sin = _DIAGONAL
    return _joined(x <= _SECOND, near, _turned(_falling(1, x), -cos, -sin))


def _joined(is_near: Any, near: _Number, far: _Number) -> _Number:
    return _Number(*(jnp.where(is_near, a, b) for a, b in zip(near, far, strict=True)))


def _part(function: Callable[[Any], _Number], index: int) -> Callable[[Any], Any]:
    return lambda x: function(x)[index]


def _both(function: Callable[[Any], _Number]) -> Callable[[Any], Any]:
    return lambda x: lax.complex(*function(x))


_ALL = {"be": _first, "ke": _second}
_SLOPES = {"be": _first_slope, "ke": _second_slope}

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{f"{name}{part}": _part(f, i) for name, f in _ALL.items() for i, part in enumerate("ri")},
    **{f"{name}{part}p": _part(f, i) for name, f in _SLOPES.items() for i, part in enumerate("ri")},
    "kelvin.0": _both(_first),
    "kelvin.1": _both(_second),
    "kelvin.2": _both(_first_slope),
    "kelvin.3": _both(_second_slope),
}
