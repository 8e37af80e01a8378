"""Proof: why an extracted graph equals the original, as a derivation by named laws.

The e-graph tells the rewrites from one term to another. Each is made on the graph by itself, so
that a `Recorder` records the derivation, and claims the weakest soundness class of its steps. Where
a derivation would be too long to read, the form is checked by values.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt.base import Rewriter
from relgraph.graph.utils import BACKWARD
from relgraph.search.egraph import Between, Edge, EGraph, Reason
from relgraph.tensor.costs import Lengths
from relgraph.tensor.type import TensorType
from relgraph.testing.draw.arrays import number_pool, spread
from relgraph.testing.judge.graph_comparison import Disagreement, ReferenceGraph, weakest_of


class Claim(Rewriter):
    """The name and the soundness class of a law, for `Recorder.derivation`."""

    def __init__(self, label: str, sound: str | None) -> None:
        self.name: str = label
        self.law = SimpleNamespace(sound=sound)

    def add_requirements(self, fgraph: Any) -> None:
        """It rewrites nothing."""


def weakest(steps: Iterable[Any]) -> str | None:
    """Return the class in which the sides of a derivation agree; None if a step claims none.

    Steps of two classes other than ``exact`` agree where all is finite: a law that is stable may
    change infinite values, and one that rounds may be less stable.
    """
    found = {step.sound for step in steps if step.name not in _EXACT}
    return None if None in found else weakest_of(found)


_EXACT = ("MergeOptimizer", "merge", "merge1", "merge2", "constant_folding")


MAX_REWRITES = 1000
"""How many rewrites a derivation may have; of longer ones nobody would read the steps."""
REORDERED = Reason("commutativity", "exact")
REGROUPED = Reason("commutativity of three or more", "rounding")


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
    """Return the rewrites that make one term of another.

    Raises
    ------
    TooLong
        If there are more than `MAX_REWRITES`.
    """
    return egraph.why.steps(Between(None, old, new), partial(_of_edge, egraph), MAX_REWRITES)


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
        Between((path, place), a, b) for place, (a, b) in enumerate(zip(before, after, strict=True))
    )
    return steps


def _label(label: str, flipped: bool) -> str:
    """Return the label of a law that is used from right to left, if `flipped`."""
    if not flipped:
        return label
    name = label.removesuffix(BACKWARD)
    return name if name != label else label + BACKWARD


def _order(egraph: EGraph, before: tuple[int, ...], after: tuple[int, ...]) -> list[int]:
    """Return the order of some arguments in which they are in the classes of others."""
    if all(egraph.find(a) == egraph.find(b) for a, b in zip(before, after, strict=True)):
        return list(range(len(before)))
    places = defaultdict(list)
    for i, term in enumerate(before):
        places[egraph.find(term)].append(i)
    return [places[egraph.find(term)].pop(0) for term in after]


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


LENGTH = 3
"""How long an axis is on which nothing depends."""
EXAMPLES = 12


def disagreement(
    inputs: Sequence[Variable], old: Sequence[Variable], new: Sequence[Variable], sound: str
) -> Disagreement | None:
    """Return where two graphs differ by more than a soundness class allows; None if nowhere.

    Half of the examples have ordinary numbers, and half have edge values too: nan, infinities,
    zeros of both signs, and the extremes of each dtype. Examples for which the old graph has no
    value are left out.

    Parameters
    ----------
    inputs
        The inputs of both graphs.
    """
    sized = Lengths(default=LENGTH)
    rng = np.random.default_rng(0)
    for example in range(EXAMPLES):
        values = [_value(sized.variable(v).type, rng, example % 2 == 0) for v in inputs]
        try:
            reference = ReferenceGraph(inputs, old, values)
        except (ValueError, IndexError, AssertionError, np.linalg.LinAlgError):
            continue
        found = reference.compare(inputs, new, sound)
        if found is not None:
            return found
    return None


def _value(kind: Any, rng: np.random.Generator, ordinary: bool) -> Any:
    if not isinstance(kind, TensorType):
        raise TypeError(f"no values are drawn for inputs of the type {kind}")
    pool = number_pool(kind.dtype)
    if ordinary:
        with np.errstate(all="ignore"):
            pool = pool[np.isfinite(pool) & (np.abs(pool) <= LENGTH)]
    shape = [n for n in kind.shape if n is not None]
    return spread(rng.choice(pool, max(1, math.prod(shape))), shape)
