"""The schedule of a graph, and functions that compute one of its nodes.

A schedule has the order of the nodes, the last use of each value, and the nodes that run only if a
branch of an `IfElse` is taken. A node is computed by what its op defines: `compute`, `perform` or a
thunk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.reference import performed
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
    return schedule_of_nodes(fgraph.toposort(), fgraph.inputs, fgraph.outputs, fgraph.orderings)


def schedule_of_nodes(
    nodes: Sequence[Apply],
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    orderings: Callable[[], Any] = dict,
) -> Schedule:
    """Return the schedule of nodes that are in order.

    Parameters
    ----------
    orderings
        Returns what has to run before nodes, as `FunctionGraph.orderings` does.
    """
    branches: dict[Apply, tuple[Branch, Branch]] = {}
    if any(isinstance(node.op, IfElse) for node in nodes):
        contexts = Contexts(outputs, nodes, orderings())
        for node in nodes:  # what is nested stands before what it is nested in
            if isinstance(node.op, IfElse):
                then, other = (
                    _branch(contexts.nodes_in(contexts.of_branch.get((node, taken))), of, branches)
                    for taken, of in zip((True, False), node.op.branches(node.inputs), strict=True)
                )
                branches[node] = (then, other)
        nodes = contexts.nodes_in(contexts.root)
    return _schedule(list(nodes), inputs, outputs, branches)


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


Runner = Callable[..., list[Any]]
"""Takes the values of some inputs; returns the list of the values of some outputs."""


def runner_of(node: Apply) -> Runner:
    """Return a function that computes the outputs of a node from the values of its inputs."""
    if type(node.op).make_thunk is not Op.make_thunk:
        return _from_thunk(node)
    return lambda *values: performed(node, values)


def function_of(node: Apply) -> Callable[..., Any]:
    """Return a function that computes the output of a node, or a sequence of several.

    It may warn as NumPy does.
    """
    op = node.op
    if type(op).perform is Op.perform and type(op).make_thunk is Op.make_thunk:
        return partial(op.compute, node)
    return unpacked(runner_of(node), len(node.outputs))


def unpacked(run: Runner, n_outputs: int) -> Callable[..., Any]:
    """Return a function that returns the one value of a list of one."""
    return run if n_outputs > 1 else lambda *values: run(*values)[0]


def lazy_runner(plan: Schedule, node: Apply, link: Callable[[Branch], Runner]) -> Runner:
    """Return a function that computes an `IfElse` by running the branch that is taken.

    Parameters
    ----------
    plan
        The schedule of the graph. The function takes what it says that the node reads.
    node
        The node.
    link
        Returns a function that computes a branch from its inputs.
    """
    position = {v: i for i, v in enumerate(plan.reads(node))}
    then, other = (
        (link(branch), [position[v] for v in branch.inputs]) for branch in plan.branches[node]
    )

    def run(*values: Any) -> list[Any]:
        of_branch, taken = then if values[0] else other
        return of_branch(*[values[i] for i in taken])

    return run


def _from_thunk(node: Apply) -> Runner:
    """Return a function that runs the thunk that the op makes for a node.

    The thunk has one set of storage cells, so two threads can't run it at the same time.
    """
    storage: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
    thunk = node.op.make_thunk(node, storage, None, list(node.outputs))

    def run(*values: Any) -> list[Any]:
        for v, value in zip(node.inputs, values, strict=True):
            storage[v][0] = value
        try:
            thunk()
            return [storage[v][0] for v in node.outputs]
        finally:
            for cell in storage.values():
                cell[0] = None  # Values are not kept alive between calls.

    return run
