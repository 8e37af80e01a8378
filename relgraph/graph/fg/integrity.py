"""Checks of all that a FunctionGraph keeps about itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg.client_lists import SHORT, Client, ManyClients
from relgraph.graph.fg.structure import Structure
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph

# what a graph and its structure have in common
SHARED = ("inputs", "outputs", "variables", "apply_nodes", "clients")


def check_integrity(fgraph: FunctionGraph, structure: Structure) -> None:
    """Check a graph and its structure; the cost is proportional to its size.

    Raises
    ------
    InconsistencyError
        If anything is broken; the message names the variable or node.
    """
    for name in SHARED:
        if getattr(fgraph, name) is not getattr(structure, name):
            raise InconsistencyError(
                f"fgraph.{name} was assigned to: change it in place, by the graph's methods"
            )
    _check_inputs(structure)
    _check_nodes(structure)
    _check_variables(structure)
    _check_clients(structure)
    _check_acyclic(structure)
    _check_used(structure)
    _check_update_mapping(structure, fgraph.update_mapping)


def _check_inputs(structure: Structure) -> None:
    for i, var in enumerate(structure.inputs):
        if var.owner is not None:
            raise InconsistencyError(f"input {i}, {var}, is computed by {var.owner}")
        if var not in structure.variables:
            raise InconsistencyError(f"input {i}, {var}, is not among the variables")
        if var not in structure.input_set:
            raise InconsistencyError(f"{var} was put among the inputs without add_input")
    for var in structure.input_set.difference(structure.inputs):
        raise InconsistencyError(f"input {var} was taken from the inputs without remove_input")


def _check_nodes(structure: Structure) -> None:
    # a long list is made a set once: looking through it for each of its clients takes its square
    listed: dict[Variable, Collection[Client]] = {
        var: clients if len(clients) <= SHORT else set(clients)
        for var, clients in structure.clients.items()
    }
    for node in structure.apply_nodes:
        for k, out in enumerate(node.outputs):
            if out.owner is not node or out.index != k:
                raise InconsistencyError(
                    f"output {k} of {node}, {out}, says that it is output {out.index} of "
                    f"{out.owner}"
                )
            if out not in structure.variables:
                raise InconsistencyError(f"output {k} of {node}, {out}, is not in the graph")
        for i, var in enumerate(node.inputs):
            _check_use(structure, var, (node, i), listed)
    for i, var in enumerate(structure.outputs):
        _check_use(structure, var, ("output", i), listed)


def _check_use(
    structure: Structure,
    var: Variable,
    client: Client,
    listed: Mapping[Variable, Collection[Client]],
) -> None:
    if var not in structure.variables:
        raise InconsistencyError(f"{var}, {_place(client)}, is not among the variables")
    if client not in listed.get(var, ()):
        raise InconsistencyError(f"{var} is {_place(client)}, but its clients don't list that")


def _place(client: Client) -> str:
    node, i = client
    return f"output {i} of the graph" if isinstance(node, str) else f"input {i} of {node}"


def _check_variables(structure: Structure) -> None:
    for var in structure.variables:
        if var not in structure.clients:
            raise InconsistencyError(f"{var} has no entry in clients")
        if var.owner is not None:
            if var.owner not in structure.apply_nodes:
                raise InconsistencyError(f"{var} is in the graph, its node {var.owner} is not")
        elif not isinstance(var, Constant) and var not in structure.input_set:
            raise InconsistencyError(f"{var} is neither an input, nor a constant, nor computed")


def _check_clients(structure: Structure) -> None:
    for var, clients in structure.clients.items():
        if clients and var not in structure.variables:
            raise InconsistencyError(f"{var} has clients, but is not in the graph")
        if isinstance(clients, ManyClients) and clients.misplaced():
            raise InconsistencyError(f"the index of the clients of {var} is out of step")
        if len(set(clients)) != len(clients):
            raise InconsistencyError(f"a client of {var} is listed twice: {clients}")
        for node, i in clients:
            _check_client(structure, var, node, i)


def _check_client(structure: Structure, var: Variable, node: Apply | str, i: int) -> None:
    if isinstance(node, str):
        used = structure.outputs
        if node != "output":
            raise InconsistencyError(f"a client of {var} is {node!r}, neither a node nor 'output'")
    else:
        used = node.inputs
        if node not in structure.apply_nodes:
            raise InconsistencyError(f"a client of {var}, {node}, is not in the graph")
    if not 0 <= i < len(used) or used[i] is not var:
        raise InconsistencyError(f"{var} lists input {i} of {node} as a client, which it is not")


def _check_acyclic(structure: Structure) -> None:
    """Take away nodes that need nothing any more until none is left, or a cycle."""
    waiting: dict[Apply, int] = {}
    ready: list[Apply] = []
    for node in structure.apply_nodes:
        waiting[node] = sum(var.owner is not None for var in node.inputs)
        if not waiting[node]:
            ready.append(node)
    while ready:
        node = ready.pop()
        del waiting[node]
        for out in node.outputs:
            for client, _ in structure.clients[out]:
                if not isinstance(client, str):
                    waiting[client] -= 1
                    if not waiting[client]:
                        ready.append(client)
    if waiting:
        node = next(iter(waiting))
        passed: set[Apply] = set()
        while node not in passed:
            passed.add(node)
            node = next(v.owner for v in node.inputs if v.owner in waiting)
        raise InconsistencyError(f"the graph contains a cycle through {node.op}")


def _check_used(structure: Structure) -> None:
    used: set[Apply] = set()
    stack = [var.owner for var in structure.outputs if var.owner is not None]
    while stack:
        node = stack.pop()
        if node not in used:
            used.add(node)
            stack.extend(var.owner for var in node.inputs if var.owner is not None)
    for node in structure.apply_nodes:
        if node not in used:
            raise InconsistencyError(f"{node} is in the graph, but no output depends on it")
    for var in structure.variables:
        if var.owner is None and not structure.clients[var] and var not in structure.input_set:
            raise InconsistencyError(f"constant {var} is in the graph, but nothing uses it")


def _check_update_mapping(structure: Structure, mapping: Mapping[int, int] | None) -> None:
    for i, j in (mapping or {}).items():
        if not (0 <= i < len(structure.outputs) and 0 <= j < len(structure.inputs)):
            raise InconsistencyError(f"update_mapping has {i}: {j}, which is out of range")
