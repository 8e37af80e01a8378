"""What is differentiated in place of a cost: the same function, by formulas that hold further out.

The gradient of a formula that overflows overflows too, and no law can tell any more what it was
the gradient of. So the formula is rewritten first, by the laws of `relations.STABILIZE`, whose left
sides are written as those of `relations.CANONICALIZE` leave a graph. Laws of the classes ``finite``
and ``domain`` are left out of both, so that no input has another value, infinite ones included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import relations
from relgraph.gradient.barriers import GradientBarrier
from relgraph.graph.basic import Apply, Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.traversal import general_toposort, io_toposort

Definitions = Mapping[Variable, Variable]
"""For some variables, others of the same value that are to be differentiated in their place."""


class Link:
    """A step from a variable to its definition, in place of the node that computes it.

    It is an identity, its own op, and part of no graph: both variables keep their owners.
    """

    def __init__(self, variable: Variable, definition: Variable) -> None:
        self.op = self
        self.inputs = [definition]
        self.outputs = [variable]

    def connection_pattern(self, node: Any) -> list[list[bool]]:
        return [[True]]

    def L_op(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], grads: Sequence[Variable]
    ) -> list[Variable]:
        return list(grads)


Step = Apply | Link


def steps(
    outputs: Iterable[Variable], barred: Collection[Variable], definitions: Definitions
) -> list[Step]:
    """Return the steps that lead to `outputs`, each after those that it depends on.

    Parameters
    ----------
    barred
        Variables that are not looked behind.
    definitions
        A variable that has one is reached by a `Link`, any other by the node that computes it.
    """
    if not definitions:
        return list(io_toposort(barred, outputs))
    links = {v: Link(v, definition) for v, definition in definitions.items()}

    def behind(variables: Iterable[Variable]) -> list[Step]:
        found = [links.get(v, v.owner) for v in variables if v not in barred]
        return [step for step in found if step is not None]

    return general_toposort(behind(outputs), lambda step: behind(step.inputs))


def stabilized(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> Definitions:
    """Return more stable definitions of the variables that are to be differentiated.

    Parameters
    ----------
    outputs
        What is differentiated.
    named
        What it is differentiated by. A definition holds these variables, the outputs, those that
        are barred and what comes out of a `GradientBarrier` as they are: as if they were inputs.
    barred
        Variables through which no gradient passes; they have no definition.

    Returns
    -------
    definitions
        Of outputs and of the named variables that they depend on, as far as a node computes them.
        Empty if no law has made anything more stable. The graph itself stays as it is.
    """
    parts = _parts(outputs, named, barred)
    if not parts.defined:
        return {}
    stand_ins: dict[Any, Any] = {v: v.clone() for v in parts.leaves}
    graph = FunctionGraph(outputs=_copies(parts.defined, stand_ins), clone=False)
    canonicalize, stabilize, names = _phases()
    canonicalize.optimize(graph)
    if names.isdisjoint(stabilize.optimize(graph).applied):
        return {}
    found = list(graph.outputs)
    for feature in list(graph.features):
        graph.remove_feature(feature)
    memo: dict[Any, Any] = {new: old for old, new in stand_ins.items()}
    clone_get_equiv([], found, copy_inputs=False, copy_orphans=False, memo=memo)
    return {v: memo[new] for v, new in zip(parts.defined, found, strict=True)}


class _Phases(NamedTuple):
    canonicalize: EquilibriumOptimizer
    stabilize: EquilibriumOptimizer
    names: frozenset[str]


@cache
def _phases() -> _Phases:
    """Return the optimizers, and the names of the laws that do more than tidy up."""
    first, second = (
        [law for law in laws if law.sound not in ("finite", "domain")]
        for laws in (relations.CANONICALIZE, relations.STABILIZE)
    )
    tidy = {law.name for law in first}
    names = frozenset(law.name for law in second if law.name not in tidy)
    # new nodes are looked at before their readers, as in the phases of the database
    canonicalize = EquilibriumOptimizer(first, ignore_newtrees=False)
    stabilize = EquilibriumOptimizer(second, ignore_newtrees=False)
    return _Phases(canonicalize, stabilize, names)


class _Parts(NamedTuple):
    """What has definitions, and the computed variables that these take for inputs."""

    defined: list[Variable]
    leaves: set[Variable]


def _parts(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> _Parts:
    cuts = {*outputs, *named, *barred}
    defined = {v: None for v in outputs if v.owner is not None and v not in barred}
    leaves = {v for v in cuts if v.owner is not None}
    for step in steps(outputs, barred, {}):
        through = isinstance(step.op, GradientBarrier)
        for v in step.outputs:
            if through:
                leaves.add(v)
                defined.pop(v, None)
            elif v in cuts and v not in barred:
                defined[v] = None
    return _Parts(list(defined), leaves)


def _copies(variables: Sequence[Variable], stand_ins: dict[Any, Any]) -> list[Variable]:
    """Return copies of variables that nodes compute, in terms of `stand_ins` for some of them."""
    nodes = {v: v.owner for v in variables if v.owner is not None}
    memo = dict(stand_ins)
    inputs = [v for node in nodes.values() for v in node.inputs]
    clone_get_equiv([], inputs, copy_inputs=False, copy_orphans=False, memo=memo)
    copies = []
    for v, node in nodes.items():
        outputs = node.copy_with_inputs([memo[i] for i in node.inputs]).outputs
        copies.append(outputs[node.outputs.index(v)])
    return copies
