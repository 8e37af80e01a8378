"""Hypergeometric functions of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.engines.jax.special.hypergeometric.tricomi import hyperu
from relgraph.engines.jax.special.hypergeometric.wright import log_wright_bessel, wright_bessel
from relgraph.engines.jax.special.widened import widened

HYPERGEOMETRIC: dict[str, Callable[..., Any]] = widened(
    {
        "hyperu": hyperu,
        "log_wright_bessel": log_wright_bessel,
        "wright_bessel": wright_bessel,
    }
)
"""Functions of arrays by the names that SciPy has for them."""
