"""Solutions of equations of oscillation: modified Fresnel integrals, Mathieu's characteristic
values, parabolic cylinder functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.engines.jax.special.oscillations.cylinders import pbdv, pbvv
from relgraph.engines.jax.special.oscillations.fresnel import modfresnelm, modfresnelp
from relgraph.engines.jax.special.oscillations.mathieu import mathieu_a, mathieu_b
from relgraph.engines.jax.special.oscillations.weber import pbwa
from relgraph.engines.jax.special.widened import parts, widened

OSCILLATIONS: dict[str, Callable[..., Any]] = widened(
    {
        "mathieu_a": mathieu_a,
        "mathieu_b": mathieu_b,
        **parts("modfresnelm", modfresnelm, 2),
        **parts("modfresnelp", modfresnelp, 2),
        **parts("pbdv", pbdv, 2),
        **parts("pbvv", pbvv, 2),
        **parts("pbwa", pbwa, 2),
    }
)
"""Functions of arrays by the names that SciPy has for them; of several results, each alone."""
