"""Proof: why an extracted graph equals the original, as a derivation by named laws.

The e-graph tells the rewrites from one term to another. Each is made on the graph by itself, so
that a `Recorder` records the derivation, and claims the weakest soundness class of its steps. Where
a derivation would be too long to read, the form is checked by values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Variable, clone_get_equiv, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation, Recorder
from relgraph.graph.opt.base import Rewriter
from relgraph.graph.utils import BACKWARD
from relgraph.search.egraph import Congruent, Rewrite
from relgraph.search.variables import Reason
from relgraph.tensor.costs import Lengths
from relgraph.tensor.type import TensorType
from relgraph.testing.judge.graph_comparison import Disagreement, ReferenceGraph
from relgraph.testing.random_arrays import ValueRange, number_pool


class Claim(Rewriter):
    """The name and the soundness class of a step, for `Recorder.derivation`, and its law."""

    def __init__(self, label: str, sound: str | None, law: Relation | None = None) -> None:
        self.name: str = label
        self.law = SimpleNamespace(sound=sound) if law is None else law


MAX_REWRITES = 1000
"""How many rewrites a derivation may have; of longer ones nobody would read the steps."""
REORDERED = Reason("commutativity", "exact")
REGROUPED = Reason("commutativity of three or more", "rounding")


def reason_of(step: Rewrite) -> Reason:
    """Return the law of a step of an e-graph, with its direction."""
    if isinstance(step.reason, Congruent):
        return REORDERED if len(step.old.owner.inputs) == 2 else REGROUPED
    reason: Reason = step.reason
    if not step.flipped:
        return reason
    name = reason.label.removesuffix(BACKWARD)
    return reason._replace(label=name if name != reason.label else name + BACKWARD)


def claims_of(steps: Iterable[Rewrite]) -> dict[str, Claim]:
    """Return the claims of the steps of an e-graph by label."""
    return {reason.label: Claim(*reason) for reason in map(reason_of, steps)}


class _Place(NamedTuple):
    """Where a variable is read: by a node, or as an output of the graph."""

    reader: Apply | Literal["output"]
    place: int
    var: Variable


def make(fgraph: FunctionGraph, output: int, step: Rewrite) -> None:
    """Make one rewrite, at one place: what else reads the variable keeps it."""
    var = fgraph.outputs[output]
    places = [_Place("output", output, var)]
    for argument in step.path:
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
    fgraph.change_node_input(*places[-1][:2], new, reason=reason_of(step).label)


def _is_shared(fgraph: FunctionGraph, var: Variable) -> bool:
    """Return whether a change of the node of `var` is seen at more than one place."""
    siblings = [var] if var.owner is None else var.owner.outputs
    return sum(len(fgraph.clients.get(v, ())) for v in siblings) > 1


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


def recorded(
    fgraph: FunctionGraph, rewrite: Callable[[FunctionGraph, Recorder], Any], known: Sequence[Any]
) -> tuple[list[Variable], Derivation]:
    """Return the outputs of a graph after it is rewritten, and the steps by rewriters `known`.

    Parameters
    ----------
    rewrite
        Is given the graph, which it changes, and what records that.
    """
    recorder = Recorder()
    with fgraph.attached(recorder):
        rewrite(fgraph, recorder)
    return list(fgraph.outputs), recorder.derivation(known)


def on_its_own(
    outputs: Sequence[Variable], inputs: Sequence[Variable] | None = None
) -> FunctionGraph:
    """Return a copy of a graph, with the same inputs."""
    leaves = list(graph_inputs(outputs)) if inputs is None else inputs
    copies = clone_get_equiv(leaves, outputs, copy_inputs=False, copy_orphans=False)
    return FunctionGraph(inputs, [copies[out] for out in outputs], clone=False)


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
        value_range: ValueRange = "any" if example % 2 else "ordinary"
        values = [_value(sized.variable(v).type, rng, value_range) for v in inputs]
        try:
            reference = ReferenceGraph(inputs, old, values)
        except (ValueError, IndexError, AssertionError, np.linalg.LinAlgError):
            continue
        found = reference.compare(inputs, new, sound)
        if found is not None:
            return found
    return None


def _value(kind: Any, rng: np.random.Generator, value_range: ValueRange) -> Any:
    if not isinstance(kind, TensorType):
        raise TypeError(f"no values are drawn for inputs of the type {kind}")
    shape = [n for n in kind.shape if n is not None]
    return np.asarray(rng.choice(number_pool(kind.dtype, value_range), shape))
