"""`best`, `forms` and `SaturationOptimizer`: all forms that laws lead to, the cheapest, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any

from relgraph.compile.database import ConstantFolding, optdb
from relgraph.graph.basic import Constant, Variable, clone_get_equiv, graph_inputs, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.graph.opt import Derivation, GlobalOptimizer
from relgraph.graph.opt.merge import MergeOptimizer
from relgraph.graph.optdb import OptimizationQuery
from relgraph.search.egraph import EClass, Rewrite, TooLong
from relgraph.search.extraction import built, chosen, in_order, total
from relgraph.search.laws import BOTH_WAYS, CLAIMED, Direction, book, directions
from relgraph.search.proof import (
    MAX_REWRITES,
    Claim,
    claims_of,
    disagreement,
    make,
    on_its_own,
    recorded,
)
from relgraph.search.regrouping import REGROUPINGS, Thinning
from relgraph.search.rules import NodeByNode
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.variables import Reason, VariableEGraph
from relgraph.tensor.costs import Cost, cost_of, flops, lengths_of
from relgraph.testing.judge.graph_comparison import weakest, weakest_of

Shapes = Mapping[Variable, Sequence[int]] | int | None
"""The shapes of inputs, or one length for every axis of which nothing is known."""


class Forms:
    """The forms of some outputs, as the terms of an e-graph; see `forms`.

    Attributes
    ----------
    outputs
        The outputs.
    egraph
        The e-graph.
    stopped
        Why the search stopped: ``saturated`` if there are no more forms, or the name of the bound
        that was met, ``nodes``, ``rounds`` or ``seconds``.
    rounds, seconds
        How many rounds there were, and how long they took.
    used
        How often each law made two classes of terms one, by its name.
    """

    def __init__(
        self, outputs: Sequence[Variable], directions: Sequence[Direction], limits: Limits
    ) -> None:
        self.outputs = list(outputs)
        self.egraph, run, (self.roots,) = _saturated([self.outputs], directions, limits)
        self.stopped, self.rounds, self.seconds = run.stopped, run.rounds, run.seconds
        self.used: Mapping[str, int] = {why.label: n for why, n in run.used.most_common()}

    def are_equal(self, x: Variable, y: Variable) -> bool:
        """Return whether the laws have led from one expression to the other.

        Both have to be among the forms, or to be made of these by ops.
        """
        a, b = self.egraph.add(x), self.egraph.add(y)
        self.egraph.rebuild()
        return a.root() is b.root()

    def cheapest(
        self,
        cost: Cost = flops,
        lengths: Shapes = None,
        method: str = "best",
        outputs: Sequence[int] | None = None,
    ) -> tuple[list[Variable], float]:
        """Return the cheapest forms of the outputs, and what they cost together.

        What several of them need is counted once.

        Parameters
        ----------
        cost
            The cost of a node, all of whose axes have lengths.
        lengths
            The shapes of inputs, or one length for all axes of which nothing is known.
        method
            ``exact``, by an integer program; ``greedy``, from the leaves up; or ``best``, which is
            exact where there are few terms.
        outputs
            The indices of the outputs; all by default.
        """
        roots = self.roots if outputs is None else [self.roots[i] for i in outputs]
        choice = chosen(roots, cost, lengths_of(lengths), method)
        return built(choice, roots), total(choice)

    def __iter__(self) -> Iterator[Variable]:
        """Yield the forms of the first output, the smallest first."""
        yield from self.in_order(limit=100)

    def in_order(
        self, limit: int, cost: Cost = flops, lengths: Shapes = None, output: int = 0
    ) -> Iterator[Variable]:
        """Yield forms of one output, the cheapest first; what occurs twice in one counts twice.

        Parameters
        ----------
        limit
            How many at most.
        """
        yield from in_order(self.roots[output], cost, lengths_of(lengths), limit)

    def __str__(self) -> str:
        classes = len(self.egraph.classes())
        return (
            f"{len(self.egraph)} terms in {classes} classes after {self.rounds} rounds "
            f"({self.seconds:.2f} s): {self.stopped}"
        )

    __repr__ = __str__


def forms(
    outputs: Variable | Sequence[Variable],
    laws: Iterable[Any] | None = None,
    *,
    sound: Iterable[str] = CLAIMED,
    nodes: int = Limits().nodes,
    rounds: int = Limits().rounds,
    seconds: float = Limits().seconds,
) -> Forms:
    """Return the forms of an expression that laws lead to, found by equality saturation.

    Parameters
    ----------
    outputs
        A variable or several; their graph is not changed.
    laws
        Laws and relations, each used in both directions if its soundness class claims both; or
        one direction of a law, ``law.forward``. By default the book and what belongs to a search
        beside it (`relgraph.search.laws.book`).
    sound
        The soundness classes of the laws to use.
    nodes, rounds, seconds
        When to stop: with so many terms, after so many rounds, or after so long. The forms found
        so far are returned.

    Raises
    ------
    TypeError
        If `outputs` are no variables, or `laws` has something else than laws.
    ValueError
        If there is no such soundness class.
    """
    return Forms(as_outputs(outputs, "forms"), ways(laws, sound), Limits(nodes, rounds, seconds))


def as_outputs(outputs: Any, who: str) -> list[Variable]:
    """Return one variable or several as a list; a TypeError if they are none."""
    every = [outputs] if not isinstance(outputs, Sequence) else list(outputs)
    for out in every:
        if not isinstance(out, Variable):
            raise TypeError(f"{who} wants a variable of a graph or several, not {out!r}")
    return every


def ways(laws: Iterable[Any] | None, sound: Iterable[str]) -> list[Direction]:
    """Return the directions of laws (by default, those of a search), and constant folding."""
    if isinstance(sound, str) or not set(sound) <= set(SOUNDNESS):
        raise ValueError(f"sound names some of the classes {', '.join(SOUNDNESS)}, not {sound!r}")
    found = _ways_of_the_book(frozenset(sound)) if laws is None else directions(laws, sound)
    return [*found, NodeByNode(ConstantFolding(), Reason("constant_folding", "exact"))]


@cache
def _ways_of_the_book(sound: frozenset[str]) -> list[Direction]:
    return directions(book(), sound)


CHECKED = "saturation, checked by values"
"""The name of a step in place of many."""
_BEFORE_BLAS = 2.4
"""The position in `optdb` up to which graphs are still written with ops that laws are about."""


def _saturated(
    starts: Sequence[Sequence[Variable]], directions: Sequence[Direction], limits: Limits
) -> tuple[VariableEGraph, Saturation, list[list[EClass[Variable]]]]:
    """Return all forms of some variables, the search for them, and the classes of the variables."""
    egraph = VariableEGraph(any(d.reason.sound != "exact" for d in directions))
    roots = [[egraph.add(out) for out in outs] for outs in starts]
    rules = [*directions, *(REGROUPINGS if egraph.regroups else ())]
    run = Saturation(egraph, rules, limits, Thinning(egraph))
    run.run()
    return egraph, run, roots


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


def _rewrites(
    egraph: VariableEGraph, given: Sequence[Variable], best: Sequence[Variable]
) -> list[list[Rewrite]] | None:
    pairs = [(egraph.term(a), egraph.term(b)) for a, b in zip(given, best, strict=True)]
    egraph.rebuild()
    try:
        return [list(egraph.rewrites(a, b, MAX_REWRITES)) for a, b in pairs]
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
    known = [*plan.claims.values(), greedy_optimizer()]
    return recorded(on_its_own(outputs), lambda fgraph, _: follow(fgraph, plan), known)


@cache
def greedy_optimizer() -> GlobalOptimizer:
    """Return the phases of `fast_run` in which laws are applied to ordinary ops."""
    query = OptimizationQuery(include=["fast_run"], position_cutoff=_BEFORE_BLAS)
    return optdb.query(query)


def _greedy_form(
    outputs: Sequence[Variable], inputs: Sequence[Variable] | None
) -> tuple[Derivation, list[Variable]]:
    """Return what greedy rewriting makes of a graph, and how."""
    optimizer = greedy_optimizer()
    made, derivation = recorded(
        on_its_own(outputs, inputs), lambda fgraph, _: optimizer.optimize(fgraph), [optimizer]
    )
    return derivation, made


class SaturationOptimizer(GlobalOptimizer):
    """An optimizer that replaces a graph by its cheapest form; the parameters are those of `best`.

    Its steps are replacements by named laws, so that a `Recorder` records a derivation. A graph
    that has more nodes than the search may is left as it is.

    Attributes
    ----------
    stopped
        Why the last search stopped.
    """

    name = "saturation"

    def __init__(
        self,
        laws: Iterable[Any] | None = None,
        cost: Cost = flops,
        lengths: Shapes = None,
        *,
        sound: Iterable[str] | None = None,
        nodes: int = Limits().nodes,
        rounds: int = Limits().rounds,
        seconds: float = Limits().seconds,
        method: str = "best",
    ) -> None:
        classes = sound if sound is not None else BOTH_WAYS if laws is None else CLAIMED
        self._directions = ways(laws, classes)
        self._cost, self._lengths, self._method = cost, lengths, method
        self._limits = Limits(nodes, rounds, seconds)
        self._greedy = laws is None and sound is None
        self._claims: dict[str, Claim] = {}
        self.stopped = ""

    def plan(self, outputs: Sequence[Variable], inputs: Sequence[Variable] | None = None) -> Plan:
        """Return how to get from some outputs, which are not changed, to their cheapest form.

        Parameters
        ----------
        inputs
            The inputs of their graph, if there may be more than are needed.
        """
        given_cost = cost_of(outputs, self._cost, self._lengths)
        same = Plan(None, [], list(outputs), given_cost, given_cost, "nodes", 0, {})
        if sum(1 for _ in io_toposort([], outputs)) > self._limits.nodes:
            return same
        starts: list[tuple[Derivation | None, list[Variable]]] = [(None, list(outputs))]
        if self._greedy:
            starts.append(_greedy_form(outputs, inputs))
        egraph, run, roots = _saturated(
            [outs for _, outs in starts], self._directions, self._limits
        )
        lengths = lengths_of(self._lengths)
        found = []
        for start, classes in enumerate(roots):
            choice = chosen(classes, self._cost, lengths, self._method)
            found.append((total(choice), start, choice))
        cost, start, choice = min(found, key=lambda item: item[:2])
        best = built(choice, roots[start])
        same = replace(same, stopped=run.stopped, nodes=len(egraph))
        if cost >= given_cost * (1 - 1e-9):
            return same
        greedy, given = starts[start]
        steps = _rewrites(egraph, given, best)
        if steps is None:
            sound = weakest_of({why.sound for why in run.used})
            leaves = graph_inputs(outputs) if inputs is None else inputs
            variables = [v for v in leaves if not isinstance(v, Constant)]
            if disagreement(variables, outputs, best, sound) is not None:
                return replace(same, stopped="disagreement")
            claims = {CHECKED: Claim(CHECKED, sound)}
            return replace(same, rewrites=None, outputs=best, cost=cost, claims=claims)
        claims = claims_of(chain(*steps))
        return replace(same, greedy=greedy, rewrites=steps, outputs=best, cost=cost, claims=claims)

    def apply(self, fgraph: FunctionGraph) -> None:
        # the steps change the nodes of the graph, which those of the search must not be
        copies = clone_get_equiv(
            fgraph.inputs, fgraph.outputs, copy_inputs=False, copy_orphans=False
        )
        plan = self.plan([copies[out] for out in fgraph.outputs], fgraph.inputs)
        self.stopped = plan.stopped
        if plan.cost < plan.given_cost:
            self._claims.update(plan.claims)
            follow(fgraph, plan)

    def summary_children(self) -> Sequence[Any]:
        """The phases that it may begin with, and the laws of the other steps made so far."""
        begins = [greedy_optimizer()] if self._greedy else []
        return (*begins, *self._claims.values())


@dataclass(frozen=True)
class Best:
    """The cheapest form of a graph.

    Attributes
    ----------
    graph
        A variable or a list of variables, as was given, on the same inputs.
    cost, given_cost
        What it costs, and what the given graph costs.
    derivation
        The steps from the given graph, each by a named law; ``derivation.replay()`` makes them
        again on a copy of it. In place of more than a thousand steps there is one,
        ``saturation, checked by values``: both graphs have been compared by `relgraph.testing`.
    sound
        The soundness class in which both agree, the weakest of the steps; None if a step goes
        against the direction of a law that is stable.
    stopped
        Why the search stopped: ``saturated``, or the name of the bound that it met;
        ``disagreement`` if what it found was refuted by values, and is not given.
    nodes
        How many terms there were.
    """

    graph: Any
    cost: float
    given_cost: float
    derivation: Derivation
    sound: str | None
    stopped: str
    nodes: int

    def __str__(self) -> str:
        count = len(self.derivation)
        return (
            f"cost {self.cost:.6g}, before {self.given_cost:.6g}; {count} "
            f"step{'' if count == 1 else 's'} ({self.sound}); {self.nodes} terms, {self.stopped}"
        )


def best(
    outputs: Variable | Sequence[Variable],
    laws: Iterable[Any] | None = None,
    cost: Cost = flops,
    lengths: Shapes = None,
    *,
    sound: Iterable[str] | None = None,
    nodes: int = Limits().nodes,
    rounds: int = Limits().rounds,
    seconds: float = Limits().seconds,
    method: str = "best",
) -> Best:
    """Return the cheapest form of an expression that laws lead to.

    Parameters
    ----------
    outputs
        A variable or several; their graph is not changed. What several need is counted once.
    laws
        As for `forms`. By default the book: the search then also sets out from what greedy
        rewriting leads to, so that it never ends with a dearer form than that.
    cost
        The cost of a node, all of whose axes have lengths: `flops`, `bytes_moved`, `calls`, a
        `Measured`, or any function.
    lengths
        The shapes of inputs, or one length for every axis of which nothing is known.
    sound
        The soundness classes of the laws to use. By default those that claim both directions; of
        given laws, the stable ones too.
    nodes, rounds, seconds
        Bounds of the search, as for `forms`. A graph of more nodes than `nodes` stays as it is.
        What is found within `seconds` depends on the machine; within the others it does not.
    method
        How the cheapest form is found among all: ``exact``, by an integer program; ``greedy``; or
        ``best``, which is exact where there are few terms.

    Raises
    ------
    TypeError
        If `outputs` are no variables, or `laws` has something else than laws.
    ValueError
        If there is no such method or soundness class, or an input can't have a given shape.
    """
    optimizer = SaturationOptimizer(
        laws,
        cost,
        lengths,
        sound=sound,
        nodes=nodes,
        rounds=rounds,
        seconds=seconds,
        method=method,
    )
    every = as_outputs(outputs, "best")
    plan = optimizer.plan(every)
    made, derivation = derivation_of(every, plan)
    graph = made[0] if isinstance(outputs, Variable) else made
    claim = weakest(derivation)
    return Best(graph, plan.cost, plan.given_cost, derivation, claim, plan.stopped, plan.nodes)
