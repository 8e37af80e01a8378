"""Functions of single numbers that are computed with doubles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import jax.numpy as jnp


def widened(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return functions that compute in float64, where JAX has it, and give the dtype they are
    given."""
    return {name: _in_doubles(function) for name, function in functions.items()}


def _in_doubles(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def computed(*values: Any) -> Any:
        given = jnp.result_type(*[x for x in values if x.dtype.kind == "f"])
        wide = [x.astype(float) if x.dtype.kind == "f" else x for x in values]
        return function(*wide).astype(given)

    return computed
