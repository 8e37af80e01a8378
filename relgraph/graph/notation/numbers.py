"""The numbers that stand in a graph."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from relgraph.graph.basic import Constant, Variable


def number_of(var: Variable) -> Any:
    """Return the Python number that every element of `var` is known to be, or None.

    Broadcasting is seen through: an op that only repeats the elements of one input says so by
    `Op.repeats`.
    """
    while var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return var.unique_value() if isinstance(var, Constant) else None


def number_key(number: Any) -> Hashable:
    """Return what two numbers have in common if they are of one kind, value and sign."""
    if not number or number != number or number.__class__ is complex:
        return (number.__class__, str(number))
    return (number.__class__, number)
