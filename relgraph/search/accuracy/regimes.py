"""Which form is best where: the domain cut along one input, or another part of the expression.

The cuts are found by dynamic programming over the points in the order of what is compared, and then
moved by bisection between the points on either side. Panchekha et al. (2015), section 4.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relgraph.search.accuracy.expressions import INPUT, Expr, apply, number
from relgraph.search.accuracy.table import Candidate, Values, cost_of
from relgraph.search.accuracy.truth.ordinals import from_ordinals, to_ordinals
from relgraph.search.accuracy.truth.settling import Known

_MOST_PIECES = 6
_PRICE = 5.0
"""Bits, summed over the points, that one more piece has to save."""

_DEARNESS = 0.0003
"""Bits at each point that a form has to save for what it costs more than an addition of arrays:
pieces are not made of whatever form happens to be the best at a few points."""

_ROWS, _HALVINGS = 4, 12


@dataclass(frozen=True)
class Pieces:
    """Forms for parts of a domain.

    Attributes
    ----------
    by
        What is compared.
    forms
        The forms, the first one for the least values.
    cuts
        The largest value of each part but the last.
    total
        The bits of error, summed over the points.
    """

    by: Expr
    forms: tuple[Expr, ...]
    cuts: tuple[float, ...]
    total: float

    @property
    def expr(self) -> Expr:
        """The expression that chooses among the forms."""
        found = self.forms[-1]
        for form, cut in zip(reversed(self.forms[:-1]), reversed(self.cuts), strict=True):
            found = apply("switch", apply("le", self.by, number(Fraction(cut))), form, found)
        return found


def best_pieces(
    candidates: Sequence[Candidate], by: Sequence[Expr], values: Values, price: float = _PRICE
) -> Pieces | None:
    """Return the best cuts along one of some expressions, None if no cut pays.

    Parameters
    ----------
    candidates
        Forms, and their errors at the points of `values`.
    by
        What may be compared.
    values
        The values at the points.
    """
    errors = np.array([c.errors + _DEARNESS * cost_of(c.expr) for c in candidates])
    found = None
    least = float(errors.sum(axis=1).min())
    for b in by:
        places = np.broadcast_to(np.asarray(values(b), values.dtype), errors.shape[1:])
        if np.isnan(places).any():
            continue
        order = np.argsort(places, kind="stable")
        total, pieces = _cut(errors[:, order], places[order], price)
        if len(pieces) > 1 and total < least:
            least = total
            ends = [end for _, end in pieces[:-1]]
            sorted_places = places[order]
            cuts = tuple(float(_between(sorted_places[e - 1], sorted_places[e])) for e in ends)
            found = Pieces(b, tuple(candidates[k].expr for k, _ in pieces), cuts, total)
    return found


def _between(low: Any, high: Any) -> Any:
    """Return the float in the middle of those between two."""
    ends = [int(o) for o in to_ordinals(np.array([low, high]))]
    # the side of the sign counts, and zero is the clearest cut
    if ends[0] < 0 < ends[1]:
        return low.dtype.type(0)
    return from_ordinals([sum(ends) // 2], low.dtype)[0]


def _cut(errors: Any, places: Any, price: float) -> tuple[float, list[tuple[int, int]]]:
    """Return the least sum of errors of consecutive pieces, and for each piece its form and end."""
    count = errors.shape[1]
    sums = np.concatenate([np.zeros((len(errors), 1)), np.cumsum(errors, axis=1)], axis=1)
    # no cut between equal values
    allowed = np.ones(count + 1, bool)
    allowed[1:count] = places[1:] > places[:-1]
    best = np.where(np.arange(count + 1) == 0, 0.0, np.inf)
    chosen = []
    results: list[float] = []
    for _ in range(_MOST_PIECES):
        start_costs = np.where(allowed, best, np.inf)[None, :] - sums
        running = np.minimum.accumulate(start_costs, axis=1)
        totals = sums[:, 1:] + running[:, :-1]
        forms = totals.argmin(axis=0)
        best = np.concatenate([[np.inf], totals[forms, np.arange(count)]])
        chosen.append((forms, start_costs, running))
        results.append(best[count] + price * len(results))
    pieces = int(np.argmin(results))
    ends, end = [], count
    for k in range(pieces, -1, -1):
        forms, start_costs, running = chosen[k]
        form = int(forms[end - 1])
        ends.append((form, end))
        end = int(np.flatnonzero(start_costs[form, :end] <= running[form, end - 1])[0])
    return float(results[pieces]), ends[::-1]


def refined(
    pieces: Pieces, known: Known, truth: Callable[[dict[str, float]], float | None]
) -> Pieces:
    """Return the pieces with cuts that bisection has moved, where an input is compared."""
    if pieces.by.op is not INPUT:
        return pieces
    cuts = [_moved(pieces, k, known, truth) for k in range(len(pieces.cuts))]
    return Pieces(pieces.by, pieces.forms, tuple(cuts), pieces.total)


def _moved(
    pieces: Pieces, k: int, known: Known, truth: Callable[[dict[str, float]], float | None]
) -> float:
    """Return a cut, moved to where the form below becomes worse than the one above."""
    name, dtype = pieces.by.value, known.true.dtype
    column = known.inputs[name]
    cut = dtype.type(pieces.cuts[k])
    below, above = column[column <= cut], column[column > cut]
    if not len(below) or not len(above):
        return pieces.cuts[k]
    low, high = (int(o) for o in to_ordinals(np.array([below.max(), above.min()])))
    near = np.argsort(
        np.abs(to_ordinals(column).astype(float) - float(to_ordinals(np.array([cut]))[0]))
    )
    rows = near[: 1 if len(known.inputs) == 1 else _ROWS]
    for _ in range(_HALVINGS):
        if high - low < 2:
            break
        middle = (low + high) // 2
        better = _below_is_better(pieces, k, middle, rows, known, truth)
        if better is None:
            return pieces.cuts[k]
        if better:
            low = middle
        else:
            high = middle
    return float(from_ordinals([low], dtype)[0])


def _below_is_better(
    pieces: Pieces,
    k: int,
    place: int,
    rows: Any,
    known: Known,
    truth: Callable[[dict[str, float]], float | None],
) -> bool | None:
    name, dtype = pieces.by.value, known.true.dtype
    at = from_ordinals([place], dtype)[0]
    points, true = [], []
    for row in rows:
        point = {n: float(v[row]) for n, v in known.inputs.items()} | {name: float(at)}
        value = truth(point)
        if value is not None:
            points.append(point)
            true.append(value)
    if not points:
        return None
    columns = {n: np.array([p[n] for p in points], dtype) for n in known.inputs}
    here = Known(columns, np.array(true, dtype), np.zeros(len(true)))
    values = Values(here)
    first, second = (values.errors(pieces.forms[j]).sum() for j in (k, k + 1))
    return bool(first <= second)
