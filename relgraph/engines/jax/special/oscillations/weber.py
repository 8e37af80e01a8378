"""Weber's parabolic cylinder function W (DLMF 12.14).

``U(i a, x exp(-i pi / 4))`` is an integral over the positive numbers (12.5.1), by the trapezoidal
rule; its real part is W. Where W does not fall off from 0 on it is followed from there.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.oscillations.taylor import followed

_DIAGONAL = complex(math.sqrt(0.5), -math.sqrt(0.5))
_FIRST, _STEP, _NODES = -16.5, 0.09, 215

# What SciPy computes; beyond it has nan.
_LARGEST = 5.0


def pbwa(a: Any, x: Any) -> tuple[Any, Any]:
    """Return W and its derivative; nan where `a` or `x` is not within -5 to 5."""
    a, x = jnp.broadcast_arrays(a, x)
    good = (jnp.abs(a) <= _LARGEST) & (jnp.abs(x) <= _LARGEST)
    a, x = jnp.where(good, a, 0.0), jnp.where(good, x, 0.0)
    falls = (a > 0) & (x > 0)
    value, slope = _integral(a, jnp.where(falls, x, 0.0))
    side = jnp.where(x < 0, -1.0, 1.0)
    value, slope = followed(a, -0.25, jnp.where(falls, 0.0, jnp.abs(x)), value, side * slope)
    return jnp.where(good, value, jnp.nan), jnp.where(good, side * slope, jnp.nan)


def _integral(a: Any, x: Any) -> tuple[Any, Any]:
    """Return W and its derivative, for `x` from 0: Abramowitz and Stegun 19.17.9."""
    z = _DIAGONAL * x

    def add(k: Any, totals: tuple[Any, Any]) -> tuple[Any, Any]:
        s = _FIRST + k * _STEP
        t = jnp.exp(s)
        weight = jnp.exp((2.5 + 1j * a) * s - t * t / 2 - z * t)
        return totals[0] + weight, totals[1] + weight * t

    third, fourth = lax.fori_loop(0, _NODES, add, (jnp.zeros_like(z), jnp.zeros_like(z)))
    # powers that are lower by one each, by parts
    second = (fourth + z * third) / (1.5 + 1j * a)
    first = (third + z * second) / (0.5 + 1j * a)
    size = math.sqrt(2 / math.pi) * jnp.exp(math.pi * a / 4) * jnp.sqrt(jnp.cosh(math.pi * a))
    phase = math.pi / 8 - _gamma_phase(a) / 2 + x * x / 4
    grown = jnp.exp(math.pi * a)
    ratio = jnp.sqrt(jnp.hypot(1.0, grown) + grown)
    factor = _STEP * size / ratio * lax.complex(jnp.cos(phase), jnp.sin(phase))
    slope = -_DIAGONAL * factor * (z / 2 * first + second)
    return (factor * first).real, slope.real


def _gamma_phase(a: Any) -> Any:
    """Return the phase of ``gamma(1/2 + i a)``, by Stirling's series (DLMF 5.11.1)."""
    shift = 10
    z = lax.complex(jnp.full_like(a, shift + 0.5), a)
    series = 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5) - 1 / (1680 * z**7)
    far = ((z - 0.5) * jnp.log(z) - z + series + 1 / (1188 * z**9)).imag
    return far - sum(jnp.arctan2(a, k + 0.5) for k in range(shift))
