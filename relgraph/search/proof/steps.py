"""Rewrites made on a FunctionGraph, each for itself, so that a `Recorder` records a derivation."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from relgraph.graph.basic import Apply, Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.search.proof.explanation import Path, Rewrite


class _Place(NamedTuple):
    """Where a variable is read: by a node, or as an output of the graph."""

    reader: Apply | Literal["output"]
    place: int
    var: Variable


def make(fgraph: FunctionGraph, output: int, step: Rewrite) -> None:
    """Make one rewrite, at one place: what else reads the variable keeps it."""
    var = fgraph.outputs[output]
    places = [_Place("output", output, var)]
    for argument in _arguments(step.path):
        assert var.owner is not None
        places.append(_Place(var.owner, argument, var.owner.inputs[argument]))
        var = places[-1].var
    new = _on_the_graph(step, var)
    # above what is shared, nodes are changed; below it, they are copied
    shared = next((k for k, p in enumerate(places) if _is_shared(fgraph, p.var)), -1)
    while places[-1] is not places[shared]:
        place = places.pop()
        read = places[-1].var
        assert isinstance(place.reader, Apply) and read.index is not None
        inputs = list(place.reader.inputs)
        inputs[place.place] = new
        new = place.reader.clone_with_new_inputs(inputs, strict=False).outputs[read.index]
    fgraph.change_node_input(*places[-1][:2], new, reason=step.label)


def _is_shared(fgraph: FunctionGraph, var: Variable) -> bool:
    """Return whether a change of the node of `var` is seen at more than one place."""
    siblings = [var] if var.owner is None else var.owner.outputs
    return sum(len(fgraph.clients.get(v, ())) for v in siblings) > 1


def _arguments(path: Path) -> list[int]:
    found: list[int] = []
    while path is not None:
        path, argument = path
        found.append(argument)
    return found[::-1]


def _on_the_graph(step: Rewrite, var: Variable) -> Variable:
    """Return what a step makes, on the variables of the graph that it is made of."""
    memo: dict[Any, Any] = {}
    stack = [(step.old, var)]
    while stack:
        old, here = stack.pop()
        if old in memo:
            continue
        memo[old] = here
        if old.owner is not None and here.owner is not None:
            stack.extend(zip(old.owner.inputs, here.owner.inputs, strict=True))
    if step.new not in memo:
        clone_get_equiv([], [step.new], copy_orphans=False, memo=memo)
    made: Variable = memo[step.new]
    return made
