"""Functions compared with SciPy's: relative errors, and which values are nan or infinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy.special

from relgraph.engines.jax.precision import wide

SMALLEST, LARGEST = 1e-290, 1e300
"""Numbers below are not compared, and those above may be infinite."""


def by_scipy(name: str, *values: Any) -> Any:
    """Return what SciPy has for a name, which may be that of a part: ``airy.1``."""
    function, _, part = name.partition(".")
    with np.errstate(all="ignore"):
        found = getattr(scipy.special, function)(*values)
    return found[int(part)] if part else found


def errors(found: Any, expected: Any, envelope: Any = 0.0) -> Any:
    """Return errors relative to the expected values, or to an envelope that is larger.

    They are infinite where one value is nan, or infinite, and the other one is not: but for
    values that are nearly too large.
    """
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(expected), envelope)
        error = np.where(size > SMALLEST, np.abs(found - expected) / size, 0.0)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    same |= (np.abs(found) > LARGEST) & (np.abs(expected) == np.inf)
    finite = np.isfinite(found) & np.isfinite(expected)
    return np.where(same, 0.0, np.where(finite, error, np.inf))


def worst(error: Any, *values: Any) -> tuple[float, tuple[float, ...]]:
    """Return the largest error, and the arguments that have it."""
    at = int(np.argmax(error))
    return float(error[at]), tuple(float(x[at]) for x in values)


def pairs(first: Any, second: Any) -> tuple[Any, Any]:
    """Return each of some values with each of others."""
    a, b = np.meshgrid(np.asarray(first, float), np.asarray(second, float))
    return a.ravel(), b.ravel()


def computed(functions: dict[str, Callable[..., Any]], *values: Any) -> dict[str, Any]:
    """Return what functions give, step by step: it takes longer to compile so many of them."""
    with wide(True):
        arrays = [jnp.asarray(x) for x in values]
        return {name: np.asarray(f(*arrays)) for name, f in functions.items()}
