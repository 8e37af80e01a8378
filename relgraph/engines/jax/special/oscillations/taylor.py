"""Solutions of the equation of parabolic cylinder functions, by Taylor series."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

_TERMS = 30

# Solutions that grow are infinite there.
_FARTHEST = 60.0


def followed(a: Any, b: float, x: Any, value: Any, slope: Any) -> tuple[Any, Any]:
    """Return the solution of ``y'' = (b * x**2 + a) * y`` at `x`, from its values at 0."""
    x = jnp.minimum(x, _FARTHEST)

    def is_before(state: Any) -> Any:
        return jnp.any(state[0] < x)

    def step(state: Any) -> Any:
        place, value, slope = state
        rate = jnp.sqrt(jnp.abs(a) + abs(b) * (place + 1) ** 2)
        h = jnp.minimum(x - place, jnp.minimum(1.0, 2 / rate))
        terms = (jnp.zeros_like(h), jnp.zeros_like(h), value, slope * h)
        level, tilt = (b * place * place + a) * h * h, 2 * b * place * h**3

        def add(k: Any, state: Any) -> Any:
            older, old, last, now, total, rise = state
            following = level * last + tilt * old + b * h**4 * older
            following = following / ((k + 2) * (k + 1))
            total, rise = total + following, rise + (k + 2) * following
            return old, last, now, following, total, rise

        start = (*terms, value + slope * h, slope * h)
        *_, total, rise = lax.fori_loop(0, _TERMS, add, start)
        moved = h > 0
        rise = rise / jnp.where(moved, h, 1.0)
        return place + h, jnp.where(moved, total, value), jnp.where(moved, rise, slope)

    _, value, slope = lax.while_loop(is_before, step, (jnp.zeros_like(x), value, slope))
    return value, slope
