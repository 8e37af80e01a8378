"""The shape of a variable as its node tells it, without computing the variable."""

from __future__ import annotations

from typing import Any

from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.shapes import lengths
from relgraph.tensor.type import TensorType


def inferred_shape(var: Any) -> tuple[Any, ...] | None:
    """Return the lengths of the axes of `var` in terms of the inputs of its node.

    Returns
    -------
    lengths
        ints where they are known, else integer variables; None if the op can't tell.
    """
    node = var.owner
    shapes = [lengths(v) if isinstance(v.type, TensorType) else None for v in node.inputs]
    try:
        shape = node.op.infer_shape(None, node, shapes)[var.index]
    except MethodNotDefined:
        return None
    known = var.type.shape
    return tuple(s if n is None else n for n, s in zip(known, shape, strict=True))
