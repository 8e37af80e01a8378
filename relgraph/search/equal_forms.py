"""All forms of an expression that laws lead to, and the cheapest of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from relgraph.compile.database import ConstantFolding
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.search.egraph.terms import EGraph
from relgraph.search.extraction.building import built, chosen, in_order
from relgraph.search.extraction.greedy import total
from relgraph.search.laws import book
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.translation.directions import CLAIMED, Direction, directions
from relgraph.tensor.costs.models import Cost, flops, lengths_of

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
        regroups = any(d.sound != "exact" for d in directions)
        self.egraph = EGraph(regroups)
        self.roots = [self.egraph.add(out) for out in self.outputs]
        run = Saturation(self.egraph, directions, limits)
        run.run()
        self.stopped, self.rounds, self.seconds = run.stopped, run.rounds, run.seconds
        self.used: Mapping[str, int] = dict(sorted(run.used.items(), key=lambda i: -i[1]))

    def are_equal(self, x: Variable, y: Variable) -> bool:
        """Return whether the laws have led from one expression to the other.

        Both have to be among the forms, or to be made of these by ops.
        """
        a, b = self.egraph.add(x), self.egraph.add(y)
        self.egraph.rebuild()
        return self.egraph.find(a) == self.egraph.find(b)

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
        choice = chosen(self.egraph, roots, cost, lengths_of(lengths), method)
        return built(self.egraph, choice, roots), total(choice)

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
        yield from in_order(self.egraph, self.roots[output], cost, lengths_of(lengths), limit)

    def __str__(self) -> str:
        classes = sum(1 for _ in self.egraph.classes())
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
    return [*found, Direction("constant_folding", "exact", ConstantFolding())]


@cache
def _ways_of_the_book(sound: frozenset[str]) -> list[Direction]:
    return directions(book(), sound)
