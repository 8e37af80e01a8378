"""Aliasing: which variables of a FunctionGraph share storage, and which nodes overwrite it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply, Variable, view_roots, walk

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def destroyed_indices(node: Apply) -> list[int]:
    """Return the inputs that `node` overwrites, by index."""
    found: dict[int, None] = {}
    for indices in node.op.destroy_map.values():
        found.update(dict.fromkeys(indices))
    return list(found)


def destroyed_roots(node: Apply) -> dict[Variable, int]:
    """Return the variables whose storage `node` may overwrite, each with the input it does it by.

    The output that is made by overwriting counts as storage of its own: by then nothing else uses
    what was there before.
    """
    return {root: i for i in destroyed_indices(node) for root in view_roots(node.inputs[i])}


def sharers(fgraph: FunctionGraph, *roots: Variable) -> Iterator[Variable]:
    """Yield `roots` and all that may be views of one of them, directly or by other views."""

    def views(var: Variable) -> Iterator[Variable]:
        for node, i in fgraph.clients.get(var, ()):
            if not isinstance(node, str):
                for k, viewed in node.op.view_map.items():
                    if i in viewed:
                        yield node.outputs[k]

    return walk(roots, views, bfs=False)


def destroyers_of(fgraph: FunctionGraph, var: Variable) -> list[Apply]:
    """Return the nodes that may overwrite the storage of `var`."""
    found: dict[Apply, None] = {}
    for shared in sharers(fgraph, *view_roots(var)):
        for node, i in fgraph.clients.get(shared, ()):
            if not isinstance(node, str) and i in destroyed_indices(node):
                found[node] = None
    return list(found)


def _is_alone(fgraph: FunctionGraph, var: Variable) -> bool:
    """Return whether a variable has storage of its own and one reader, as most have that nodes
    overwrite."""
    node = var.owner
    viewed = node is not None and node.op.view_map
    return not viewed and len(fgraph.clients.get(var, ())) == 1


def readers_before(fgraph: FunctionGraph, node: Apply) -> dict[Apply, Variable]:
    """Return the nodes that need a value that `node` overwrites, each with that value.

    They have to run before `node`.
    """
    before: dict[Apply, Variable] = {}
    if all(_is_alone(fgraph, node.inputs[i]) for i in destroyed_indices(node)):
        return before
    for var in sharers(fgraph, *destroyed_roots(node)):
        for reader, _ in fgraph.clients.get(var, ()):
            if not isinstance(reader, str) and reader is not node:
                before.setdefault(reader, var)
    return before
