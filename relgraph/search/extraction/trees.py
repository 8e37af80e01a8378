"""The terms of a class in order of cost: the k best derivations of a hypergraph.

A class is a vertex, a term an edge from the classes of its arguments, and a tree says which term is
taken at each place (Huang and Chiang, "Better k-best parsing", IWPT 2005).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence

from relgraph.search.extraction.candidates import Candidate, Candidates


class Tree:
    """A term on trees for its arguments.

    Attributes
    ----------
    cost
        Its cost, in which everything counts as often as it occurs.
    term
        The term.
    children
        What its arguments are.
    """

    __slots__ = ("children", "cost", "term")

    def __init__(self, cost: float, term: int, children: Sequence[Tree]) -> None:
        self.cost, self.term, self.children = cost, term, tuple(children)


MAX_TREES = 50_000
"""How many trees are made at most, of all classes together."""
_LEAST = 1e-9


def ordered_trees(found: Candidates, root: int, limit: int) -> Iterator[Tree]:
    """Yield the trees of a class, the cheapest first.

    Trees of all classes are made in order of cost (Knuth's generalization of Dijkstra's
    algorithm): a tree is complete when the dearest of its arguments is.

    Parameters
    ----------
    limit
        How many trees of a class are made.
    """
    readers: dict[int, list[tuple[int, Candidate]]] = {}
    known: dict[int, list[Tree]] = {at: [] for at in found}
    heap: list[tuple[float, int, int, Tree]] = []
    numbers = itertools.count()

    def push(at: int, candidate: Candidate, children: Sequence[Tree]) -> None:
        cost = max(candidate.cost, _LEAST) + sum(child.cost for child in children)
        heapq.heappush(heap, (cost, next(numbers), at, Tree(cost, candidate.term, children)))

    for at, terms in found.items():
        for candidate in terms:
            for child in candidate.children:
                readers.setdefault(child, []).append((at, candidate))
            if not candidate.children:
                push(at, candidate, ())
    while heap and next(numbers) < MAX_TREES:
        _, _, at, tree = heapq.heappop(heap)
        if len(known[at]) >= limit:
            continue
        known[at].append(tree)
        if at == root:
            yield tree
            if len(known[at]) >= limit:
                return
        for reader, candidate in readers.get(at, ()):
            if len(known[reader]) < limit:
                for children in _with_new(candidate, at, tree, known):
                    push(reader, candidate, children)


def _with_new(
    candidate: Candidate, at: int, new: Tree, known: dict[int, list[Tree]]
) -> Iterator[list[Tree]]:
    """Yield trees for the arguments of a term, at least one of which is a new tree."""
    choices = [known[child] for child in candidate.arguments]
    places = [i for i, child in enumerate(candidate.arguments) if child == at]
    for place in places:
        # before this place none is the new one, or the same trees would be made twice
        parts: list[Sequence[Tree]] = [
            [new] if i == place else [t for t in every if t is not new] if i < place else every
            for i, every in enumerate(choices)
        ]
        yield from map(list, itertools.product(*parts))
