"""Elliptic integrals and functions, of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.engines.jax.special.elliptic.carlson import (
    elliprc,
    elliprd,
    elliprf,
    elliprg,
    elliprj,
)
from relgraph.engines.jax.special.elliptic.jacobi import ellipj
from relgraph.engines.jax.special.elliptic.legendre import agm, ellipeinc, ellipkinc, ellipkm1
from relgraph.engines.jax.special.widened import parts, widened

ELLIPTIC: dict[str, Callable[..., Any]] = widened(
    {
        "agm": agm,
        "ellipkm1": ellipkm1,
        "ellipkinc": ellipkinc,
        "ellipeinc": ellipeinc,
        "elliprc": elliprc,
        "elliprd": elliprd,
        "elliprf": elliprf,
        "elliprg": elliprg,
        "elliprj": elliprj,
        **parts("ellipj", ellipj, 4),
    }
)
"""Functions of arrays by the names that SciPy has for them; of several results, each alone."""
