"""Stabilization before differentiation: variables get definitions that overflow less.

The gradient of a formula that overflows overflows too, and no law recognizes it any more. So the
formula is rewritten first: by the laws of `relations.CANONICALIZE`, and then by those of
`relations.STABILIZE`, which match canonical forms. Laws of the classes ``finite`` and ``domain``
are left out, so that the values are the same for all inputs, infinite ones included.
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
"""For some variables, variables of the same value that are differentiated in their place."""


class Link:
    """An edge from a definition to its variable, used in place of the node of the variable.

    It acts as a node and as its op, the identity. It is part of no graph: both variables keep their
    owners.
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
    """Return the steps that compute some outputs, in topological order.

    Parameters
    ----------
    outputs
        The outputs.
    barred
        Variables that are treated as inputs.
    definitions
        The step of a variable with a definition is a `Link`; that of any other is its node.
    """
    if not definitions:
        return list(io_toposort(barred, outputs))
    links = {v: Link(v, definition) for v, definition in definitions.items()}

    def steps_of(variables: Iterable[Variable]) -> list[Step]:
        found = [links.get(v, v.owner) for v in variables if v not in barred]
        return [step for step in found if step is not None]

    return general_toposort(steps_of(outputs), lambda step: steps_of(step.inputs))


def stabilized(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> Definitions:
    """Return more stable definitions of the variables that are to be differentiated.

    Parameters
    ----------
    outputs
        The variables to differentiate.
    named
        The variables that they are differentiated with respect to. In a definition these, the
        outputs, the barred variables and the outputs of a `GradientBarrier` are inputs, and so are
        those of an op that is not pure: its node stands for one call, which is not made again.
    barred
        Variables that are treated as constants; they get no definition.

    Returns
    -------
    definitions
        The definitions of the outputs, and of the named variables and the inputs of such nodes that
        they depend on, unless they are inputs of the graph. Empty if no stabilizing law was
        applied. The given graph does not change.
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
    """Return the optimizers, and the names of the laws that are not in the first one."""
    first, second = (
        [law for law in laws if law.sound not in ("finite", "domain")]
        for laws in (relations.CANONICALIZE, relations.STABILIZE)
    )
    canonical = {law.name for law in first}
    names = frozenset(law.name for law in second if law.name not in canonical)
    # New nodes are visited before their clients, as in the phases of `optdb`.
    canonicalize = EquilibriumOptimizer(first, ignore_newtrees=False)
    stabilize = EquilibriumOptimizer(second, ignore_newtrees=False)
    return _Phases(canonicalize, stabilize, names)


class _Parts(NamedTuple):
    """The variables that get definitions, and the computed variables that are inputs of these."""

    defined: list[Variable]
    leaves: set[Variable]


def _parts(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> _Parts:
    cuts = {*outputs, *named, *barred}
    defined = {v: None for v in outputs if v.owner is not None and v not in barred}
    leaves = {v for v in cuts if v.owner is not None}
    for node in io_toposort(barred, outputs):
        kept = isinstance(node.op, GradientBarrier) or not node.op.pure
        for v in node.outputs:
            if kept:
                leaves.add(v)
                defined.pop(v, None)
            elif v in cuts and v not in barred:
                defined[v] = None
        if not node.op.pure:
            formulas = (v for v in _differentiated(node) if v.owner is not None)
            defined.update((v, None) for v in formulas if v not in leaves and v not in barred)
    return _Parts(list(defined), leaves)


def _differentiated(node: Apply) -> list[Variable]:
    """Return the inputs of a node by which it may be differentiated."""
    pattern = node.op.connection_pattern(node)
    return [v for v, connected in zip(node.inputs, pattern, strict=True) if any(connected)]


def _copies(variables: Sequence[Variable], stand_ins: dict[Any, Any]) -> list[Variable]:
    """Return copies of computed variables, in which some variables are replaced by `stand_ins`."""
    nodes = {v: v.owner for v in variables if v.owner is not None}
    memo = dict(stand_ins)
    inputs = [v for node in nodes.values() for v in node.inputs]
    clone_get_equiv([], inputs, copy_inputs=False, copy_orphans=False, memo=memo)
    copies = []
    for v, node in nodes.items():
        outputs = node.copy_with_inputs([memo[i] for i in node.inputs]).outputs
        copies.append(outputs[node.outputs.index(v)])
    return copies
