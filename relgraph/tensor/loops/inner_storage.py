"""What the nodes of a step do to storage: their order, and which states they overwrite."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.destroyhandler import DestroyHandler, MutableInputs, destroyed_indices
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.type import TensorType


def ordered(
    inputs: Sequence[Variable], outputs: Sequence[Variable], nodes: Sequence[Apply]
) -> Sequence[Apply]:
    """Return the nodes of a step in an order in which none reads what is overwritten already."""
    if not any(node.op.destroy_map for node in nodes):
        return nodes
    fgraph = FunctionGraph(inputs, outputs, clone=False)
    fgraph.attach_feature(MutableInputs(range(len(inputs)), range(len(outputs))))
    fgraph.attach_feature(DestroyHandler())
    return fgraph.toposort()


def overwrites(nodes: Sequence[Apply], states: Collection[Variable]) -> bool:
    """Return whether nodes overwrite the storage of one of some tensors."""
    roots = _roots(nodes)
    tensors = {v for v in states if isinstance(v.type, TensorType)}
    return any(
        not tensors.isdisjoint(roots.get(node.inputs[i], {node.inputs[i]}))
        for node in nodes
        for i in destroyed_indices(node)
    )


def sharing(
    nodes: Sequence[Apply], states: Collection[Variable], new: Sequence[Variable]
) -> frozenset[int]:
    """Return which of the new states may be in storage that is not theirs alone, by index.

    Such is what a step is given, but for the states, and what an earlier one of them is in.
    """
    roots = _roots(nodes)
    taken: set[Variable] = set()
    found = set()
    for i, var in enumerate(new):
        if not isinstance(var.type, TensorType):
            continue
        own = roots.get(var, {var})
        given = {v for v in own if v.owner is None and v not in states}
        if given or not taken.isdisjoint(own):
            found.add(i)
        taken |= own
    return frozenset(found)


def _roots(nodes: Sequence[Apply]) -> dict[Variable, set[Variable]]:
    """Return for each output that is a view, or made by overwriting, in whose storage it may be."""
    found: dict[Variable, set[Variable]] = {}
    for node in nodes:
        for maps in (node.op.view_map, node.op.destroy_map):
            for index, shared in maps.items():
                if index is not None:
                    roots = found.setdefault(node.outputs[index], set())
                    for i in shared:
                        roots |= found.get(node.inputs[i], {node.inputs[i]})
    return found
