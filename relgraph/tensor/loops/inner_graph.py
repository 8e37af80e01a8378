"""Inner graphs of loops: when two are equal, and which shapes a step gives."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable, clone_replace
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.basic import constant
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.tensor.type import TensorType

LENGTH = TensorType("int64", ())
Shape = tuple[Any, ...]
"""A shape as ints and integer variables of rank 0."""


def structure(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> tuple[list[Apply], Hashable]:
    """Return the nodes of a graph in order, and a key: graphs with one key compute the same.

    Raises
    ------
    ValueError
        If the outputs depend on a variable that is neither an input nor a constant.
    """
    numbers: dict[Variable, int] = {v: i for i, v in enumerate(inputs)}
    key: list[Hashable] = [tuple([v.type for v in inputs])]

    def number(var: Variable) -> int:
        known = numbers.get(var)
        if known is None:
            if not isinstance(var, Constant):
                raise ValueError(f"{var} is neither an input of the inner graph nor a constant")
            known = numbers[var] = len(numbers)
            key.append((var.type, var.signature()))
        return known

    nodes = io_toposort(inputs, outputs)
    for node in nodes:
        key.append((node.op, *[number(v) for v in node.inputs]))
        for out in node.outputs:
            key.append(out.type)
            numbers[out] = len(numbers)
    key.append(tuple([number(v) for v in outputs]))
    return nodes, tuple(key)


class StepShapes:
    """The shapes of what a step computes, in terms of those of its inputs.

    Parameters
    ----------
    inputs
        The inputs of the inner graph.
    fixed
        Those whose values are the same at each step: a length may depend on them.
    nodes
        The nodes of the inner graph, in order.
    """

    def __init__(
        self, inputs: Sequence[Variable], fixed: Collection[Variable], nodes: Sequence[Apply]
    ) -> None:
        self._lengths: dict[tuple[Variable, int], Variable] = {}
        self._shapes: dict[Variable, Shape] = {}
        self._fixed = list(fixed)
        for var in inputs:
            if isinstance(var.type, TensorType):
                shape = [
                    self._lengths.setdefault((var, axis), LENGTH.make_variable())
                    if n is None
                    else n
                    for axis, n in enumerate(var.type.shape)
                ]
                self._shapes[var] = tuple(shape)
        for node in nodes:
            self._infer(node)

    def _infer(self, node: Apply) -> None:
        given = [self._shapes.get(v, _of_itself(v)) for v in node.inputs]
        try:
            found = node.op.infer_shape(None, node, given)
        except MethodNotDefined:
            return
        for out, shape in zip(node.outputs, found, strict=True):
            if isinstance(out.type, TensorType):
                pairs = zip(out.type.shape, shape, strict=True)
                self._shapes[out] = tuple(m if n is None else n for n, m in pairs)

    def of(self, var: Variable) -> Shape | None:
        """Return the shape of a tensor of the inner graph, or None if it depends on what is
        computed there."""
        shape = self._shapes.get(var, _of_itself(var))
        allowed = {*self._lengths.values(), *self._fixed}
        symbolic = [n for n in shape if isinstance(n, Variable)]
        leaves = [v for v in graph_inputs(symbolic, allowed) if not isinstance(v, Constant)]
        return shape if allowed.issuperset(leaves) else None

    def outside(
        self, var: Variable, shapes: Mapping[Variable, Shape], values: Mapping[Variable, Variable]
    ) -> Shape | None:
        """Return a shape in terms of another graph.

        Parameters
        ----------
        shapes
            The shapes of the inputs there.
        values
            What stands there for the inputs that are the same at each step.
        """
        shape = self.of(var)
        if shape is None:
            return None
        replaced: dict[Variable, Any] = {v: values[v] for v in self._fixed}
        for (v, axis), placeholder in self._lengths.items():
            n = shapes[v][axis]
            replaced[placeholder] = constant(n, dtype="int64") if isinstance(n, int) else n
        symbolic = [n for n in shape if isinstance(n, Variable)]
        found = iter(clone_replace(symbolic, replaced) if symbolic else ())
        return tuple(next(found) if isinstance(n, Variable) else n for n in shape)

    def before_a_step(
        self,
        var: Variable,
        shapes: Mapping[Variable, Sequence[int]],
        values: Mapping[Variable, Any],
    ) -> tuple[int, ...]:
        """Return the shape that a step would give, where none is run.

        A length that depends on what is computed there is taken for 0. The parameters are those of
        `outside`, with values in place of variables.
        """
        shape = self.of(var)
        if shape is None:
            return tuple(0 if n is None else n for n in var.type.shape)
        symbolic = [n for n in shape if isinstance(n, Variable)]
        givens = {p: shapes[v][axis] for (v, axis), p in self._lengths.items()}
        found = iter(evaluate(symbolic, {**givens, **{v: values[v] for v in self._fixed}}))
        return tuple(int(next(found)) if isinstance(n, Variable) else n for n in shape)


def _of_itself(var: Variable) -> Any:
    """Return the shape of a tensor of which nothing else is known; None of any other variable."""
    if not isinstance(var.type, TensorType):
        return None
    return tuple(Shape_i(i)(var) if n is None else n for i, n in enumerate(var.type.shape))
