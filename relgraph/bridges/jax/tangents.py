"""Derivatives as JAX wants them: what is computed of values, and what is linear in tangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.type import TensorType


class LinearPart(NamedTuple):
    """A derivative in two parts.

    Attributes
    ----------
    coefficients
        Variables that are computed of values alone.
    outputs
        By the position of an output of the derivative its variable, which is linear in the tangents
        if the coefficients are given. One that does not depend on tangents is zero, and left out.
    """

    coefficients: list[Variable]
    outputs: dict[int, Variable]


def linear_part(
    values: Sequence[Variable], tangents: Sequence[Variable], outputs: Sequence[Variable]
) -> LinearPart:
    """Return the part of a derivative that depends on tangents, and what it needs of the rest.

    What JAX differentiates once more is the coefficients, as functions of the values. Integers are
    computed in the linear part again: they have no derivatives, and lengths among them have to be
    known where JAX traces it.

    Parameters
    ----------
    values, tangents
        The inputs of the derivative.
    outputs
        Its outputs.
    """
    given, moving = set(values), set(tangents)
    nodes = list(io_toposort([*values, *tangents], list(outputs)))
    for node in nodes:
        if any(v in moving for v in node.inputs):
            moving.update(node.outputs)
    found = {i: v for i, v in enumerate(outputs) if v in moving}
    asked = [v for node in nodes for v in node.inputs if node.outputs[0] in moving]
    coefficients: dict[Variable, None] = {}
    seen = set(moving)
    while asked:
        v = asked.pop()
        if v in seen or isinstance(v, Constant):
            continue
        seen.add(v)
        if v.owner is None or v in given or is_continuous(v):
            coefficients[v] = None
        else:
            asked.extend(v.owner.inputs)
    return LinearPart(list(coefficients), found)


def is_continuous(v: Variable) -> bool:
    """Return whether a variable has derivatives: whether it is a tensor of floats."""
    return isinstance(v.type, TensorType) and not is_discrete(v.type.dtype)
