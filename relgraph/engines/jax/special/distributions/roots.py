"""One positive number at which a monotone distribution has a given value.

Halley's method on the logarithms of the number and of the smaller tail, or the secant method where
the density is not known (DLMF 3.8). A bracket is kept, and halved on the scale of logarithms where
a step leaves it or is too slow. Tails of distributions are nearly straight lines on these scales.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

LEAST, MOST = 2.3e-308, 1.7e308
_STEPS = 150
# every so many steps the bracket is halved, where all before did not suffice
_PERIOD = 8


def root_of(
    tails: Callable[[Any], tuple[Any, ...]],
    p: Any,
    q: Any,
    start: Any,
    lowest: float = LEAST,
    highest: Any = MOST,
) -> Any:
    """Return the positive number of which the tails are `p` and `q`.

    Parameters
    ----------
    tails
        The function that gives for positive numbers the lower tail, which increases with them, the
        upper one, and, if they are known, the derivative of the lower one by the number's logarithm
        and the derivative of the logarithm of that.
    p, q
        The tails that are asked for; ``p + q == 1``, and both are exact where they are small. Where
        one is not positive the number has no meaning, and the caller replaces it.
    start
        The number to begin with.
    lowest, highest
        What is less than the lowest number is zero; the highest may be infinite.
    """
    p, q, start, most = jnp.broadcast_arrays(p, q, start, jnp.asarray(highest, start.dtype))
    low = jnp.full_like(start, lowest)

    def step(state: Any) -> Any:
        n, low, high, x, last_x, last_error, done = state
        found, slope = _error(tails(x), p, q)
        low, high = jnp.where(found < 0, x, low), jnp.where(found > 0, x, high)
        close = jnp.abs(found) < 1e-5
        if slope is None:
            close = jnp.abs(found * last_error) < 1e-16
            slope = (found - last_error) / jnp.log(x / last_x)
            slope = jnp.where(n == 0, jnp.maximum(1.0, 2 * jnp.abs(found)), slope)
        by = -found / slope
        new = x * jnp.exp(jnp.clip(by, -700, 700))
        fast = (jnp.abs(found) < 0.5 * jnp.abs(last_error)) & ((n < 12) | (n % _PERIOD != 0))
        good = fast & (new > low) & (new < high)
        reached = close & (jnp.abs(by) < 1e-6) | (found == 0)
        middle = jnp.sqrt(low) * jnp.sqrt(high)
        # where nothing is known of the other side, steps grow from the last one
        reach = jnp.exp(jnp.clip(2 * jnp.abs(jnp.log(x / last_x)), 0.3, 700.0))
        outward = jnp.where(found > 0, x / reach, x * reach)
        middle = jnp.where((found > 0) & (low <= lowest), jnp.maximum(middle, outward), middle)
        middle = jnp.where((found < 0) & (high >= most), jnp.minimum(middle, outward), middle)
        reached = reached | (high <= low * (1 + 4.5e-16))
        # it lies beyond what floats hold
        reached = reached | (high < 5 * lowest) | (low > 1e307)
        new = jnp.where(reached, jnp.where(jnp.isfinite(new), jnp.clip(new, low, high), x), new)
        new = jnp.where(reached | good, new, middle)
        stays = done | jnp.isnan(found)
        keep = (jnp.where(stays, x, new), jnp.where(stays, last_x, x))
        return n + 1, low, high, *keep, jnp.where(stays, last_error, found), stays | reached

    def goes_on(state: Any) -> Any:
        return (state[0] < _STEPS) & ~jnp.all(state[-1])

    start = jnp.clip(jnp.where(jnp.isnan(start), 1.0, start), 1e-300, most)
    error_before = jnp.full_like(start, jnp.inf)
    nothing = (start * 0.5, error_before, jnp.zeros_like(start, bool))
    x = lax.while_loop(goes_on, step, (jnp.asarray(0), low, most, start, *nothing))[3]
    return jnp.where(x < 50 * lowest, 0.0, jnp.where(x > 1e307, jnp.inf, x))


def _error(tails: tuple[Any, ...], p: Any, q: Any) -> tuple[Any, Any]:
    """Return the logarithm of the smaller tail over what it should be, which increases with the
    number, and the slope for Halley's step; None where the density is not known."""
    by_lower = p <= q
    asked = jnp.where((p > 0) & (q > 0), jnp.where(by_lower, p, q), 0.5)
    lower, upper, *density = tails
    tail = jnp.where(by_lower, lower, upper)
    change = tail / asked - 1
    near = jnp.abs(change) < 0.5
    found = jnp.where(near, jnp.log1p(jnp.where(near, change, 0.0)), jnp.log(tail / asked))
    found = jnp.where(by_lower, found, -found)
    if not density:
        return found, None
    slope = density[0] / tail
    bend = density[1] - jnp.where(by_lower, slope, -slope)
    return found, slope * jnp.maximum(1 - found * bend / (2 * slope), 0.5)
