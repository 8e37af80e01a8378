"""Draws by loops: what is rejected is drawn again, and what is counted is counted one by one.

Devroye, Non-Uniform Random Variate Generation (1986), ch. X; Best and Fisher, Efficient Simulation
of the von Mises Distribution (1979); Kemp, Efficient Generation of Logarithmically Distributed
Pseudo-Random Variables (1981).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph.engines.jax.lowering.scalars.loops import as_dtype

r = jax.random


def _until_accepted(key: Any, first: Any, propose: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return draws, each the first of its proposals that is accepted.

    Parameters
    ----------
    first
        An array of the shape and dtype of the draws.
    propose
        Makes of a key proposals, and whether each is accepted.
    """

    def goes_on(state: Any) -> Any:
        return ~jnp.all(state[2])

    def body(state: Any) -> Any:
        key, drawn, done = state
        key, own = r.split(key)
        proposed, accepted = propose(own)
        return key, jnp.where(done, drawn, proposed), done | accepted

    return lax.while_loop(goes_on, body, (key, first, jnp.zeros(first.shape, bool)))[1]


def vonmises(key: Any, shape: Any, dtype: Any, mu: Any, kappa: Any) -> Any:
    tau = 1 + jnp.sqrt(1 + 4 * kappa * kappa)
    rho = (tau - jnp.sqrt(2 * tau)) / (2 * kappa)
    # where the formula loses its digits, or divides by zero
    s = jnp.where(kappa < 1e-5, 1 / jnp.maximum(kappa, 1e-300) + kappa, (1 + rho * rho) / (2 * rho))

    def propose(key: Any) -> tuple[Any, Any]:
        u, v, side = r.uniform(key, (3, *shape), dtype)
        z = jnp.cos(np.pi * u)
        w = (1 + s * z) / (s + z)
        y = kappa * (s - w)
        accepted = (y * (2 - y) - v >= 0) | (jnp.log(y / v) + 1 - y >= 0)
        angle = jnp.arccos(jnp.clip(w, -1, 1))
        return jnp.where(side < 0.5, -angle, angle), accepted

    first, second = r.split(key)
    flat = r.uniform(first, shape, dtype, minval=-np.pi, maxval=np.pi)
    drawn = _until_accepted(second, jnp.zeros(shape, dtype), propose)
    turned = jnp.where(kappa < 1e-8, flat, drawn) + mu
    return jnp.remainder(turned + np.pi, 2 * np.pi) - np.pi


def zipf(key: Any, shape: Any, dtype: Any, a: Any) -> Any:
    b = jnp.power(2.0, a - 1)

    def propose(key: Any) -> tuple[Any, Any]:
        u, v = r.uniform(key, (2, *shape), dtype, minval=jnp.finfo(dtype).tiny)
        x = jnp.floor(jnp.power(u, -1 / (a - 1)))
        t = jnp.power(1 + 1 / x, a - 1)
        return x, (x < 2.0**63) & (v * x * (t - 1) / (b - 1) <= t / b)

    return _until_accepted(key, jnp.ones(shape, dtype), propose)


def logseries(key: Any, shape: Any, dtype: Any, p: Any) -> Any:
    u, v = r.uniform(key, (2, *shape), dtype, minval=jnp.finfo(dtype).tiny)
    q = -jnp.expm1(jnp.log1p(-p) * u)
    small = jnp.maximum(jnp.floor(1 + jnp.log(v) / jnp.log(q)), 1)
    return jnp.where(v >= p, 1, jnp.where(v <= q * q, small, jnp.where(v >= q, 1, 2)))


def hypergeometric(key: Any, shape: Any, dtype: Any, ngood: Any, nbad: Any, nsample: Any) -> Any:
    good, bad, sample = (
        jnp.broadcast_to(as_dtype(n, "int64"), shape) for n in (ngood, nbad, nsample)
    )

    def goes_on(state: Any) -> Any:
        return state[1] < jnp.max(sample, initial=0)

    def body(state: Any) -> Any:
        key, drawn, left = state
        key, own = r.split(key)
        hit = r.uniform(own, shape, dtype) * (good + bad - drawn) < left
        return key, drawn + 1, left - (hit & (drawn < sample))

    return good - lax.while_loop(goes_on, body, (key, jnp.asarray(0), good))[2]


def multivariate_hypergeometric(
    key: Any, shape: Any, dtype: Any, colors: Any, nsample: Any, method: str
) -> Any:
    count = colors.shape[-1]
    colors = jnp.broadcast_to(as_dtype(colors, "int64"), (*shape, count))
    left = jnp.broadcast_to(as_dtype(nsample, "int64"), shape)
    rest = jnp.sum(colors, axis=-1)
    drawn = []
    for i in range(count):
        key, own = r.split(key)
        rest = rest - colors[..., i]
        found = hypergeometric(own, shape, dtype, colors[..., i], rest, left)
        left = left - found
        drawn.append(found)
    return jnp.stack(drawn, axis=-1)
