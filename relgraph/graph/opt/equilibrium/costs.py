"""Whether a replacement makes a graph cost more, by what it brings into the graph and takes out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.opt.merge.hash_consing import HashConsing
from relgraph.graph.opt.replacement import Pairs

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

Cost = Callable[[Apply], float]
"""What a node costs."""

# Sums of the same costs in another order differ by less.
_ROUNDING = 1e-9


def one_a_node(node: Apply) -> float:
    """Return 1: where nothing else is said, a graph costs what it has nodes."""
    return 1.0


def costs_no_more(fgraph: FunctionGraph, table: HashConsing, pairs: Pairs, cost: Cost) -> bool:
    """Return whether a graph costs no more after some replacements.

    What is new costs something unless an equal node is there. What is read by nothing else goes;
    it is looked at only until it outweighs what is new.

    Parameters
    ----------
    table
        The nodes of the graph by their keys.
    pairs
        Variables and what replaces them.
    """
    added, kept = _added(fgraph, table, [new for _, new in pairs], cost)
    if not added:
        return True
    limit = added * (1 - _ROUNDING)
    freed = 0.0
    clients, dead = fgraph.clients, set[Apply]()
    replaced = {old for old, _ in pairs}
    waiting = [old.owner for old in replaced if old.owner is not None]
    while waiting:
        node = waiting.pop()
        if node in dead or not all(
            out not in kept
            and (
                out in replaced
                # an output of the graph is read by what is no node
                or all(reader in dead for reader, _ in clients.get(out, ()))
            )
            for out in node.outputs
        ):
            continue
        dead.add(node)
        freed += cost(node)
        if freed >= limit:
            return True
        waiting += [var.owner for var in node.inputs if var.owner is not None]
    return False


def _added(
    fgraph: FunctionGraph, table: HashConsing, new: list[Variable], cost: Cost
) -> tuple[float, set[Variable]]:
    """Return what the nodes cost that a graph does not have yet, and what it has that they read."""
    here = fgraph.variables
    added, kept = 0.0, set[Variable]()
    known: dict[Variable, Variable] = {}
    for node in _new_nodes(here, new):
        inputs = [_found(table, known, var) for var in node.inputs]
        kept.update(inputs)
        equal = table.equal_to(node, inputs)
        if equal is None:
            added += cost(node)
        else:
            known.update(zip(node.outputs, equal.outputs, strict=True))
    kept.update(known.get(var, var) for var in new)
    return added, kept


def _new_nodes(here: Collection[Variable], new: list[Variable]) -> list[Apply]:
    """Return the nodes that compute some variables from those that are there, each after what it
    reads."""
    nodes = dict[Apply, None]()
    waiting = [var.owner for var in new if var.owner is not None and var not in here]
    while waiting:
        node = waiting[-1]
        missing = [
            var.owner
            for var in node.inputs
            if var.owner is not None and var.owner not in nodes and var not in here
        ]
        if missing:
            waiting += missing
        else:
            nodes[waiting.pop()] = None
    return list(nodes)


def _found(table: HashConsing, known: dict[Variable, Variable], var: Variable) -> Variable:
    if isinstance(var, Constant):
        return table.constants.representative(var)
    return known.get(var, var)
