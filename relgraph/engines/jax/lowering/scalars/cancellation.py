"""Functions that are exact where the formula that defines them cancels.

Most are those of `relgraph.scalar.cancellation`. Those below are written without a look at values,
by which NumPy's skip what no element needs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp

from relgraph.scalar.cancellation import (
    cosm1_formula,
    log1pmx_formula,
    tan_less_x_formula,
    x_less_sin_formula,
)

cosm1 = partial(cosm1_formula, jnp)
log1pmx = partial(log1pmx_formula, jnp)
x_less_sin = partial(x_less_sin_formula, jnp)
tan_less_x = partial(tan_less_x_formula, jnp)


def log1p_sqr(x: Any) -> Any:
    square = x * x
    return jnp.where(jnp.isinf(square), 2 * jnp.log(jnp.abs(x)), jnp.log1p(square))


def hypot1m1(x: Any) -> Any:
    near = jnp.abs(x) < 1
    small = jnp.where(near, x, 0)
    square = small * small
    return jnp.where(near, square / (jnp.sqrt(1 + square) + 1), jnp.hypot(jnp.ones_like(x), x) - 1)


def sqr_less_sqr(x: Any, y: Any) -> Any:
    square, other = x * x, y * y
    found = square - other
    near = jnp.abs(found) < 0.6 * (square + other)
    found = jnp.where(near, (x - y) * (x + y), found)
    halves = (x / 2 - y / 2) * (x / 2 + y / 2)
    return jnp.where(jnp.isfinite(found), found, 4 * halves)
