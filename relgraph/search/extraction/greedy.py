"""Extraction from the leaves up: each class takes the term that needs least, all counted once.

What a term needs is a set of classes, so what two arguments share is counted once. It is a
heuristic: the best term of a class alone need not be the best beside the rest of the graph. (It is
the "faster greedy DAG" extractor of the extraction gym, github.com/egraphs-good/extraction-gym.)
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

from relgraph.search.extraction.candidates import Candidate, Candidates, Choice


def greedy(found: Candidates, roots: Iterable[int]) -> Choice:
    """Return a choice of terms for some classes and all that they need."""
    needs: dict[int, dict[int, float]] = {}
    totals: dict[int, float] = {}
    best: Choice = {}
    readers = defaultdict(list)
    queue: deque[tuple[int, Candidate]] = deque()
    for at, terms in found.items():
        for candidate in terms:
            for child in candidate.children:
                readers[child].append((at, candidate))
            if not candidate.children:
                queue.append((at, candidate))
    while queue:
        at, candidate = queue.popleft()
        if any(child not in needs or at in needs[child] for child in candidate.children):
            continue
        costs = {at: candidate.cost}
        for child in candidate.children:
            costs.update(needs[child])
        total = sum(costs.values())
        if at in totals and total >= totals[at] - 1e-9 * abs(total):
            continue
        needs[at], totals[at], best[at] = costs, total, candidate
        queue.extend(readers[at])
    return needed(best, roots)


def needed(best: Choice, roots: Iterable[int]) -> Choice:
    """Return the part of a choice that some classes need.

    Raises
    ------
    ValueError
        If a class needs itself, or has no choice.
    """
    chosen: Choice = {}
    done: set[int] = set()
    stack = [(root, False) for root in roots]
    while stack:
        at, left = stack.pop()
        if left:
            done.add(at)
        elif at not in chosen:
            if at not in best:
                raise ValueError(f"class {at} has no term")
            chosen[at] = best[at]
            stack.append((at, True))
            stack.extend((child, False) for child in best[at].children)
        elif at not in done and not left:
            _refuse_cycle(chosen, at)
    return chosen


def _refuse_cycle(chosen: Choice, at: int) -> None:
    """Raise if a class needs itself."""
    seen: set[int] = set()
    stack = [*chosen[at].children]
    while stack:
        child = stack.pop()
        if child == at:
            raise ValueError(f"class {at} needs itself")
        if child in chosen and child not in seen:
            seen.add(child)
            stack.extend(chosen[child].children)


def total(choice: Choice) -> float:
    """Return what a choice costs, each class once."""
    return sum(candidate.cost for candidate in choice.values())
