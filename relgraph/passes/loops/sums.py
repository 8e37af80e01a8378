"""Sums of products over the steps become one product.

A gradient by a matrix that each step multiplies by is such a sum: ``total + A_t @ B_t`` at each
step. The rows of all ``A_t`` and ``B_t`` are collected, and multiplied at once after the loop.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.traversal import ancestors
from relgraph.passes.loops.open_loop import OpenLoop, Row, State
from relgraph.tensor.contraction import Dot
from relgraph.tensor.elemwise.elemwise import DimShuffle
from relgraph.tensor.math import _dot, add, mul
from relgraph.tensor.type import TensorType

_TRANSPOSE = DimShuffle(2, (1, 0))
_COLUMN = DimShuffle(1, (0, "x"))
_ROW = DimShuffle(1, ("x", 0))


def sum_products(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Take the sums of products of matrices out of the states of a loop.

    A loop with a condition is left alone.
    """
    if loop.stop:
        return False
    changed = False
    for state in list(loop.states):
        found = _products(loop, state, fgraph)
        if found:
            _take_out(loop, state, found)
            changed = True
    return changed


Factors = tuple[Variable, Variable]
"""Two variables of the step, A and B, whose product AᵀB is a term of a sum. They are both matrices,
or both vectors, which stand for matrices of one row."""


def _products(loop: OpenLoop, state: State, fgraph: FunctionGraph) -> dict[Variable, Factors]:
    """Return the terms that are products, if a state is a sum that nothing else reads."""
    node = state.new.owner
    if node is None or node.op is not add or node.inputs.count(state.inner) != 1:
        return {}
    if getattr(state.inner.type, "ndim", 0) != 2:
        return {}
    terms = [v for v in node.inputs if v is not state.inner and _is_whole(v, state.new)]
    others = [v for v in loop.outputs if v is not state.new] + [
        v for v in node.inputs if v is not state.inner
    ]
    if state.inner in ancestors(others, [state.inner]):
        return {}
    if loop.outputs.count(state.new) > 1:
        return {}
    found = {v: _factors(v) for v in terms}
    return {v: factors for v, factors in found.items() if factors is not None}


def _is_whole(term: Any, total: Any) -> bool:
    """Return whether a term is not broadcast or converted to become part of a sum."""
    return bool(
        term.type.dtype == total.type.dtype and term.type.broadcastable == total.type.broadcastable
    )


def _factors(term: Variable) -> Factors | None:
    node = term.owner
    if node is None:
        return None
    if type(node.op) is Dot and all(v.type.ndim == 2 for v in node.inputs):
        left, right = node.inputs
        if left.owner is not None and left.owner.op is _TRANSPOSE:
            return left.owner.inputs[0], right
        return _TRANSPOSE(left), right
    if node.op is mul and len(node.inputs) == 2:
        by_op = {v.owner.op: v for v in node.inputs if v.owner is not None}
        if by_op.keys() == {_COLUMN, _ROW}:
            a, b = by_op[_COLUMN].owner.inputs[0], by_op[_ROW].owner.inputs[0]
            return (a, b) if a.type.dtype == b.type.dtype else None
    return None


def _take_out(loop: OpenLoop, state: State, found: dict[Variable, Factors]) -> None:
    node = state.new.owner
    assert node is not None
    rest = [v for v in node.inputs if v not in found]
    products = [
        _product_of_rows(_collected(loop, a), _collected(loop, b)) for a, b in found.values()
    ]
    last = state.inner.type.make_variable()
    loop.computed.update((old, add(last, *products)) for old in state.last)
    state.last = [last]
    state.new = add(*rest) if len(rest) > 1 else rest[0]


def _collected(loop: OpenLoop, value: Any) -> Any:
    """Return what stands for the array of the values that a variable has at each step."""
    array = TensorType(value.type.dtype, (None, *value.type.shape)).make_variable()
    known = next((r for r in loop.rows if r.value is value and r.kept is None), None)
    if known is None:
        loop.rows.append(Row(value, None, [array]))
    else:
        known.arrays.append(array)
    return array


def _product_of_rows(a: Any, b: Any) -> Any:
    """Return the sum over the first axis of the products AᵀB; the rows of vectors are matrices."""
    if a.type.ndim == 2:
        return _dot(a.dimshuffle(1, 0), b)
    n = a.shape[0] * a.shape[1]
    left = a.reshape((n, a.shape[2])).dimshuffle(1, 0)
    return _dot(left, b.reshape((n, b.shape[2])))
