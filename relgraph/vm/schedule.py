"""The schedule of a graph: the order of its nodes, and the last use of each value."""

from __future__ import annotations

from dataclasses import dataclass

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph


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
    """

    nodes: list[Apply]
    dead_after: list[list[Variable]]
    last_use: dict[Variable, int]


def schedule(fgraph: FunctionGraph) -> Schedule:
    """Return the schedule of a graph.

    Raises
    ------
    ValueError
        If there is no order, because dependencies form a cycle.
    """
    nodes = fgraph.toposort()
    kept = set(fgraph.outputs)
    last_use: dict[Variable, int] = {v: -1 for v in fgraph.inputs if v not in kept}
    dead_after: list[list[Variable]] = [[] for _ in nodes]
    for position, node in enumerate(nodes):
        for var in node.inputs:
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
    return Schedule(nodes, dead_after, last_use)
