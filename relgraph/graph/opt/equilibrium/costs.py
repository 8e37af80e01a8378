"""Whether a replacement makes a graph cost more, by what it brings into the graph and takes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.opt.merge.hash_consing import HashConsing
from relgraph.graph.opt.replacement import Pairs
from relgraph.graph.traversal import io_toposort

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

Cost = Callable[[Apply], float]
"""What a node costs."""

# Sums of the same costs in another order differ by less.
_ROUNDING = 1e-9


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
    kept: set[Variable] = set()
    if all(var in here or var.owner is None for var in new):
        return 0.0, kept
    added = 0.0
    known: dict[Variable, Variable] = {}
    nodes = io_toposort(here, new)
    for node in nodes:
        inputs = [_found(table, known, var) for var in node.inputs]
        kept.update(inputs)
        equal = table.equal_to(node, inputs)
        if equal is None:
            added += cost(node)
        else:
            known.update(zip(node.outputs, equal.outputs, strict=True))
    kept.update(known.get(var, var) for var in new)
    return added, kept


def _found(table: HashConsing, known: dict[Variable, Variable], var: Variable) -> Variable:
    if isinstance(var, Constant):
        return table.constants.representative(var)
    return known.get(var, var)
