"""The rewrites that lead from one term of an e-graph to another, each at a place in the term."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from relgraph.graph.basic import Variable
from relgraph.search.egraph.terms import Edge, EGraph, Reason

MAX_REWRITES = 1000
"""How many rewrites a derivation may have; of longer ones nobody would read the steps."""
REORDERED = Reason("commutativity", "exact")
REGROUPED = Reason("commutativity of three or more", "rounding")


class TooLong(Exception):
    """A derivation would have more rewrites than `MAX_REWRITES`."""


class Rewrite(NamedTuple):
    """A step from a term to an equal one.

    Attributes
    ----------
    path
        The place of `old` in the whole: the last argument, and the path above it; None at the top.
    old, new
        What is there before and after.
    label, sound
        The law with its direction, and its soundness class.
    """

    path: Path
    old: Variable
    new: Variable
    label: str
    sound: str | None


Path = tuple[Any, int] | None


def rewrites(egraph: EGraph, old: int, new: int) -> Iterator[Rewrite]:
    """Yield the rewrites that make one term of another.

    Raises
    ------
    TooLong
        If there are more than `MAX_REWRITES`.
    """
    stack: list[tuple[Path, int, int] | tuple[Path, Edge] | Rewrite] = [(None, old, new)]
    made = 0
    while stack:
        item = stack.pop()
        if isinstance(item, Rewrite):
            made += 1
            if made > MAX_REWRITES:
                raise TooLong
            yield item
        elif len(item) == 3:
            path, a, b = item
            if a != b:
                stack.extend((path, edge) for edge in reversed(egraph.path(a, b)))
        else:
            stack.extend(reversed(_of_edge(egraph, *item)))


def _of_edge(egraph: EGraph, path: Path, edge: Edge) -> list[Any]:
    """Return what an edge consists of: a rewrite, or those of the arguments."""
    old, new = egraph.variables[edge.old], egraph.variables[edge.new]
    if edge.reason is not None:
        return [Rewrite(path, old, new, _label(edge.reason.label, edge.flipped), edge.reason.sound)]
    before, after = egraph.children(edge.old), egraph.children(edge.new)
    steps: list[Any] = []
    order = _order(egraph, before, after)
    if order != list(range(len(before))):
        assert old.owner is not None and old.index is not None
        turned = old.owner.clone_with_new_inputs([old.owner.inputs[i] for i in order], strict=False)
        reason = REORDERED if len(before) == 2 else REGROUPED
        steps.append(Rewrite(path, old, turned.outputs[old.index], *reason))
        before = tuple(before[i] for i in order)
    steps.extend(
        ((path, place), a, b) for place, (a, b) in enumerate(zip(before, after, strict=True))
    )
    return steps


def _label(label: str, flipped: bool) -> str:
    """Return the label of a law that is used from right to left, if `flipped`."""
    if not flipped:
        return label
    name = label.removesuffix(BACKWARD)
    return name if name != label else label + BACKWARD


BACKWARD = " (backward)"


def _order(egraph: EGraph, before: tuple[int, ...], after: tuple[int, ...]) -> list[int]:
    """Return the order of some arguments in which they are in the classes of others."""
    if all(egraph.find(a) == egraph.find(b) for a, b in zip(before, after, strict=True)):
        return list(range(len(before)))
    places = defaultdict(list)
    for i, term in enumerate(before):
        places[egraph.find(term)].append(i)
    return [places[egraph.find(term)].pop(0) for term in after]
