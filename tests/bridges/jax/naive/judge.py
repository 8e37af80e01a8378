"""What JAX computes for a naive function, rewritten or not, and how far off the truth it is."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.bridges import rewrite
from tests.bridges.jax.naive.formula import Naive
from tests.losses.judge import UNITS, Error

NAMES = SimpleNamespace(
    **{name: getattr(jnp, name) for name in ("exp", "log", "sqrt", "cos", "cosh", "tanh", "abs")},
    **{name: getattr(jnp, name) for name in ("sum", "mean", "prod", "arange", "eye", "linalg")},
    sigmoid=jax.nn.sigmoid,
    gammaln=jax.scipy.special.gammaln,
)
"""The names of `jax.numpy`, `jax.nn` and `jax.scipy` that the functions use."""


def errors(function: Naive, truths: list[dict[str, Any]], rewritten: bool) -> list[Error]:
    """Return the errors of the values and the gradients of a function at all its points.

    Parameters
    ----------
    truths
        What is known of each point (`tests.bridges.jax.naive.truth`).
    rewritten
        Whether it is rewritten first.
    """
    given = [np.array(v) for v in function.given]

    def naive(*inputs: Any) -> Any:
        return function.formula(NAMES, *given, *inputs)

    fn: Callable[..., Any] = rewrite(naive) if rewritten else naive
    free = tuple(range(function.fixed, len(function.points[0])))
    run = jax.jit(jax.value_and_grad(fn, argnums=free))
    limits = np.finfo(function.dtype)
    found: list[Error] = []
    with jax.enable_x64(True):
        for k, (point, truth) in enumerate(zip(function.points, truths, strict=True)):
            value, slopes = run(*[jnp.asarray(np.array(v, function.dtype)) for v in point])
            assert value.dtype == function.dtype
            numbers = [float(value), *[float(g) for s in slopes for g in s.ravel()]]
            true = [truth["value"], *truth["gradient"]]
            conditions = [truth["condition"], *truth["conditions"]]
            for i, (x, t, c) in enumerate(zip(numbers, true, conditions, strict=True)):
                what = "value" if i == 0 else f"gradient {i - 1}"
                # JAX on a CPU takes numbers below the normal ones for zero
                allowed = UNITS * (float(limits.eps) * max(abs(t), c) + float(limits.tiny))
                found.append(Error(f"point {k}, {what}", x, t, allowed))
    return found
