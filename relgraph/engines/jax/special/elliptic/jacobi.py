"""Jacobi's elliptic functions, by descending Landen transformations (DLMF 22.7, 22.20).

R. Bulirsch, Numerical calculation of elliptic integrals and elliptic functions (1965): the ratio of
cosine and sine is taken back, so that a small cosine keeps its digits.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

# For a parameter of 1 - eps the mean is found in six steps.
_STEPS = 8

# Below it sn is its argument, and the others are 1.
_TINY = 1e-9


def ellipj(u: Any, m: Any) -> tuple[Any, Any, Any, Any]:
    """Return sn, cn, dn and the amplitude; nan for `m` outside of 0 to 1 and for infinite `u`."""
    u, m = jnp.broadcast_arrays(u, m)
    good = jnp.isfinite(u) & (m >= 0) & (m <= 1)
    u, m = jnp.where(good, u, 0.0), jnp.where(good, m, 0.0)
    periodic = _periodic(u, jnp.where(m == 1, 0.0, m))
    sech = 1 / jnp.cosh(u)
    single = (jnp.tanh(u), sech, sech, 2 * jnp.arctan(jnp.tanh(u / 2)))
    both = zip(single, periodic, strict=True)
    sn, cn, dn, ph = (jnp.where(good, jnp.where(m == 1, a, b), jnp.nan) for a, b in both)
    return sn, cn, dn, ph


def _periodic(u: Any, m: Any) -> tuple[Any, Any, Any, Any]:
    a, rest = jnp.ones_like(m), jnp.sqrt(1 - m)
    steps = []
    for _ in range(_STEPS):
        steps.append((a, rest))
        a, rest = (a + rest) / 2, jnp.sqrt(a * rest)
    scaled = u * a
    sine, cosine = jnp.sin(scaled), jnp.cos(scaled)
    tiny = jnp.abs(u) < _TINY
    ratio = cosine / jnp.where(tiny, 1.0, sine)
    c, dn = a * ratio, jnp.ones_like(m)
    for b, e in reversed(steps):
        ratio = c * ratio
        c = c * dn
        dn = (e + ratio) / (b + ratio)
        ratio = c / b
    size = 1 / jnp.hypot(c, jnp.ones_like(c))
    sn = jnp.where(tiny, u, jnp.where(sine < 0, -size, size))
    cn = jnp.where(tiny, 1.0, c * sn)
    dn = jnp.where(tiny, 1.0, dn)
    return sn, cn, dn, _amplitude(scaled, sn, cn)


def _amplitude(scaled: Any, sn: Any, cn: Any) -> Any:
    """Return the angle of (cn, sn) that is nearest to the one that grows evenly."""
    angle = jnp.arctan2(sn, cn)
    return angle + 2 * math.pi * jnp.round((scaled - angle) / (2 * math.pi))
