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
from relgraph.engines.jax.special.widened import widened

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
        "ellipj.0": lambda u, m: ellipj(u, m)[0],
        "ellipj.1": lambda u, m: ellipj(u, m)[1],
        "ellipj.2": lambda u, m: ellipj(u, m)[2],
        "ellipj.3": lambda u, m: ellipj(u, m)[3],
    }
)
"""Functions of arrays by the names that SciPy has for them; of several results, each alone."""
