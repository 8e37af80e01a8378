"""True values, gradients and condition numbers of the naive functions, by mpmath.

``python -m tests.bridges.jax.naive truths`` computes all anew and writes `truths.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

from tests.bridges.jax.naive.formula import Naive
from tests.losses.truth import MPMATH, Truth

KEPT = Path(__file__).with_name("truths.json")
mp = mpmath.mp


def _matrix(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda a: function(mp.matrix(a.tolist()))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + MPMATH.exp(-x))


NAMES = SimpleNamespace(
    **vars(MPMATH),
    cosh=np.frompyfunc(lambda x: mp.cosh(x), 1, 1),
    sigmoid=_sigmoid,
    eye=lambda n: np.eye(n).astype(object),
    linalg=SimpleNamespace(
        det=_matrix(mp.det),
        inv=_matrix(lambda a: np.array((a**-1).tolist(), dtype=object)),
    ),
)


def truth(function: Naive, point: Sequence[Any]) -> dict[str, Any]:
    """Return what is kept of a function at a point, whose numbers are rounded to its dtype."""
    rounded = [np.array(v, function.dtype).astype(float) for v in point]
    over_mpmath = replace(function, formula=lambda m, *inputs: function.formula(NAMES, *inputs))
    return Truth(over_mpmath, rounded).kept()


def written() -> dict[str, list[dict[str, Any]]]:
    """Return what is kept, by the names of functions: for each point one entry."""
    found: dict[str, list[dict[str, Any]]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def write(functions: Sequence[Naive], say: Callable[[str], None] = print) -> None:
    """Compute all and write it down."""
    blocks = []
    for function in functions:
        say(function.name)
        entries = [json.dumps(truth(function, point)) for point in function.points]
        blocks.append(f"{json.dumps(function.name)}: [\n  " + ",\n  ".join(entries) + "\n]")
    KEPT.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


__all__ = ["KEPT", "truth", "write", "written"]
