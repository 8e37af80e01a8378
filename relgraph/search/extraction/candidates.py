"""What an extraction chooses from: the terms of each class that the outputs may need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from relgraph.search.egraph.terms import EGraph


class Candidate(NamedTuple):
    """A term, what it costs by itself, and the classes of its arguments, also as a set."""

    term: int
    cost: float
    arguments: tuple[int, ...]
    children: frozenset[int]


Candidates = Mapping[int, list[Candidate]]
Choice = dict[int, Candidate]
"""The chosen term of each class that the outputs need."""


def candidates(
    egraph: EGraph, roots: Iterable[int], cost: Callable[[int], float], every: bool = False
) -> dict[int, list[Candidate]]:
    """Return the candidates of each class below some roots; of equal ones on equal classes, one.

    Parameters
    ----------
    cost
        The cost of a term; it may be infinite, and is 0 for what is not computed.
    every
        Whether terms are kept that are in no cheapest graph.
    """
    found: dict[int, list[Candidate]] = {}
    stack = [egraph.find(root) for root in roots]
    while stack:
        at = stack.pop()
        if at in found:
            continue
        found[at] = []
        for term in egraph.members(at):
            arguments = tuple(map(egraph.find, egraph.children(term)))
            children = frozenset(arguments)
            leaf = egraph.variables[term].owner is None
            if at in children or not (leaf or egraph.is_canonical(term)):
                continue
            price = 0.0 if leaf else cost(term)
            if price != float("inf"):
                found[at].append(Candidate(term, price, arguments, children))
                stack.extend(children)
        if not every:
            found[at] = _undominated(found[at])
    return found


def _undominated(terms: list[Candidate]) -> list[Candidate]:
    """Leave out a term that needs all that another one needs, and does not cost less."""
    terms = sorted(terms, key=lambda c: (c.cost, len(c.children)))
    kept: list[Candidate] = []
    for candidate in terms:
        if not any(k.children <= candidate.children for k in kept):
            kept.append(candidate)
    return kept
