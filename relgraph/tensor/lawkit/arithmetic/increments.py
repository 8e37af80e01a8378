"""Increments that are added up, done one after the other on one tensor instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor
from relgraph.tensor.math import add, second


def broadcasts_nowhere(a: Any) -> bool:
    """Return whether no axis of `a` broadcasts: a sum with it has its shape."""
    return not any(a.type.broadcastable)


def added_in_turn(*terms: Any) -> Variable:
    """Return the sum of some terms, with what only increments a part of it done after the rest.

    ``inc(a, b, i) + inc(zeros, c, j) + z`` is ``inc(inc(a + z, c, j), b, i)``. All are taken at
    once: in a gradient there may be as many as there are nodes.

    Parameters
    ----------
    terms
        Variables of one dtype, and tuples of them; there is at least one.
    """
    every = [v for term in terms for v in (term if isinstance(term, tuple) else (term,))]
    plain: list[Variable] = []
    later: list[tuple[Any, Sequence[Variable]]] = []
    for var in every:
        base, change = _taken_apart(var)
        if change is None or (base is None and not plain and var is every[-1]):
            plain.append(var)
            continue
        later.append(change)
        if base is not None:
            plain.append(base)
    total = plain[0] if len(plain) == 1 else add(*plain)
    for op, inputs in reversed(later):
        total = op(total, *inputs)
    assert isinstance(total, Variable)
    return total


def _taken_apart(var: Variable) -> tuple[Variable | None, Any]:
    """Return what a part of is incremented, None for zeros, and the increment: its op and all its
    inputs but the first; None for that if `var` is no increment of something that has its shape."""
    node = var.owner
    if node is None or not isinstance(node.op, IncSubtensor | AdvancedIncSubtensor):
        return None, None
    base, op = node.inputs[0], node.op
    if not broadcasts_nowhere(base) or base.type.dtype != var.type.dtype or op.inplace:
        return None, None
    if not op.set_instead_of_inc:
        return base, (op, node.inputs[1:])
    # elements that an array names twice are set once, but would be added to twice
    if not isinstance(op, IncSubtensor) or base.head is not second or number_of(base) != 0:
        return None, None
    return None, (IncSubtensor(op.idx_list, False, False), node.inputs[1:])
