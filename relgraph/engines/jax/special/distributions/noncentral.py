"""The noncentral chi-square and F distributions, and their parameters by a share.

Each is a mixture of central ones with the weights of a Poisson distribution (Johnson, Kotz and
Balakrishnan, Continuous Univariate Distributions 2, 29.3 and 30.3). Both tails of the central ones
follow from those of their neighbours by adding what is positive: the lower one downwards, the
upper one upwards. Parameters and their order are those of ``scipy.special``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.special.distributions.densities import gamma_term
from relgraph.engines.jax.special.distributions.quantiles import WHOLE, with_edges
from relgraph.engines.jax.special.distributions.roots import root_of
from relgraph.engines.jax.special.distributions.tails import (
    beta_other,
    beta_parts,
    beta_tails,
    gamma_parts,
    gamma_tails,
)

MOST_PARTS = 1e9
"""Poisson's mean above which the sum would be too long; the result is nan there."""


def _mixture(
    mean: Any,
    peak: Any,
    is_lower: Any,
    ratio: Callable[[Any], Any],
    parts: Callable[[Any], tuple[Any, Any, Any]],
) -> tuple[Any, Any]:
    """Return the lower and the upper tail of a mixture with Poisson's weights.

    Parameters
    ----------
    mean
        The mean of Poisson's distribution, which is positive.
    peak
        Nearly the index of the largest part.
    is_lower
        Whether the lower tail is the smaller one.
    ratio
        The function that gives for an index `j` the quotient ``d(j + 1) / d(j)``, where ``d(j)`` is
        the difference of the lower tails of `j` and of ``j + 1``.
    parts
        The function that gives for an index `j` both tails over ``d(j)``, and ``d(j)``.
    """
    width = 8.5 * jnp.sqrt(peak) + 14
    bottom, top = jnp.maximum(jnp.floor(peak - width), 0.0), jnp.ceil(peak + width)
    start = jnp.where(is_lower, top, bottom)
    # both at once, since what gives them is long
    lower, upper, differences = parts(jnp.stack([start, bottom]))
    part = jnp.where(is_lower, lower[0], upper[0])
    last = jnp.where(is_lower, bottom, start)

    def down(state: Any) -> Any:
        """Take one lower index; all is relative to ``d(j)`` and the weight of `j`."""
        j, total, part = state
        by = ratio(j - 1)
        below = 1 + part * by
        new = (j - 1, below + total * by * (mean / j), below)
        return tuple(jnp.where(j > last, n, s) for n, s in zip(new, state, strict=True))

    state = (start, part, part)
    _, sum_down, _ = lax.while_loop(
        lambda state: jnp.any(state[0] > last), _several_times(down), state
    )
    end = jnp.where(is_lower, start, top)

    def up(state: Any) -> Any:
        """Take one higher index; all is relative to ``d`` and the weight of the first one."""
        j, total, part, weight = state
        by = ratio(j)
        above, weight_above = (part + 1) / by, weight * by * (mean / (j + 1))
        new = (j + 1, total + above * weight_above, above, weight_above)
        return tuple(jnp.where(j < end, n, s) for n, s in zip(new, state, strict=True))

    weighted = (start, part, part, jnp.ones_like(part))
    sum_up = lax.while_loop(lambda state: jnp.any(state[0] < end), _several_times(up), weighted)[1]
    total = differences[1] * jnp.where(is_lower, sum_down, sum_up)
    tail = jnp.minimum(gamma_term(bottom, mean) * total, 1.0)
    return jnp.where(is_lower, tail, 1 - tail), jnp.where(is_lower, 1 - tail, tail)


