"""Edits of a graph as data, so that they can be replayed on a copy of it.

Variables and nodes have numbers. At the start these are given to the inputs of the graph and then,
in topological order, to the nodes and what they read and compute; later to what is imported. So a
copy of the graph gives the same numbers to the same variables and nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.fg import FunctionGraph


class Make(NamedTuple):
    """A node was imported for the first time."""

    node: int


class Change(NamedTuple):
    """Input `place` of a node, or output `place` of the graph where `node` is None, changed."""

    node: int | None
    place: int
    old: int
    new: int


class Add(NamedTuple):
    """A variable became input or output `place` of the graph."""

    output: bool
    place: int
    variable: int


class Remove(NamedTuple):
    """Input or output `place` of the graph was removed."""

    output: bool
    place: int
    variable: int


Edit = Make | Change | Add | Remove


class NodeSpec(NamedTuple):
    """A node as it was first imported: its op, and the numbers of its inputs and outputs."""

    op: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class VariableSpec(NamedTuple):
    """What is needed to make a variable again; `constant` is the variable if it is a constant."""

    type: Any
    name: str | None
    constant: Constant | None


class EditLog:
    """The graph at the start of a recording, and the variables and nodes imported since.

    Attributes
    ----------
    variables, nodes
        The variables and nodes by number.
    inputs, outputs
        The numbers of the inputs and outputs of the graph at the start.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.variables: list[VariableSpec] = []
        self.nodes: list[NodeSpec] = []
        self._numbers: dict[Variable, int] = {}
        self._nodes: dict[Apply, int] = {}
        self._wiring: list[list[int]] = []
        self.inputs = [self.number(v) for v in fgraph.inputs]
        for node in io_toposort(fgraph.inputs, fgraph.outputs):
            self.record_import(node)
        self.outputs = [self.number(v) for v in fgraph.outputs]
        self._start = (len(self.variables), len(self.nodes))

    # -- recording --------------------------------------------------------------------------

    def number(self, var: Variable) -> int:
        """Return the number of a variable, a new one if it has none."""
        known = self._numbers.get(var)
        if known is None:
            known = self._numbers[var] = len(self.variables)
            constant = var if isinstance(var, Constant) else None
            self.variables.append(VariableSpec(var.type, var.name, constant))
        return known

    def record_import(self, node: Apply) -> list[Edit]:
        """Record that a node is imported; return the edits that a replay has to make."""
        inputs = [self.number(v) for v in node.inputs]
        number = self._nodes.get(node)
        if number is None:
            number = self._nodes[node] = len(self.nodes)
            outputs = tuple(self.number(v) for v in node.outputs)
            self.nodes.append(NodeSpec(node.op, tuple(inputs), outputs))
            self._wiring.append(inputs)
            return [Make(number)]
        before, self._wiring[number] = self._wiring[number], inputs
        pairs = enumerate(zip(before, inputs, strict=True))
        return [Change(number, i, a, b) for i, (a, b) in pairs if a != b]

    def record_change(self, node: Any, place: int, old: Variable, new: Variable) -> Change:
        """Record that an input of a node, or an output of the graph, changes."""
        number = self._nodes[node] if isinstance(node, Apply) else None
        edit = Change(number, place, self.number(old), self.number(new))
        if number is not None:
            self._wiring[number][place] = edit.new
        return edit

    def close(self) -> None:
        """Drop the references to the variables and nodes of the graph; keep only the data."""
        self._numbers, self._nodes, self._wiring = {}, {}, []

    # -- reading ----------------------------------------------------------------------------

    def originals(self) -> Sequence[Variable]:
        """Return the variables of the graph in the order of their numbers, before `close`."""
        return list(self._numbers)

    def leaf(self, number: int) -> Variable:
        """Return a leaf by its number: the constant itself, or a new variable of its type."""
        spec = self.variables[number]
        return self.result(number) if spec.constant is None else spec.constant

    def result(self, number: int) -> Variable:
        """Return a new variable of the type and name of the one with this number."""
        spec = self.variables[number]
        made: Variable = spec.type.make_variable(spec.name)
        return made

    def graph(self) -> FunctionGraph:
        """Return a new copy of the graph at the start."""
        variables: dict[int, Variable] = {}
        for spec in self.nodes[: self._start[1]]:
            for k in spec.inputs:
                if k not in variables:
                    variables[k] = self.leaf(k)
            outputs = [self.result(k) for k in spec.outputs]
            Apply(spec.op, [variables[k] for k in spec.inputs], outputs)
            variables.update(zip(spec.outputs, outputs, strict=True))
        for k in (*self.inputs, *self.outputs):
            if k not in variables:
                variables[k] = self.leaf(k)
        inputs = [variables[k] for k in self.inputs]
        return FunctionGraph(inputs, [variables[k] for k in self.outputs], clone=False)

    def place(self, edit: Change) -> str:
        """Return in words where a change took place."""
        if edit.node is None:
            return f"output {edit.place}"
        return f"argument {edit.place} of {self.nodes[edit.node].op}"

    def difference(self, other: EditLog) -> str:
        """Return how the start of `other` differs from that of this log; "" if it does not."""
        for kind in ("inputs", "outputs"):
            mine, others = getattr(self, kind), getattr(other, kind)
            if len(mine) != len(others):
                return f"it has {len(others)} {kind}, not {len(mine)}"
        variables, nodes = self._start
        for k, (node, seen) in enumerate(zip(self.nodes[:nodes], other.nodes, strict=False)):
            if node.op is not seen.op:
                return f"its node {k} applies {seen.op}, not {node.op}"
            if node != seen:
                return f"its node {k}, which applies {seen.op}, has other inputs"
        for spec, seen_spec in zip(self.variables[:variables], other.variables, strict=False):
            if not _alike(spec, seen_spec):
                return f"{_described(seen_spec)} is where {_described(spec)} was"
        if other._start != self._start or other.outputs != self.outputs:
            return f"it has {len(other.nodes)} nodes, not {nodes}, or other outputs"
        return ""


def _alike(a: VariableSpec, b: VariableSpec) -> bool:
    if a.type is not b.type or (a.constant is None) is not (b.constant is None):
        return False
    return a.constant is None or a.constant.equals(b.constant)


def _described(spec: VariableSpec) -> str:
    name = str(spec.constant) if spec.constant is not None else spec.name or "a variable"
    return f"{name} ({spec.type})"
