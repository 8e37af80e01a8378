"""Which nodes are compiled, and how the operations on their elements are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.elemwise.fused_elemwise import FusedElemwise
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.type import TensorType
from relgraph.vm.tier.numpy_loops import Loop, find_loop
from relgraph.vm.tier.scalar_code import MEMORY, Native, kind, native

How = Native | Loop

REDUCTIONS: dict[type[Any], str] = {
    type(op): name
    for op, name in (
        (scalar.add, "add"),
        (scalar.mul, "mul"),
        (scalar.maximum, "maximum"),
        (scalar.minimum, "minimum"),
        (scalar.and_, "and"),
        (scalar.or_, "or"),
    )
}
"""The scalar ops by which is reduced."""

_ELEMENTWISE = (Elemwise, FusedElemwise)


def _is_tensor(var: Any) -> bool:
    return isinstance(var.type, TensorType) and var.type.dtype in MEMORY


def how_computed(inner: Any, exact: bool) -> How | None:
    """Return how a scalar op of an `Elemwise` or of a node of a Composite is computed."""
    op, inputs, (out, *others) = inner
    dtypes = tuple([v.type.dtype for v in inputs])
    dtype = out.type.dtype
    if others or dtype not in MEMORY or any(d not in MEMORY for d in dtypes):
        return None
    if op == scalar.pow:
        op = _simple_power(inputs[1], dtype)
        if op is None:
            return None
        if op is not np.power:
            dtypes, op_inputs = dtypes[:1], 1
            found = native(op, dtypes[:op_inputs], dtype, exact)
            return None if found is None else _of_first(found)
        loop = find_loop(np.power, dtypes)
    else:
        found = native(op, dtypes, dtype, exact)
        if found is not None:
            return found
        loop = find_loop(op.ufunc, dtypes)
    fits = loop is not None and all(d in MEMORY for d in loop.dtypes) and loop.dtypes[-1] == dtype
    return loop if fits else None


def _of_first(compute: Native) -> Native:
    return lambda code, xs, dtypes, dtype, exact: compute(code, xs[:1], dtypes[:1], dtype, exact)


def _simple_power(exponent: Variable, dtype: str) -> Any:
    """Return what a power to a constant is; None if the exponent, or the dtype, is another one."""
    value = known_number(exponent)
    if value is None or kind(dtype) != "f":
        return None
    special = {1: scalar.identity, 2: scalar.sqr, 0.5: scalar.sqrt, -1: scalar.reciprocal}
    return special.get(value, np.power)


def known_number(var: Variable) -> Any:
    """Return the number that a constant is; None if it is no constant, or has more elements."""
    if not isinstance(var, Constant):
        return None
    data = np.asarray(var.data)
    ones = not isinstance(var.type, TensorType) or all(var.type.broadcastable)
    return data.item() if data.size == 1 and ones else None


def operations(node: Apply, exact: bool) -> int | None:
    """Return how many operations a node takes; None if it is not compiled.

    Parameters
    ----------
    node
        The node.
    exact
        Whether the bits have to be those of the `perform` of its op.
    """
    if not all(map(_is_tensor, (*node.inputs, *node.outputs))):
        return None
    op = node.op
    if type(op) is DimShuffle:
        (x,) = node.inputs
        in_order = list(op.shuffle) == sorted(op.shuffle)
        return 0 if in_order and all(x.type.broadcastable[a] for a in op.drop) else None
    if type(op) is CAReduce:
        return _reduced_operations(node, exact)
    if type(op) is FusedReduction:
        if exact or any(
            r is not None and type(r.scalar_op) not in REDUCTIONS for r in op.reductions
        ):
            return None
        kept = [v for v, r in zip(node.outputs, op.reductions, strict=True) if r is None]
        return _elementwise_operations(op.elemwise.scalar_op, node.inputs, kept, exact)
    if type(op) in _ELEMENTWISE:
        return _elementwise_operations(op.scalar_op, node.inputs, node.outputs, exact)
    return None


def _reduced_operations(node: Apply, exact: bool) -> int | None:
    (x,) = node.inputs
    op = node.op
    if exact or type(op.scalar_op) not in REDUCTIONS or not x.type.ndim:
        return None
    if op.axis is not None and len(op.axis) < x.type.ndim:
        return None
    return 1 if any(not b for b in x.type.broadcastable) else None


def _elementwise_operations(
    op: Any, inputs: Sequence[Any], outputs: Sequence[Any], exact: bool
) -> int | None:
    pattern = tuple(map(all, zip(*[v.type.broadcastable for v in inputs], strict=True)))
    if any(v.type.broadcastable != pattern for v in outputs):
        return None
    parts: list[Any] = [(op, inputs, outputs)]
    if isinstance(op, Composite):
        parts = [(inner.op, inner.inputs, inner.outputs) for inner in op.nodes]
        if any(v.owner is None for v in op.outputs):
            return None
    return len(parts) if all(how_computed(part, exact) is not None for part in parts) else None


__all__ = ["REDUCTIONS", "How", "how_computed", "known_number", "operations"]
