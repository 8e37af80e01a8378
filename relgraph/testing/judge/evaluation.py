"""The values of all variables of a graph, computed by the `perform` of one node after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.sparse as sparse
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort

Values = dict[Variable, Any]
"""The value of each variable of a graph."""


def evaluate_all(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> Values:
    """Return the values of all variables of a graph.

    An op that overwrites an input gets a copy, so that each variable keeps its value.

    Parameters
    ----------
    inputs, outputs
        The graph.
    values
        The values of `inputs`.
    """
    found: Values = dict(zip(inputs, values, strict=True))
    for node in io_toposort(inputs, outputs):
        operands = [value_of(v, found) for v in node.inputs]
        results = perform_on_copies(node, operands)
        for out, result in zip(node.outputs, results, strict=True):
            found.setdefault(out, result)
    for v in outputs:
        found.setdefault(v, value_of(v, found))
    return found


def value_of(v: Variable, values: Values) -> Any:
    """Return the value of a variable: the given one, or the data of a constant."""
    return v.data if isinstance(v, Constant) and v not in values else values[v]


def perform_on_copies(node: Apply, operands: Sequence[Any]) -> list[Any]:
    """Return what the `perform` of a node computes; it gets copies of what it overwrites."""
    operands = list(operands)
    for destroyed in node.op.destroy_map.values():
        for i in destroyed:
            operands[i] = np.array(operands[i])
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, operands, storage)
    return [cell[0] for cell in storage]


def array_of(value: Any) -> Any:
    """Return a value as an array: all elements of a sparse matrix."""
    if type(value) is np.ndarray:
        return value
    return value.toarray() if sparse.is_matrix(value) else np.asarray(value)
