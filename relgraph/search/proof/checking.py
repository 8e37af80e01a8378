"""A check of a form by values, for where a derivation would be too long to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.costs.lengths import Lengths
from relgraph.tensor.type import TensorType
from relgraph.testing.draw.arrays import number_pool, spread
from relgraph.testing.judge.graph_comparison import Disagreement, ReferenceGraph

LENGTH = 3
"""How long an axis is on which nothing depends."""
EXAMPLES = 12


def disagreement(
    inputs: Sequence[Variable], old: Sequence[Variable], new: Sequence[Variable], sound: str
) -> Disagreement | None:
    """Return where two graphs differ by more than a soundness class allows; None if nowhere.

    Half of the examples have ordinary numbers, and half have edge values too: nan, infinities,
    zeros of both signs, and the extremes of each dtype. Examples for which the old graph has no
    value are left out.

    Parameters
    ----------
    inputs
        The inputs of both graphs.
    """
    sized = Lengths(default=LENGTH)
    rng = np.random.default_rng(0)
    for example in range(EXAMPLES):
        values = [_value(sized.variable(v).type, rng, example % 2 == 0) for v in inputs]
        try:
            reference = ReferenceGraph(inputs, old, values)
        except (ValueError, IndexError, AssertionError, np.linalg.LinAlgError):
            continue
        found = reference.compare(inputs, new, sound)
        if found is not None:
            return found
    return None


def _value(kind: Any, rng: np.random.Generator, ordinary: bool) -> Any:
    if not isinstance(kind, TensorType):
        raise TypeError(f"no values are drawn for inputs of the type {kind}")
    pool = number_pool(kind.dtype)
    if ordinary:
        with np.errstate(all="ignore"):
            pool = pool[np.isfinite(pool) & (np.abs(pool) <= LENGTH)]
    shape = [n for n in kind.shape if n is not None]
    return spread(rng.choice(pool, max(1, math.prod(shape))), shape)
