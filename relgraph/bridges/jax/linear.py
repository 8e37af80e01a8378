"""The two parts of a derivative: what is computed of values, and what is linear in tangents.

JAX turns the second around for a gradient. Then the choice between two branches comes first, and
gives 0 to the one that is not taken; an infinite slope there would make nan of it. So the choice is
made in the slopes too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import relgraph.tensor as at
from relgraph import scalar
from relgraph.bridges.jax.opaque import is_continuous
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.traversal import walk
from relgraph.tensor.elemwise import scalar_op_of


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
    outputs = _FiniteSlopes(values, tangents, outputs).outputs()
    given = set(values)
    nodes, moving = _moving([*values, *tangents], tangents, outputs)
    found = {i: v for i, v in enumerate(outputs) if v in moving}

    def is_coefficient(v: Variable) -> bool:
        is_fixed = v not in moving and not isinstance(v, Constant)
        return is_fixed and (v.owner is None or v in given or is_continuous(v))

    def behind(v: Variable) -> list[Variable] | None:
        if v in moving or v.owner is None or is_coefficient(v):
            return None
        return v.owner.inputs

    read = walk([v for node in nodes for v in node.inputs], behind)
    return LinearPart(list(filter(is_coefficient, read)), found)


def _moving(
    inputs: Sequence[Variable], tangents: Sequence[Variable], outputs: Sequence[Variable]
) -> tuple[list[Apply], set[Variable]]:
    """Return the nodes that depend on tangents, in order, and all variables that do."""
    nodes, moving = [], set(tangents)
    for node in io_toposort(list(inputs), list(outputs)):
        if any(v in moving for v in node.inputs):
            nodes.append(node)
            moving.update(node.outputs)
    return nodes, moving


# How many nodes of chains before choices are made anew, for each node that there is.
GROWTH = 4

_LINEAR = (scalar.mul, scalar.true_div, scalar.neg, scalar.add, scalar.sub, scalar.switch)
_NEUTRAL = {scalar.mul: 0, scalar.true_div: 1}


class Choice(NamedTuple):
    """A condition, and which branch of a `switch` by it a variable belongs to."""

    condition: Variable
    place: Literal[1, 2]

    def of_slope(self, v: Any, neutral: int) -> Variable:
        """Return a slope where the branch is taken; elsewhere it makes nothing of a 0."""
        is_chosen = scalar_op_of(v.owner) is scalar.switch and v.owner.inputs[0] is self.condition
        branches = (v, neutral) if self.place == 1 else (neutral, v)
        made: Variable = v if is_chosen else at.switch(self.condition, *branches)
        return made


class _FiniteSlopes:
    """Makes the slopes of a derivative finite that no element takes.

    What a tangent is multiplied or divided by becomes a choice, by the same condition, before a
    choice takes the tangent or not, and after one has made it 0.

    Parameters
    ----------
    values, tangents
        The inputs of the derivative.
    outputs
        Its outputs.
    """

    def __init__(
        self, values: Sequence[Variable], tangents: Sequence[Variable], outputs: Sequence[Variable]
    ) -> None:
        self._outputs = outputs
        self._nodes, self._moving = _moving([*values, *tangents], tangents, outputs)
        self._order = {node: i for i, node in enumerate(self._nodes)}
        self._left = GROWTH * len(self._nodes)
        # for each tangent choices that make it 0 where they don't take it
        self._taken: dict[Variable, frozenset[Choice]] = {}

    def outputs(self) -> list[Variable]:
        """Return the outputs of the derivative with such slopes."""
        new: dict[Variable, Variable] = {}
        for node in self._nodes:
            inputs = [new.get(v, v) for v in node.inputs]
            for choice in self._choices_of_tangents(node):
                inputs[choice.place] = self._chosen_before(inputs[choice.place], choice)
            taken = self._taken_by(node, inputs)
            inputs = self._with_slopes(node, inputs, next(iter(taken), None))
            found = node.outputs
            if any(a is not b for a, b in zip(inputs, node.inputs, strict=True)):
                found = self._known(node.clone_with_new_inputs(inputs, strict=False))
                new.update(zip(node.outputs, found, strict=True))
            self._taken[found[0]] = taken
        return [new.get(v, v) for v in self._outputs]

    def _known(self, node: Apply) -> list[Variable]:
        self._order[node] = len(self._order)
        self._moving.update(node.outputs)
        return node.outputs

    def _choices_of_tangents(self, node: Apply) -> list[Choice]:
        if scalar_op_of(node) is not scalar.switch or node.inputs[0] in self._moving:
            return []
        both = Choice(node.inputs[0], 1), Choice(node.inputs[0], 2)
        return [choice for choice in both if node.inputs[choice.place] in self._moving]

    def _chosen_before(self, tangent: Variable, choice: Choice) -> Variable:
        """Return a tangent that a choice takes or not, with such slopes."""
        chosen: dict[Variable, Variable] = {}
        for node in self._chain_above(tangent):
            inputs = self._with_slopes(node, [chosen.get(v, v) for v in node.inputs], choice)
            found = self._known(node.op.make_node(*inputs))
            chosen.update(zip(node.outputs, found, strict=True))
        return chosen.get(tangent, tangent)

    def _chain_above(self, tangent: Variable) -> list[Apply]:
        """Return the products, sums and choices that make a tangent of others, in order.

        There are none if too many would have to be made.
        """
        found: set[Apply] = set()
        asked = [tangent]
        while asked:
            node = asked.pop().owner
            if node is None or node in found or scalar_op_of(node) not in _LINEAR:
                continue
            if self._left == 0:
                return []
            self._left -= 1
            found.add(node)
            asked.extend(v for v in node.inputs if v in self._moving)
        return sorted(found, key=self._order.__getitem__)

    def _with_slopes(
        self, node: Apply, inputs: list[Variable], choice: Choice | None
    ) -> list[Variable]:
        neutral = _NEUTRAL.get(scalar_op_of(node))
        if choice is None or neutral is None:
            return inputs
        return [
            v if v in self._moving or isinstance(v, Constant) else choice.of_slope(v, neutral)
            for v in inputs
        ]

    def _taken_by(self, node: Apply, inputs: Sequence[Variable]) -> frozenset[Choice]:
        """Return choices that make the output of a node 0 where they don't take it."""
        if scalar_op_of(node) not in _LINEAR:
            return frozenset()
        zero = [i for i, v in enumerate(inputs) if _is_zero(v)]
        own = {c for c in self._choices_of_tangents(node) if 3 - c.place in zero}
        of_inputs = [self._taken.get(v, frozenset()) for v in inputs if v in self._moving]
        return frozenset(own) or frozenset.intersection(*of_inputs)


def _is_zero(v: Variable) -> bool:
    return isinstance(v, Constant) and v.unique_value() == 0
