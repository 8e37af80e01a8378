"""Shapes that are filled in: of a variable as its node tells it, and of the fills in a sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.guards.dependence import looking
from relgraph.tensor.lawkit.guards.types import broadcasts_like
from relgraph.tensor.math import second
from relgraph.tensor.shapes.shape import lengths
from relgraph.tensor.type import TensorType


def inferred_shape(var: Any) -> tuple[Any, ...] | None:
    """Return the lengths of the axes of `var` in terms of the inputs of its node.

    Returns
    -------
    lengths
        ints where they are known, else integer variables; None if the op can't tell.
    """
    node = var.owner
    shapes = [lengths(v) if isinstance(v.type, TensorType) else None for v in node.inputs]
    try:
        shape = node.op.infer_shape(None, node, shapes)[var.index]
    except MethodNotDefined:
        return None
    known = var.type.shape
    return tuple(s if n is None else n for n, s in zip(known, shape, strict=True))


def widest_template(template: Variable, variables: Sequence[Variable]) -> Variable:
    """Return `template`, or one that spans it and into the shape of which one of the variables is
    filled."""
    for var in variables:
        if var.head is second and var.owner is not None:
            other = var.owner.inputs[0]
            if broadcasts_like(other, template) and not broadcasts_like(template, other):
                template = other
    return template


def without_fills(template: Variable, variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables, those that are filled into a shape that `template` spans as they were
    before that."""
    every: list[Variable] = []
    for var in variables:
        node = var.owner if var.head is second else None
        fits = node is not None and broadcasts_like(template, node.inputs[0])
        every.append(node.inputs[1] if node is not None and fits else var)
    return tuple(every)


@looking(1)
def shape_source(var: Variable) -> Variable | None:
    """Return the variable furthest down that has the shape of `var`, as elementwise ops on the way
    tell; None if that is `var` itself.

    All the way is gone at once: a step at a time, what is filled into the shape of the last of many
    results would be made anew for each of them.
    """
    source, below = var, _spanning_input(var)
    while below is not None:
        source, below = below, _spanning_input(below)
    return None if source is var else source


def _spanning_input(var: Variable) -> Variable | None:
    """Return the first input of an elementwise op that has the shape of its output, `var`."""
    node = var.owner
    if node is None or not isinstance(node.op, Elemwise):
        return None
    return next((x for x in node.inputs if broadcasts_like(x, var)), None)
