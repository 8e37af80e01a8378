"""Draws from distributions, where NumPy's generator gives the same numbers in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import relgraph.tensor as at
from relgraph.bridges.pytensor.distributions import NAMES, OF_CLASSES
from relgraph.tensor.random.distributions import DISTRIBUTIONS
from relgraph.tensor.random.random_variable import RandomVariable
from relgraph.tensor.type import TensorType


def drawn(reader: Any, node: Any, rng: Any, size: Any, *parameters: Any) -> Any:
    """Read a draw; one whose shape is a vector of unknown length is held."""
    op = node.op
    distribution = DISTRIBUTIONS[OF_CLASSES[type(op)]]
    dtype = node.outputs[1].type.dtype
    sized = isinstance(size.type, TensorType)
    if sized and size.type.shape[0] is None:
        return None
    if dtype != ("int64" if distribution.is_discrete else "float64"):
        return None
    shape = [at.cast(size, "int64")] if sized else []
    made = RandomVariable(distribution, sized, dtype)
    return made(rng, *shape, *parameters, return_list=True)


TABLE: dict[str, Callable[..., Any]] = dict.fromkeys(NAMES, drawn)
