"""`best` and `SaturationOptimizer`: the cheapest form of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, GlobalOptimizer
from relgraph.search.equal_forms import Shapes, as_outputs, ways
from relgraph.search.proof.claims import Claim, weakest
from relgraph.search.saturation import Limits
from relgraph.search.searching import Question, derivation_of, follow, greedy_optimizer
from relgraph.search.translation.directions import BOTH_WAYS, CLAIMED
from relgraph.tensor.costs.models import Cost, flops


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
    question = _question(laws, cost, lengths, sound, Limits(nodes, rounds, seconds), method)
    every = as_outputs(outputs, "best")
    plan = question.plan(every)
    made, derivation = derivation_of(every, plan)
    graph = made[0] if isinstance(outputs, Variable) else made
    claim = weakest(derivation)
    return Best(graph, plan.cost, plan.given_cost, derivation, claim, plan.stopped, plan.nodes)


def _question(
    laws: Iterable[Any] | None,
    cost: Cost,
    lengths: Shapes,
    sound: Iterable[str] | None,
    limits: Limits,
    method: str,
) -> Question:
    classes = sound if sound is not None else BOTH_WAYS if laws is None else CLAIMED
    greedy = laws is None and sound is None
    return Question(ways(laws, classes), limits, cost, lengths, method, greedy)


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
        self._question = _question(
            laws, cost, lengths, sound, Limits(nodes, rounds, seconds), method
        )
        self._claims: dict[str, Claim] = {}
        self.stopped = ""

    def apply(self, fgraph: FunctionGraph) -> None:
        # the steps change the nodes of the graph, which those of the search must not be
        copies = clone_get_equiv(
            fgraph.inputs, fgraph.outputs, copy_inputs=False, copy_orphans=False
        )
        plan = self._question.plan([copies[out] for out in fgraph.outputs], fgraph.inputs)
        self.stopped = plan.stopped
        if plan.cost < plan.given_cost:
            self._claims.update(plan.claims)
            follow(fgraph, plan)

    def summary_children(self) -> Sequence[Any]:
        """The phases that it may begin with, and the laws of the other steps made so far."""
        begins = [greedy_optimizer()] if self._question.greedy else []
        return (*begins, *self._claims.values())
