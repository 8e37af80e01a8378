"""Constant folding: a node all of whose inputs are constants is replaced by its value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import LocalOptimizer
from relgraph.tensor.type import TensorType

# The graph keeps a folded value. One of more than FREE_BYTES may be at most GROWTH times as large
# as the inputs of its node.
FREE_BYTES = 65_536
GROWTH = 4


class ConstantFolding(LocalOptimizer):
    """Replaces the outputs of a node with constant inputs by constants.

    A node stays if its op says so (`Op.do_constant_folding`), if its computation raises an error
    (it will do so when the graph is run), or if its value is much larger than its inputs.
    """

    name = "constant_folding"
    depth = 2

    def inspected_pairs(self) -> frozenset[tuple[Any, Any]]:
        return frozenset()

    def might_match(self, node: Apply) -> bool:
        return bool(node.inputs) and all(v.head is Constant for v in node.inputs)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> list[Constant] | bool:
        if not node.inputs or not all(isinstance(v, Constant) for v in node.inputs):
            return False
        if not node.op.do_constant_folding(fgraph, node):
            return False
        if _is_too_large(node.inputs, sum(_known_bytes(out.type) for out in node.outputs)):
            return False
        # An op that overwrites an input must not do that to a constant.
        destroyed = {i for indices in node.op.destroy_map.values() for i in indices}
        values = [
            np.array(v.data) if i in destroyed and isinstance(v.data, np.ndarray) else v.data
            for i, v in enumerate(node.inputs)
        ]
        cells: list[list[Any]] = [[None] for _ in node.outputs]
        try:
            node.op.perform(node, values, cells)
            if _is_too_large(node.inputs, sum(_bytes(cell[0]) for cell in cells)):
                return False
            return [
                _constant(out.type, cell[0]) for out, cell in zip(node.outputs, cells, strict=True)
            ]
        except Exception:
            return False  # The node raises the error when the graph is run.


def _is_too_large(inputs: Sequence[Any], made: int) -> bool:
    return made > FREE_BYTES and made > GROWTH * sum(_bytes(v.data) for v in inputs)


def _known_bytes(type_: Any) -> int:
    """Return the size in bytes of a value of a type whose static shape is known; else 0."""
    if not isinstance(type_, TensorType) or None in type_.shape:
        return 0
    return math.prod(n for n in type_.shape if n is not None) * type_.numpy_dtype.itemsize


def _bytes(value: Any) -> int:
    return int(getattr(value, "nbytes", 0))


def _constant(type_: Any, value: Any) -> Constant:
    """Return a constant of a type, made narrower by the lengths of the value's axes."""
    if isinstance(type_, TensorType):
        value = np.asarray(value)
        # An axis without a static length must not get the length 1: it would broadcast.
        shape = [known if n == 1 else n for n, known in zip(value.shape, type_.shape, strict=True)]
        type_ = type_.clone(shape=shape)
    made: Constant = type_.make_constant(value)
    return made


constant_folding = ConstantFolding()
