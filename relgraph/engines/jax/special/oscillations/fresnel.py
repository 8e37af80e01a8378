"""The modified Fresnel integrals.

They are the Faddeeva function on a diagonal, by its integral with the trapezoidal rule, to which
the residues of near poles are added: M. Al Azah and S. N. Chandler-Wilde, Computation of the
complex error function using modified trapezoidal rules (2021).
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

_NODES = 13
_STEP = math.sqrt(math.pi / _NODES)
_ROOT_PI = math.sqrt(math.pi)
_DIAGONAL = complex(math.sqrt(0.5), math.sqrt(0.5))


def modfresnelp(x: Any) -> tuple[Any, Any]:
    """Return the integral of ``exp(i t**2)`` from `x` to infinity, and it without its phase."""
    value = _scaled(jnp.abs(x))
    phase = _square_phase(x)
    # on the other side of 0 the rest of the whole line's integral
    scaled = jnp.where(x < 0, jnp.conj(phase) - value, value)
    infinite = jnp.where(x > 0, 0.0, _ROOT_PI) * _DIAGONAL
    integral = jnp.where(jnp.isinf(x), infinite, _ROOT_PI * _DIAGONAL * phase * scaled)
    return integral, jnp.where(x == math.inf, 0.0, scaled)


def modfresnelm(x: Any) -> tuple[Any, Any]:
    """Return the integral of ``exp(-i t**2)`` from `x` to infinity, and it without its phase."""
    integral, scaled = modfresnelp(x)
    return jnp.conj(integral), jnp.conj(scaled)


def _scaled(x: Any) -> Any:
    """Return ``w(z) / 2`` for ``z = exp(i pi / 4) * x``, for `x` from 0."""
    z = _DIAGONAL * x
    place = z.real / _STEP
    # a rule whose nodes are far from the pole
    at_halves = jnp.abs(place - jnp.floor(place) - 0.5) > 0.25
    square = z * z
    total = jnp.where(at_halves, 0.0, 0.5 / jnp.where(square == 0, 1.0, square))
    for k in range(_NODES):
        t = jnp.where(at_halves, k + 0.5, k + 1.0) * _STEP
        total = total + jnp.exp(-t * t) / (square - t * t)
    turn = jnp.exp(-2j * math.pi * z / _STEP)
    residue = jnp.conj(_square_phase(x)) / (1 + jnp.where(at_halves, turn, -turn))
    near = x * math.sqrt(0.5) < math.pi / _STEP
    return 1j * _STEP / math.pi * z * total + jnp.where(near, residue, 0.0)


def _square_phase(x: Any) -> Any:
    """Return ``exp(i * x**2)``, where the square is taken apart into exact products."""
    x = jnp.where(jnp.isfinite(x), x, jnp.nan)
    as_bits, dropped = ("int64", 27) if x.dtype == jnp.float64 else ("int32", 12)
    bits = lax.bitcast_convert_type(x, as_bits) & jnp.array(-(1 << dropped), as_bits)
    high = lax.bitcast_convert_type(bits, x.dtype)
    rest = (x - high) * (x + high)
    square = high * high
    return lax.complex(jnp.cos(square), jnp.sin(square)) * lax.complex(jnp.cos(rest), jnp.sin(rest))
