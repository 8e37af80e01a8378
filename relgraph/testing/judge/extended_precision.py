"""Values of graphs in extended precision: NumPy's longdouble, whatever the dtype of a variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.testing.judge.evaluation import Values, perform_on_copies, value_of

EXTENDED = np.longdouble
_EXTENDED_COMPLEX = np.clongdouble


def to_extended(value: Any, dtype: str) -> Any:
    """Return a value of a variable of `dtype` as an array of extended precision.

    That of a discrete variable keeps its dtype.
    """
    kind = np.dtype(dtype).kind
    if kind == "f":
        return np.asarray(value, EXTENDED)
    return np.asarray(value, _EXTENDED_COMPLEX) if kind == "c" else np.asarray(value)


def is_discrete(dtype: str) -> bool:
    """Return whether numbers of a dtype are integers or booleans."""
    return np.dtype(dtype).kind in "biu"


def extended_operands(node: Apply, values: Values) -> list[Any]:
    """Return the values of the inputs of a node; constants are made extended."""
    return [
        values[v] if v in values else to_extended(value_of(v, values), v.type.dtype)
        for v in node.inputs
    ]


def perform_extended(node: Apply, operands: list[Any]) -> list[Any]:
    """Return the outputs of a node for operands of extended precision.

    An op that has no loop for that precision, or insists on its dtypes, gets the operands in the
    dtypes of its inputs.
    """
    perform: Callable[..., Any] = _elementwise if isinstance(node.op, Elemwise) else (
        perform_on_copies
    )  # fmt: skip
    try:
        return list(perform(node, operands))
    except (TypeError, ValueError):
        rounded = [np.asarray(x, v.type.dtype) for x, v in zip(operands, node.inputs, strict=True)]
        return perform_on_copies(node, rounded)


def _elementwise(node: Apply, operands: list[Any]) -> list[Any]:
    op: Any = node.op
    scalar_op = op.scalar_op
    shape = np.broadcast_shapes(*[x.shape for x in operands])
    dtypes = [out.type.dtype for out in node.outputs]
    if isinstance(scalar_op, scalar.Cast):
        return [_cast(operands[0], dtypes[0])]
    if all(np.dtype(d).kind in "fc" for d in dtypes) and all(
        x.dtype.kind in "biu" for x in operands
    ):
        operands = [np.asarray(x, EXTENDED) for x in operands]
    computed = scalar_op.impl(*operands)
    results = [computed] if scalar_op.nout == 1 else list(computed)
    return [
        np.broadcast_to(to_extended(np.asarray(r).astype(d) if is_discrete(d) else r, d), shape)
        for r, d in zip(results, dtypes, strict=True)
    ]


def _cast(value: Any, dtype: str) -> Any:
    kind = np.dtype(dtype).kind
    if kind == value.dtype.kind and kind in "fc":
        return value
    if not is_discrete(dtype):
        return to_extended(value, dtype)
    # A number out of range becomes what it becomes from float64, as it does in the graph.
    return (value.astype("float64") if value.dtype.kind == "f" else value).astype(dtype)
