"""Functions of single numbers that are computed with doubles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import jax.numpy as jnp

Function = Callable[..., Any]


def widened(functions: Mapping[str, Function]) -> dict[str, Function]:
    """Return functions that compute in float64, where JAX has it, and give the precision that they
    are given."""
    return {name: _in_doubles(function) for name, function in functions.items()}


def parts(name: str, function: Function, count: int) -> dict[str, Function]:
    """Return what gives each of the results of a function, by name and number."""
    return {f"{name}.{i}": _part(function, i) for i in range(count)}


def _in_doubles(function: Function) -> Function:
    @wraps(function)
    def computed(*values: Any) -> Any:
        given = jnp.result_type(*[x for x in values if x.dtype.kind == "f"])
        wide = [x.astype(float) if x.dtype.kind == "f" else x for x in values]
        found = function(*wide)
        return found.astype(
            jnp.result_type(given, "complex64") if found.dtype.kind == "c" else given
        )

    return computed


def _part(function: Function, index: int) -> Function:
    @wraps(function)
    def part(*values: Any) -> Any:
        return function(*values)[index]

    return part
