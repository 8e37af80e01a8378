"""Draws, for PyTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytensor.tensor.type_other import NoneConst

from relgraph.bridges.pytensor.distributions import OF_CLASSES
from relgraph.tensor.random.random_variable import RandomVariable

_CLASSES = {name: cls for cls, name in OF_CLASSES.items()}


def drawn(writer: Any, node: Any, rng: Any, *inputs: Any) -> Any:
    """Write a draw; one that PyTensor would draw otherwise is carried."""
    op = node.op
    cls = _CLASSES.get(op.distribution.name)
    if cls is None or op.dtype != ("int64" if op.distribution.is_discrete else "float64"):
        return None
    size, *parameters = inputs if op.sized else (NoneConst, *inputs)
    return cls(dtype=op.dtype).make_node(rng, size, *parameters).outputs


TABLE: dict[type, Callable[..., Any]] = {RandomVariable: drawn}
