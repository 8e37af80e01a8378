"""Constant folding: what depends on constants alone is computed once, ahead of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import LocalOptimizer
from relgraph.tensor.type import TensorType

# A folded value is kept as long as the graph. Beyond this many bytes it may be GROWTH times as
# large as what it is computed from.
FREE_BYTES = 65_536
GROWTH = 4


class ConstantFolding(LocalOptimizer):
    """Replaces a node of constants by constants.

    It leaves a node alone whose op does not want it (`Op.do_constant_folding`), whose computation
    raises (it will when the graph is run, if it is), or whose value is much larger than its
    inputs.
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
            return False  # the node stays, and says so itself when it is run


def _is_too_large(inputs: Sequence[Any], made: int) -> bool:
    return made > FREE_BYTES and made > GROWTH * sum(_bytes(v.data) for v in inputs)


def _known_bytes(type_: Any) -> int:
    """Return how many bytes a value of a type takes up, if its shape is known, else 0."""
    if not isinstance(type_, TensorType) or None in type_.shape:
        return 0
    return math.prod(n for n in type_.shape if n is not None) * type_.numpy_dtype.itemsize


def _bytes(value: Any) -> int:
    return int(getattr(value, "nbytes", 0))


def _constant(type_: Any, value: Any) -> Constant:
    """Return a constant of the type, or of one that knows more lengths of axes."""
    if isinstance(type_, TensorType):
        value = np.asarray(value)
        # A length of 1 that was not known to be one must not begin to broadcast.
        shape = [known if n == 1 else n for n, known in zip(value.shape, type_.shape, strict=True)]
        type_ = type_.clone(shape=shape)
    made: Constant = type_.make_constant(value)
    return made


constant_folding = ConstantFolding()
