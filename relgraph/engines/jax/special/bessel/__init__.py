"""Bessel functions and their relatives, of real arguments.

All compute with doubles where JAX has them, and give the precision that they are given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax.numpy as jnp

from relgraph.engines.jax.special.bessel import airy, integrals, kelvin, orders, whole_orders


def _in_doubles(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of real numbers that computes with doubles.

    SciPy's loops of some that are complex take real numbers as complex ones.
    """

    @wraps(function)
    def computed(*values: Any) -> Any:
        given = jnp.result_type(*[x for x in values if x.dtype.kind in "fc"])
        found = function(*[jnp.real(x).astype(float) for x in values])
        given = jnp.finfo(given).dtype
        is_complex = found.dtype.kind == "c"
        return found.astype(jnp.promote_types(given, jnp.complex64) if is_complex else given)

    return computed


BESSEL: dict[str, Callable[..., Any]] = {
    name: _in_doubles(function)
    for page in (whole_orders, orders, airy, kelvin, integrals)
    for name, function in page.FUNCTIONS.items()
}
"""The functions by SciPy's names, and by those of the parts where SciPy gives several arrays."""
