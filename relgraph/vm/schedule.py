"""In which order the nodes of a graph are computed, and how long each value is needed."""

from __future__ import annotations

from dataclasses import dataclass

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph


@dataclass(frozen=True)
class Schedule:
    """An order of execution.

    Attributes
    ----------
    nodes
        The nodes, each after all it depends on.
    dead_after
        For each node of `nodes`, the variables whose values nobody needs once it is computed.
    last_use
        For each variable that a node computes or an input of the graph, the position of the last
        node that reads it; -1 if none does. Outputs of the graph are not in it.
    """

    nodes: list[Apply]
    dead_after: list[list[Variable]]
    last_use: dict[Variable, int]


def schedule(fgraph: FunctionGraph) -> Schedule:
    """Return the order in which `fgraph` is computed.

    Raises
    ------
    ValueError
        If its dependencies leave no order.
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
    made = {v: i for i, node in enumerate(nodes) for v in node.outputs}
    for var, last in last_use.items():
        position = last if last >= 0 else made.get(var, -1)
        if position >= 0:
            dead_after[position].append(var)
    return Schedule(nodes, dead_after, last_use)