def _several_times(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return four steps as one: a step costs less than the loop."""

    def steps(state: Any) -> Any:
        for _ in range(4):
            state = step(state)
        return state

    return steps


def _over_first(is_lower: Any, first: Any, rest: Any, other: Any) -> tuple[Any, Any, Any]:
    other = other / first
    return jnp.where(is_lower, rest, other), jnp.where(is_lower, other, rest), first


def chi_square_tails(x: Any, df: Any, nc: Any) -> tuple[Any, Any]:
    """Return both tails of the noncentral chi-square distribution."""
    x, df, nc = jnp.broadcast_arrays(x, df, nc)
    finite = (x < jnp.inf) & (df < jnp.inf)
    inside = (x > 0) & (df > 0) & (nc > 0) & finite & (nc < MOST_PARTS)
    y, a = jnp.where(inside, x, 1.0) / 2, jnp.where(inside, df, 1.0) / 2
    mean = jnp.where(inside, nc, 1.0) / 2
    peak = 2 * mean * y / (a + jnp.sqrt(a * a + 4 * mean * y))

    def parts(j: Any) -> tuple[Any, Any, Any]:
        is_lower, term, rest = gamma_parts(a + j, y)
        return _over_first(is_lower, term, rest, 1 - term * rest)

    lower, upper = _mixture(mean, peak, y < a + mean, lambda j: y / (a + j + 1), parts)
    central, central_upper = gamma_tails(df / 2, x / 2)
    is_central = (nc == 0) | (x == jnp.inf) & (df > 0) & (df < jnp.inf) & (nc < MOST_PARTS)
    at_start = ((x == 0) | (nc == jnp.inf)) & (x >= 0) & (df > 0) & (nc >= 0)
    outside = jnp.where(at_start & (df < jnp.inf), 0.0, jnp.nan)
    lower = jnp.where(inside, lower, jnp.where(is_central & (nc >= 0), central, outside))
    upper = jnp.where(inside, upper, jnp.where(is_central & (nc >= 0), central_upper, 1 - outside))
    return lower, upper


def fisher_tails(n: Any, m: Any, nc: Any, f: Any) -> tuple[Any, Any]:
    """Return both tails of the noncentral F distribution of `n` and `m` degrees of freedom."""
    n, m, nc, f = jnp.broadcast_arrays(n, m, nc, f)
    inside = (n > 0) & (m > 0) & (nc > 0) & (f > 0) & (nc < MOST_PARTS)
    inside = inside & (n < jnp.inf) & (m < jnp.inf) & (f < jnp.inf)
    a, b, mean = (jnp.where(inside, v, 1.0) / 2 for v in (n, m, nc))
    odds = jnp.where(inside, f * n / m, 1.0)
    x, y = 1 / (1 + 1 / odds), 1 / (1 + odds)
    # of the quadratic equation that says where two neighbours are equal
    half = (a - mean * x) / 2
    root = jnp.sqrt(half * half + mean * x * (a + b))
    peak = jnp.where(half > 0, mean * x * (a + b) / (half + root), root - half)

    def parts(j: Any) -> tuple[Any, Any, Any]:
        is_lower, term, rest = beta_parts(a + j, b, x, y)
        other = beta_other(is_lower, term * rest, a + j, b, x, y)
        return _over_first(is_lower, term / (a + j), rest * (a + j), other)

    def ratio(j: Any) -> Any:
        return x * (a + b + j) / (a + j + 1)

    lower, upper = _mixture(mean, peak, odds * b < a + mean, ratio, parts)
    edge = f * n / m
    central, central_upper = beta_tails(n / 2, m / 2, 1 / (1 + 1 / edge), 1 / (1 + edge))
    proper = (n > 0) & (m > 0) & (nc >= 0) & (nc < jnp.inf) & (f >= 0)
    proper = proper & (n < jnp.inf) & (m < jnp.inf)
    is_central = proper & ((nc == 0) | (f == 0) | (f == jnp.inf))
    lower = jnp.where(inside, lower, jnp.where(is_central, central, jnp.nan))
    return lower, jnp.where(inside, upper, jnp.where(is_central, central_upper, jnp.nan))


def _chndtrix(p: Any, df: Any, nc: Any) -> Any:
    proper = (df > 0) & (df < jnp.inf) & (nc >= 0) & (nc < MOST_PARTS)
    df1, nc1 = jnp.where(proper, df, 1.0), jnp.where(proper, nc, 1.0)
    found = root_of(lambda x: chi_square_tails(x, df1, nc1), p, 1 - p, df1 + nc1)
    return with_edges(found, p, 1 - p, 0.0, jnp.inf, proper)


def _chndtridf(x: Any, p: Any, nc: Any) -> Any:
    proper = (x > 0) & (x < jnp.inf) & (nc >= 0) & (nc < MOST_PARTS)
    x1, nc1 = jnp.where(proper, x, 1.0), jnp.where(proper, nc, 1.0)
    start = jnp.maximum(x1 - nc1, 1.0)
    found = root_of(lambda v: chi_square_tails(x1, v, nc1)[::-1], 1 - p, p, start)
    return with_edges(found, p, 1 - p, jnp.nan, jnp.nan, proper)


def _chndtrinc(x: Any, df: Any, p: Any) -> Any:
    proper = (x > 0) & (x < jnp.inf) & (df > 0) & (df < jnp.inf)
    x1, df1 = jnp.where(proper, x, 1.0), jnp.where(proper, df, 1.0)
    start = jnp.maximum(x1 - df1, 1.0)
    found = root_of(lambda nc: chi_square_tails(x1, df1, nc)[::-1], 1 - p, p, start, WHOLE, 1e7)
    found = jnp.where(found < 0.999e7, found, jnp.nan)
    return with_edges(found, p, 1 - p, jnp.nan, jnp.nan, proper)


def _ncfdtri(n: Any, m: Any, nc: Any, p: Any) -> Any:
    proper = (n > 0) & (n < jnp.inf) & (m > 0) & (m < jnp.inf) & (nc >= 0) & (nc < MOST_PARTS)
    n1, m1, nc1 = (jnp.where(proper, v, 1.0) for v in (n, m, nc))
    found = root_of(lambda f: fisher_tails(n1, m1, nc1, f), p, 1 - p, (n1 + nc1) / n1)
    # beyond, the odds are infinite
    found = jnp.where(found > 1e295, jnp.inf, found)
    return with_edges(found, p, 1 - p, 0.0, jnp.inf, proper)


def _ncfdtrinc(n: Any, m: Any, p: Any, f: Any) -> Any:
    proper = (n > 0) & (n < jnp.inf) & (m > 0) & (m < jnp.inf) & (f > 0) & (f < jnp.inf)
    n1, m1, f1 = (jnp.where(proper, v, 1.0) for v in (n, m, f))
    start = jnp.maximum((f1 - 1) * n1, 1.0)
    found = root_of(lambda nc: fisher_tails(n1, m1, nc, f1)[::-1], 1 - p, p, start, WHOLE, 1e6)
    found = jnp.where(found < 0.999e6, found, jnp.nan)
    return with_edges(found, 1 - p, p, 0.0, jnp.inf, proper)


def _fdtridfd(n: Any, p: Any, f: Any) -> Any:
    proper = (n > 0) & (n < jnp.inf) & (f > 0) & (f < jnp.inf)
    n1, f1 = jnp.where(proper, n, 1.0), jnp.where(proper, f, 1.0)

    def tails(m: Any) -> tuple[Any, Any]:
        odds = n1 * f1 / m
        return beta_tails(n1 / 2, m / 2, 1 / (1 + 1 / odds), 1 / (1 + odds))

    found = root_of(tails, p, 1 - p, jnp.ones_like(f1))
    found = jnp.where(found > 1e90, jnp.inf, found)
    return with_edges(found, p, 1 - p, 0.0, jnp.inf, proper)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "chndtr": lambda x, df, nc: chi_square_tails(x, df, nc)[0],
    "chndtrix": _chndtrix,
    "chndtridf": _chndtridf,
    "chndtrinc": _chndtrinc,
    "ncfdtr": lambda n, m, nc, f: fisher_tails(n, m, nc, f)[0],
    "fdtridfd": _fdtridfd,
    "ncfdtri": _ncfdtri,
    "ncfdtrinc": _ncfdtrinc,
}
