"""What a step computes of rows of sequences alone is computed for all steps at once.

That is done for products of matrices, with all that they are computed from, and for what is
collected. Elementwise operations between them stay in the step, where they are fused with others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.loops.open_loop import Given, OpenLoop
from relgraph.tensor.contraction import Dot, MatrixProduct
from relgraph.tensor.elemwise.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing.indices import WHOLE, placeholders
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.linalg.products import MatMul, _matmul
from relgraph.tensor.math import _dot
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import specify_shape
from relgraph.tensor.type import TensorType


def batch_products(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Compute for all steps at once what they compute of rows of sequences.

    A loop with a condition is left alone: it may make few of its steps.
    """
    if loop.stop or not loop.sequences:
        return False
    batch = _Batch(loop)
    chosen = [v for v in batch.nodes if _is_worth_it(v, loop)]
    if not chosen:
        return False
    stands_for: dict[Variable, Variable] = {}
    for var in chosen:
        array = specify_shape(batch.of(var), (None, *var.type.shape))
        stands_for[var] = var.type.make_variable(var.name)
        loop.sequences.append(Given(stands_for[var], array))
    loop.substitute(stands_for)
    return bool(stands_for)


def _is_worth_it(var: Variable, loop: OpenLoop) -> bool:
    assert var.owner is not None
    return isinstance(var.owner.op, MatrixProduct) or any(row.value is var for row in loop.rows)


class _Batch:
    """Arrays that hold what variables of a step are at all steps.

    Attributes
    ----------
    nodes
        For each variable that is computed from rows of sequences and what is the same at each step
        alone, and by ops that there is a rule for, its node.
    """

    def __init__(self, loop: OpenLoop) -> None:
        self._arrays: dict[Variable, Any] = {
            part.inner: loop.read_rows(part.outer) for part in loop.sequences
        }
        self._fixed: dict[Variable, Any] = {part.inner: part.outer for part in loop.fixed}
        self.nodes: dict[Variable, Apply] = {}
        for node in loop.nodes():
            if _rule_of(node) is None or not any(self._varies(v) for v in node.inputs):
                continue
            if all(self._varies(v) or self._is_fixed(v) for v in node.inputs):
                self.nodes[node.outputs[0]] = node

    def _varies(self, var: Variable) -> bool:
        return var in self._arrays or var in self.nodes

    def _is_fixed(self, var: Variable) -> bool:
        return isinstance(var, Constant) or var in self._fixed

    def of(self, var: Variable) -> Any:
        """Return the array of a variable, made of those it is computed from."""
        waiting = [var]
        while waiting:
            last = waiting[-1]
            if last in self._arrays:
                waiting.pop()
                continue
            node = self.nodes[last]
            needed = [v for v in node.inputs if v in self.nodes and v not in self._arrays]
            if needed:
                waiting += needed
                continue
            rule = _rule_of(node)
            assert rule is not None
            fixed = {v: self._fixed.get(v, v) for v in node.inputs if not self._varies(v)}
            self._arrays[last] = rule(node, self._arrays, fixed)
        return self._arrays[var]


Rule = Callable[[Apply, Mapping[Variable, Any], Mapping[Variable, Any]], Any]
"""Takes a node, the arrays of the inputs that differ from step to step, and the variables outside
for the others; returns the array of the output."""


def _rule_of(node: Apply) -> Rule | None:
    rule = _RULES.get(type(node.op))
    if rule is None or len(node.outputs) > 1:
        return None
    if isinstance(node.op, Subtensor) and any(True for _ in placeholders(node.op.idx_list)):
        return None
    if not all(isinstance(v.type, TensorType) for v in node.inputs):
        return None
    return rule


def _elementwise(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    given = [
        arrays[v] if v in arrays else fixed[v].dimshuffle("x", *range(v.type.ndim))
        for v in node.inputs
    ]
    return node.op(*given)


def _dimshuffle(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    order = [a if a == "x" else a + 1 for a in node.op.new_order]
    return DimShuffle(node.op.input_ndim + 1, (0, *order))(arrays[node.inputs[0]])


def _part(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    return Subtensor((WHOLE, *node.op.idx_list))(arrays[node.inputs[0]])


def _reduction(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    (x,) = node.inputs
    axes = tuple([a + 1 for a in node.op.axes(x.type.ndim)])
    return CAReduce(node.op.scalar_op, axes)(arrays[x])


def _product(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    x, y = node.inputs
    if x in arrays and y in arrays:
        return _products_of_pairs(x, y, arrays[x], arrays[y])
    if x in arrays:
        return _rows_times(arrays[x], fixed[y])
    w, array = fixed[x], arrays[y]
    if y.type.ndim == 1:
        return _rows_times(array, w if w.type.ndim == 1 else w.dimshuffle(1, 0))
    if w.type.ndim == 1:
        return _matmul(w.dimshuffle("x", "x", 0), array)[:, 0]
    return _matmul(w, array)


def _rows_times(array: Any, w: Any) -> Any:
    """Return the product of the last axis of an array with the first one of a vector or matrix."""
    if array.type.ndim <= 2:
        return _dot(array, w)
    n, m = array.shape[0], array.shape[1]
    flat = _dot(array.reshape((n * m, array.shape[2])), w)
    return flat.reshape((n, m, *([w.shape[1]] if w.type.ndim == 2 else [])))


def _products_of_pairs(x: Variable, y: Variable, xs: Any, ys: Any) -> Any:
    """Return the product of each pair."""
    left = xs if x.type.ndim == 2 else xs.dimshuffle(0, "x", 1)
    right = ys if y.type.ndim == 2 else ys.dimshuffle(0, 1, "x")
    found = _matmul(left, right)
    if y.type.ndim == 1:
        found = found[:, :, 0]
    return found[:, 0] if x.type.ndim == 1 else found


def _stack_product(
    node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]
) -> Any:
    ndim = max(v.type.ndim for v in node.inputs)
    given = []
    for v in node.inputs:
        array = arrays.get(v)
        if array is None:
            given.append(fixed[v])
        else:
            new = ["x"] * (ndim - v.type.ndim)
            given.append(array.dimshuffle(0, *new, *range(1, v.type.ndim + 1)))
    return _matmul(*given)


_RULES: dict[type[Any], Rule] = {
    Elemwise: _elementwise,
    DimShuffle: _dimshuffle,
    Subtensor: _part,
    CAReduce: _reduction,
    Dot: _product,
    MatMul: _stack_product,
}
