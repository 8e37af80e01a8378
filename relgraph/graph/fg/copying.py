"""Copies of a FunctionGraph: cloned, and as they are pickled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable, clone_get_equiv, io_toposort
from relgraph.graph.cloning import Listing
from relgraph.graph.features.feature import Feature

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph

# nodes, inputs, outputs, features, and other attributes by name
State = tuple[Sequence[Apply], list[Variable], list[Variable], list[Feature], dict[str, Any]]


def copied(
    inputs: Sequence[Variable], outputs: Sequence[Variable], **kwargs: Any
) -> tuple[list[Variable], list[Apply], list[Variable]]:
    """Return copies of the inputs, of the nodes (each after what it reads), and of the outputs.

    `kwargs` are for `relgraph.graph.basic.clone_get_equiv`.
    """
    equiv = clone_get_equiv(inputs, outputs, **kwargs)
    nodes = [copy for copy in equiv.values() if type(copy) is Apply]
    return [equiv[v] for v in inputs], nodes, [equiv[v] for v in outputs]


def clone_graph(
    fgraph: FunctionGraph, check_integrity: bool, attach_feature: bool, **kwargs: Any
) -> tuple[FunctionGraph, dict[Any, Any]]:
    """Do what `FunctionGraph.clone_get_equiv` says."""
    equiv = clone_get_equiv(fgraph.inputs, fgraph.outputs, **kwargs)
    if check_integrity:
        fgraph.check_integrity()
    copy = type(fgraph)(
        [equiv[v] for v in fgraph.inputs],
        [equiv[v] for v in fgraph.outputs],
        clone=False,
        update_mapping=fgraph.update_mapping,
    )
    if check_integrity:
        copy.check_integrity()
    if attach_feature:
        for feature in fgraph.features:
            copy.attach_feature(feature.clone())
    return copy, equiv


def state_of(fgraph: FunctionGraph) -> State:
    """Return what `fgraph` consists of, and clones of its features, to be attached anew."""
    made_anew = vars(type(fgraph)([], []))
    others = {
        name: value
        for name, value in vars(fgraph).items()
        if name not in made_anew and fgraph.published_by(name) is None
    }
    others["update_mapping"] = fgraph.update_mapping
    features = [feature.clone() for feature in fgraph.features]
    # the nodes come first: a `Listing` is what they are pickled as without recursion
    nodes: Any = Listing(io_toposort(fgraph.inputs, fgraph.outputs))
    return nodes, fgraph.inputs, fgraph.outputs, features, others
