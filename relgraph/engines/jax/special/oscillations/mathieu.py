"""Characteristic values of Mathieu's equation, as eigenvalues of tridiagonal matrices.

DLMF 28.4; Sturm's sequence counts the eigenvalues below a number, and bisection finds one.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

_BISECTIONS = 66


def mathieu_a(m: Any, q: Any) -> Any:
    """Return the value of the even solution; nan for an order that is no integer from 0."""
    return _value(m, q, m % 2 == 1, jnp.where(m % 2 == 1, q, 0.0), m % 2, m >= 0)


def mathieu_b(m: Any, q: Any) -> Any:
    """Return the value of the odd solution; nan for an order that is no integer from 1."""
    odd = m % 2 == 1
    return _value(m, q, True, jnp.where(odd, -q, 0.0), jnp.where(odd, 1.0, 2.0), m >= 1)


def _value(m: Any, q: Any, simple: Any, shift: Any, first: Any, valid: Any) -> Any:
    """Return an eigenvalue.

    Parameters
    ----------
    simple
        Whether the first entry beside the diagonal is as the others, not larger by a root of 2.
    shift
        What is added to the first entry of the diagonal.
    first
        The root of this entry before; the next are larger by 2 each.
    """
    m, q, simple, shift, first, valid = jnp.broadcast_arrays(m, q, simple, shift, first, valid)
    valid = valid & (m == jnp.floor(m)) & jnp.isfinite(m) & jnp.isfinite(q)
    m, q, shift = (jnp.where(valid, v, 0.0) for v in (m, q, shift))
    index, size = jnp.floor((m - first) / 2 + 0.25), jnp.abs(q)
    # harmonics beyond are below the rounding of the eigenvector
    spread = jnp.minimum(1.5 * jnp.sqrt(size), 6 * jnp.sqrt(jnp.sqrt(size) * (2 * m + 1)))
    count = jnp.max(m / 2 + spread, initial=0.0).astype(int) + 20
    square = q * q

    def below(x: Any) -> Any:
        def step(k: Any, state: Any) -> Any:
            pivot, found = state
            beside = jnp.where((k == 1) & ~simple, 2 * square, square)
            pivot = (first + 2 * k) ** 2 - x - beside / jnp.where(pivot == 0, 1e-300, pivot)
            return pivot, found + (pivot < 0)

        pivot = first * first + shift - x
        return lax.fori_loop(1, count, step, (pivot, (pivot < 0) * 1.0))[1]

    def halve(_: Any, bounds: Any) -> Any:
        low, high = bounds
        middle = low / 2 + high / 2
        above = below(middle) > index
        return jnp.where(above, low, middle), jnp.where(above, middle, high)

    start = (-2 * size, (first + 2 * index) ** 2 + 2 * size)
    low, high = lax.fori_loop(0, _BISECTIONS, halve, start)
    return jnp.where(valid, low / 2 + high / 2, jnp.nan)
