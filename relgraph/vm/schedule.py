"""The schedule of a graph, and kernels, which compute one of its nodes.

A schedule has the order of the nodes, the last use of each value, and the nodes that run only if a
branch of an `IfElse` is taken. A kernel is the `perform` or the thunk of an op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.tensor.conditional import Contexts, IfElse


@dataclass(frozen=True)
class Branch:
    """What is computed if a branch of an `IfElse` is taken.

    Attributes
    ----------
    inputs
        The values from outside that it reads.
    plan
        The schedule of the nodes that only it needs.
    outputs
        The values of the branch.
    """

    inputs: list[Variable]
    plan: Schedule
    outputs: list[Variable]


@dataclass(frozen=True)
class Schedule:
    """The order in which nodes are computed, and the lifetimes of values.

    Attributes
    ----------
    nodes
        The nodes in order.
    dead_after
        For each node, the variables that no later node reads and that are no outputs.
    last_use
        For each input and intermediate variable, the position of the last node that reads it; -1 if
        none does. The outputs of the graph are left out.
    branches
        For each `IfElse` its branches: that taken if the condition is true, and the other.
    """

    nodes: list[Apply]
    dead_after: list[list[Variable]]
    last_use: dict[Variable, int]
    branches: dict[Apply, tuple[Branch, Branch]] = field(default_factory=dict)

    def reads(self, node: Apply) -> list[Variable]:
        """Return the variables whose values a node needs.

        For an `IfElse` that are the condition, and what its branches read.
        """
        return _reads(node, self.branches)


def _reads(node: Apply, branches: dict[Apply, tuple[Branch, Branch]]) -> list[Variable]:
    both = branches.get(node)
    if both is None:
        return node.inputs
    read = [node.inputs[0], *both[0].inputs, *both[1].inputs]
    return list(dict.fromkeys(read))


def schedule(fgraph: FunctionGraph) -> Schedule:
    """Return the schedule of a graph.

    Raises
    ------
    ValueError
        If there is no order, because dependencies form a cycle.
    """
    nodes = fgraph.toposort()
    contexts = Contexts.of_graph(fgraph, nodes)
    if contexts is None:
        return schedule_of_nodes(nodes, fgraph.inputs, fgraph.outputs)
    branches: dict[Apply, tuple[Branch, Branch]] = {}
    for node in nodes:  # what is nested stands before what it is nested in
        if isinstance(node.op, IfElse):
            then, other = (
                _branch(contexts.nodes_in(contexts.of_branch.get((node, taken))), outputs, branches)
                for taken, outputs in zip((True, False), node.op.branches(node.inputs), strict=True)
            )
            branches[node] = (then, other)
    inside = contexts.nodes_in(contexts.root)
    return _schedule(inside, fgraph.inputs, fgraph.outputs, branches)


def schedule_of_nodes(
    nodes: Sequence[Apply], inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Schedule:
    """Return the schedule of nodes that are in order, of which none is an `IfElse`."""
    return _schedule(list(nodes), inputs, outputs, {})


def _branch(
    nodes: list[Apply],
    outputs: list[Variable],
    branches: dict[Apply, tuple[Branch, Branch]],
) -> Branch:
    made = {v for node in nodes for v in node.outputs}
    read = [v for node in nodes for v in _reads(node, branches)]
    inputs = [
        v for v in dict.fromkeys([*read, *outputs]) if v not in made and not isinstance(v, Constant)
    ]
    return Branch(inputs, _schedule(nodes, inputs, outputs, branches), outputs)


def _schedule(
    nodes: list[Apply],
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    branches: dict[Apply, tuple[Branch, Branch]],
) -> Schedule:
    kept = set(outputs)
    last_use: dict[Variable, int] = {v: -1 for v in inputs if v not in kept}
    dead_after: list[list[Variable]] = [[] for _ in nodes]
    for position, node in enumerate(nodes):
        for var in _reads(node, branches):
            if var not in kept and not isinstance(var, Constant):
                last_use[var] = position
        for var in node.outputs:
            if var not in kept:
                last_use.setdefault(var, -1)
    computed_at = {v: i for i, node in enumerate(nodes) for v in node.outputs}
    for var, last in last_use.items():
        position = last if last >= 0 else computed_at.get(var, -1)
        if position >= 0:
            dead_after[position].append(var)
    return Schedule(nodes, dead_after, last_use, branches)


Kernel = Callable[[Sequence[Any], Sequence[list[Any]]], None]
"""Takes the values of a node's inputs, and a list of length 1 for each output, which it fills."""


def kernel_of(node: Apply) -> Kernel:
    """Return the kernel of a node."""
    if type(node.op).make_thunk is not Op.make_thunk:
        return _from_thunk(node)
    return partial(node.op.perform, node)


Runner = Callable[..., list[Any]]
"""Takes the values of some inputs; returns the list of the values of some outputs."""


def called(kernel: Kernel, n_outputs: int) -> Runner:
    """Return a kernel as a function of the values of the inputs."""

    def run(*values: Any) -> list[Any]:
        cells: list[list[Any]] = [[None] for _ in range(n_outputs)]
        kernel(values, cells)
        return [cell[0] for cell in cells]

    return run


def lazy_kernel(plan: Schedule, node: Apply, link: Callable[[Branch], Runner]) -> Kernel:
    """Return a kernel of an `IfElse` that runs the branch that is taken.

    Parameters
    ----------
    plan
        The schedule of the graph. The kernel takes what it says that the node reads.
    node
        The node.
    link
        Returns a function that computes a branch from its inputs.
    """
    position = {v: i for i, v in enumerate(plan.reads(node))}
    then, other = (
        (link(branch), [position[v] for v in branch.inputs]) for branch in plan.branches[node]
    )

    def kernel(inputs: Sequence[Any], cells: Sequence[list[Any]]) -> None:
        run, taken = then if inputs[0] else other
        for cell, value in zip(cells, run(*[inputs[i] for i in taken]), strict=True):
            cell[0] = value

    return kernel


def _from_thunk(node: Apply) -> Kernel:
    """Return a kernel that runs the thunk that the op makes for a node.

    The thunk has one set of storage cells, so two threads can't run the kernel at the same time.
    """
    storage: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
    thunk = node.op.make_thunk(node, storage, None, list(node.outputs))
    input_cells = [storage[v] for v in node.inputs]
    output_cells = [storage[v] for v in node.outputs]

    def kernel(inputs: Sequence[Any], cells: Sequence[list[Any]]) -> None:
        for cell, value in zip(input_cells, inputs, strict=True):
            cell[0] = value
        try:
            thunk()
            for cell, result in zip(cells, output_cells, strict=True):
                cell[0] = result[0]
        finally:
            for cell in (*input_cells, *output_cells):
                cell[0] = None  # Values are not kept alive between calls.

    return kernel
