"""Extraction as an integer linear program, which SciPy's HiGHS solves.

For each term whether it is chosen, for each class whether it is needed, and how high it stands: a
term stands above its arguments, so nothing needs itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from relgraph.search.extraction.candidates import Candidates, Choice
from relgraph.search.extraction.greedy import needed, total


def exact(found: Candidates, roots: Sequence[int], known: Choice, seconds: float = 0.5) -> Choice:
    """Return the cheapest choice of terms, or the cheapest found within a time.

    Parameters
    ----------
    known
        A choice that is known; it is returned if none is cheaper.
    """
    limit = total(known)
    if limit <= 0:
        return known
    # what costs more by itself than all of a known choice is in no better one
    terms = [(at, c) for at, every in found.items() for c in every if c.cost <= limit]
    classes = {at: i for i, at in enumerate(found)}
    count, height = len(terms), len(classes)
    rows: list[int] = []
    columns: list[int] = []
    entries: list[float] = []
    upper: list[float] = []

    def at_most(bound: float, *items: tuple[int, float]) -> None:
        for column, entry in items:
            rows.append(len(upper))
            columns.append(column)
            entries.append(entry)
        upper.append(bound)

    chosen_in: dict[int, list[int]] = {at: [] for at in classes}
    for t, (at, candidate) in enumerate(terms):
        chosen_in[at].append(t)
        for child in candidate.children:
            at_most(0, (t, 1), (count + classes[child], -1))
            level, below = count + height + classes[at], count + height + classes[child]
            at_most(height - 1, (below, 1), (level, -1), (t, height))
    for at, i in classes.items():
        at_most(0, (count + i, 1), *((t, -1) for t in chosen_in[at]))
    costs = np.zeros(count + 2 * height)
    costs[:count] = [candidate.cost for _, candidate in terms]
    scale = max(1.0, float(costs.max(initial=0.0)))
    least = np.zeros_like(costs)
    least[[count + classes[root] for root in roots]] = 1
    most = np.concatenate([np.ones(count + height), np.full(height, float(height))])
    whole = np.concatenate([np.ones(count + height), np.zeros(height)])
    matrix = coo_array((entries, (rows, columns)), shape=(len(upper), len(costs)))
    solved = milp(
        costs / scale,
        integrality=whole,
        bounds=Bounds(least, most),
        constraints=LinearConstraint(matrix.tocsr(), -np.inf, upper),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if solved.x is None:
        return known
    best = {at: terms[t][1] for at in classes for t in chosen_in[at] if solved.x[t] > 0.5}
    choice = needed(best, roots)
    return choice if total(choice) < limit else known
