"""The search for the cheapest form of a graph, and the derivation that leads to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from relgraph.compile.database import optdb
from relgraph.graph.basic import Constant, Variable, clone_get_equiv, graph_inputs, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, GlobalOptimizer, Recorder
from relgraph.graph.opt.merge.optimizer import MergeOptimizer
from relgraph.graph.optdb import OptimizationQuery
from relgraph.search.egraph.terms import EGraph
from relgraph.search.equal_forms import Shapes
from relgraph.search.extraction.building import built, chosen
from relgraph.search.extraction.greedy import total
from relgraph.search.proof.checking import disagreement
from relgraph.search.proof.claims import Claim, weakest_of
from relgraph.search.proof.explanation import Rewrite, TooLong, rewrites
from relgraph.search.proof.steps import make
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.translation.directions import Direction
from relgraph.tensor.costs.models import Cost, cost_of, lengths_of

CHECKED = "saturation, checked by values"
"""The name of a step in place of many."""
_BEFORE_BLAS = 2.4
"""The position in `optdb` up to which graphs are still written with ops that laws are about."""


@dataclass
class Plan:
    """How to get from a graph to its cheapest form.

    Attributes
    ----------
    greedy
        The derivation of greedy rewriting, if the search goes on from what that leads to.
    rewrites
        For each output, the rewrites; None if there are too many. Then the cheapest form has been
        compared with the graph by values.
    outputs
        The cheapest form.
    cost, given_cost
        What it costs, and what the graph costs as it is.
    stopped, nodes
        Why the search stopped, and with how many terms. ``disagreement`` if a form was found that
        a check by values refuted; the graph stays as it is then.
    claims
        The laws of the rewrites by label, for `Recorder.derivation`.
    """

    greedy: Derivation | None
    rewrites: list[list[Rewrite]] | None
    outputs: list[Variable]
    cost: float
    given_cost: float
    stopped: str
    nodes: int
    claims: dict[str, Claim]


@dataclass(frozen=True)
class Question:
    """What is searched: see `best` for the fields."""

    directions: Sequence[Direction]
    limits: Limits
    cost: Cost
    lengths: Shapes
    method: str
    greedy: bool

    def plan(self, outputs: Sequence[Variable], inputs: Sequence[Variable] | None = None) -> Plan:
        """Return how to get from some outputs, which are not changed, to their cheapest form.

        Parameters
        ----------
        inputs
            The inputs of their graph, if there may be more than are needed.
        """
        given_cost = cost_of(outputs, self.cost, self.lengths)
        same = Plan(None, [], list(outputs), given_cost, given_cost, "nodes", 0, {})
        if sum(1 for _ in io_toposort([], outputs)) > self.limits.nodes:
            return same
        starts: list[tuple[Derivation | None, list[Variable]]] = [(None, list(outputs))]
        if self.greedy:
            starts.append(_greedy_form(outputs, inputs))
        egraph = EGraph(any(d.sound != "exact" for d in self.directions))
        roots = [[egraph.add(out) for out in outs] for _, outs in starts]
        run = Saturation(egraph, self.directions, self.limits)
        run.run()
        lengths = lengths_of(self.lengths)
        found = []
        for start, terms in enumerate(roots):
            choice = chosen(egraph, terms, self.cost, lengths, self.method)
            found.append((total(choice), start, choice))
        cost, start, choice = min(found, key=lambda item: item[:2])
        best = built(egraph, choice, roots[start])
        same = replace(same, stopped=run.stopped, nodes=len(egraph))
        if cost >= given_cost * (1 - 1e-9):
            return same
        greedy, given = starts[start]
        steps = _rewrites(egraph, given, best)
        if steps is None:
            sound = weakest_of(run.sounds)
            leaves = _inputs_of(outputs) if inputs is None else inputs
            if disagreement(leaves, outputs, best, sound) is not None:
                return replace(same, stopped="disagreement")
            claims = {CHECKED: Claim(CHECKED, sound)}
            return replace(same, rewrites=None, outputs=best, cost=cost, claims=claims)
        every = [step for plan in steps for step in plan]
        claims = {step.label: Claim(step.label, step.sound) for step in every}
        return replace(same, greedy=greedy, rewrites=steps, outputs=best, cost=cost, claims=claims)


def _inputs_of(outputs: Sequence[Variable]) -> list[Variable]:
    return [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]


def _rewrites(
    egraph: EGraph, given: Sequence[Variable], best: Sequence[Variable]
) -> list[list[Rewrite]] | None:
    pairs = [(egraph.add(a), egraph.add(b)) for a, b in zip(given, best, strict=True)]
    egraph.rebuild()
    try:
        return [list(rewrites(egraph, a, b)) for a, b in pairs]
    except TooLong:
        return None


def follow(fgraph: FunctionGraph, plan: Plan) -> None:
    """Make the cheapest form of the outputs of a graph, a law at a time.

    Parameters
    ----------
    fgraph
        The graph, which is changed.
    """
    if plan.greedy is not None:
        plan.greedy.replay(fgraph)
    if plan.rewrites is None:
        fgraph.replace_all(list(zip(fgraph.outputs, plan.outputs, strict=True)), reason=CHECKED)
    for output, steps in enumerate(plan.rewrites or ()):
        for step in steps:
            make(fgraph, output, step)
    MergeOptimizer().optimize(fgraph)


def derivation_of(outputs: Sequence[Variable], plan: Plan) -> tuple[list[Variable], Derivation]:
    """Return the cheapest form as the steps of a plan make it, and their derivation."""
    fgraph = on_its_own(outputs)
    recorder = Recorder()
    fgraph.attach_feature(recorder)
    follow(fgraph, plan)
    fgraph.remove_feature(recorder)
    known: list[Any] = [*plan.claims.values(), greedy_optimizer()]
    return list(fgraph.outputs), recorder.derivation(known)


def on_its_own(
    outputs: Sequence[Variable], inputs: Sequence[Variable] | None = None
) -> FunctionGraph:
    """Return a copy of a graph, with the same inputs."""
    leaves = list(graph_inputs(outputs)) if inputs is None else inputs
    copies = clone_get_equiv(leaves, outputs, copy_inputs=False, copy_orphans=False)
    return FunctionGraph(inputs, [copies[out] for out in outputs], clone=False)


@cache
def greedy_optimizer() -> GlobalOptimizer:
    """Return the phases of `fast_run` in which laws are applied to ordinary ops."""
    query = OptimizationQuery(include=["fast_run"], position_cutoff=_BEFORE_BLAS)
    found: GlobalOptimizer = optdb.query(query)
    return found


def _greedy_form(
    outputs: Sequence[Variable], inputs: Sequence[Variable] | None
) -> tuple[Derivation, list[Variable]]:
    """Return what greedy rewriting makes of a graph, and how."""
    fgraph = on_its_own(outputs, inputs)
    recorder = Recorder()
    fgraph.attach_feature(recorder)
    optimizer = greedy_optimizer()
    optimizer.optimize(fgraph)
    fgraph.remove_feature(recorder)
    return recorder.derivation([optimizer]), list(fgraph.outputs)
