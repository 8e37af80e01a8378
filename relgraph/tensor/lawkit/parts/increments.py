"""Sums of increments as increments of sums, for the laws in `relations.parts.increments`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.notation import number_of
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor
from relgraph.tensor.math import add, second


def has_no_broadcast_axis(a: Any) -> bool:
    """Return whether no axis of `a` broadcasts: every sum with it has its shape."""
    return not any(a.type.broadcastable)


def sum_incremented_last(*terms: Any) -> Variable:
    """Return the sum of some terms, with the increments among them done on the sum of the rest.

    ``inc(a, b, i) + inc(zeros, c, j) + z`` is ``inc(inc(a + z, c, j), b, i)``. All are taken at
    once: in a gradient there may be as many as there are nodes.

    Parameters
    ----------
    terms
        Variables of one dtype, and tuples of them; there is at least one.
    """
    every = [v for term in terms for v in (term if isinstance(term, tuple) else (term,))]
    summed: list[Variable] = []
    increments: list[tuple[Any, Sequence[Variable]]] = []
    for var in every:
        base, increment = _base_and_increment(var)
        if increment is None or (base is None and not summed and var is every[-1]):
            summed.append(var)
            continue
        increments.append(increment)
        if base is not None:
            summed.append(base)
    total = summed[0] if len(summed) == 1 else add(*summed)
    for op, inputs in reversed(increments):
        total = op(total, *inputs)
    assert isinstance(total, Variable)
    return total


def _base_and_increment(var: Variable) -> tuple[Variable | None, Any]:
    """Return the tensor a part of which is incremented in `var`, None for zeros, and the increment:
    its op and all of its inputs but the first.

    The increment is None if `var` is not made by one, or not of a tensor that has its shape.
    """
    node = var.owner
    if node is None or not isinstance(node.op, IncSubtensor | AdvancedIncSubtensor):
        return None, None
    base, op = node.inputs[0], node.op
    if not has_no_broadcast_axis(base) or base.type.dtype != var.type.dtype or op.inplace:
        return None, None
    if not op.set_instead_of_inc:
        return base, (op, node.inputs[1:])
    # elements that an array names twice are set once, but would be added to twice
    if not isinstance(op, IncSubtensor) or base.head is not second or number_of(base) != 0:
        return None, None
    return None, (IncSubtensor(op.idx_list, False, False), node.inputs[1:])
