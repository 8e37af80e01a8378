"""Forms of an expression: by laws, by series, and by pieces of the domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from relations.cancellation import differences, hypotenuses, inverses, near_zero, quadratics
from relgraph.graph.kanren.laws import Law
from relgraph.search.accuracy.egraph.patterns import Equation, NotTranslated, equations_of
from relgraph.search.accuracy.expressions import INPUT, NUMBER, Expr, apply, inputs_of, named, parts
from relgraph.search.accuracy.identities import IDENTITIES
from relgraph.search.accuracy.regimes import Pieces, best_pieces, refined
from relgraph.search.accuracy.saturation import Search
from relgraph.search.accuracy.series.power_series import expansions
from relgraph.search.accuracy.table import Candidate, Values, cost_of
from relgraph.search.accuracy.truth.clock import worked
from relgraph.search.accuracy.truth.sampling import Sampler
from relgraph.search.accuracy.truth.settling import Known

SEARCHED = 40
"""Points that guide the search; all the others choose among what it found."""

_ROUNDS, _NODES, _SEARCHES = 8, 2000, 3

_BAD, _FEW, _NEW = 6.0, 3, 16
"""From how many bits of error on a point is bad; how many bad ones, and no fewer, begin another
search; and how many of them guide it."""

_DEARER = 6.0
"""How much more a piece has to save in the form with fewer of them."""

CANCELLATION: tuple[Law, ...] = (
    *differences.ROOTS,
    *differences.RECIPROCALS,
    *differences.LOGARITHMS,
    *differences.POWERS,
    *differences.EXPONENTIALS,
    *differences.ANGLES,
    *differences.ARCS,
    *differences.OF_SQUARES,
    *hypotenuses.LENGTHS,
    *hypotenuses.ONES_AND_SQUARES,
    *inverses.NEAR_ONE,
    *inverses.OF_LOGARITHMS,
    *inverses.GUDERMANNIAN,
    *near_zero.FUNCTIONS,
    *near_zero.QUOTIENTS,
    *quadratics.QUADRATICS,
)
"""The laws of the book against cancellation; those with conditions are left to the optimizers."""


@cache
def equations(laws: tuple[Law, ...] = ()) -> tuple[Equation, ...]:
    """Return the directions of the laws that the search applies: those of the book, and others.

    Raises
    ------
    NotTranslated
        If one of the others says more than equations of elementwise ops do.
    """
    found = [e for law in laws for e in equations_of(law)]
    for law in (*IDENTITIES, *CANCELLATION):
        try:
            found += equations_of(law)
        except NotTranslated:
            continue
    return tuple(found)


@dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes
    ----------
    forms
        Forms, with their errors at the points that choose.
    pieces
        Cuts of the domain that pay, the best one first.
    series
        The series that were tried, and where each is one.
    found_by
        For each form the search that found it, which knows how.
    seconds
        How long each part took.
    stopped
        Why the search ended.
    """

    forms: list[Candidate]
    pieces: list[Pieces]
    series: dict[Expr, str]
    found_by: dict[Expr, Search]
    seconds: dict[str, float]
    stopped: str


def search_forms(
    expr: Expr, sampler: Sampler, known: Known, laws: tuple[Law, ...], end: float
) -> Found:
    """Return forms of an expression.

    Parameters
    ----------
    expr
        The expression.
    sampler
        Knows true values.
    known
        The points.
    laws
        Laws beside those of the book.
    end
        When to stop.
    """
    began = worked()
    values, series = Values(known), _series(expr)
    found_by: dict[Expr, Search] = {}
    guiding = known.taken(slice(0, SEARCHED))
    with np.errstate(all="ignore"):
        for _ in range(_SEARCHES):
            search = Search(expr, sampler.closer(guiding), equations(laws), _NODES)
            for e in series:
                search.suggest(expr, e)
            stopped = search.run(_ROUNDS, end)
            for e in (expr, *(c.expr for c in search.table.of(search.root))):
                found_by.setdefault(e, search)
            forms = [Candidate(e, values.errors(e)) for e in found_by]
            bad = np.flatnonzero(np.min([f.errors for f in forms], axis=0) > _BAD)
            if len(bad) < _FEW or worked() > end:
                break
            # the points that nothing serves yet guide the next search
            guiding = known.taken(np.concatenate([np.arange(SEARCHED - _NEW), _spread(bad)]))
        searched = worked()
        forms.sort(key=lambda c: (c.mean, cost_of(c.expr)))
        pieces = _pieces(expr, forms, values, sampler)
    finished = worked()
    seconds = {"search": searched - began, "pieces": finished - searched}
    return Found(forms, pieces, series, found_by, seconds, stopped)


def _series(expr: Expr) -> dict[Expr, str]:
    """Return the first partial sums of the series of an expression, and what each is."""
    found: dict[Expr, str] = {}
    for where, sums in expansions(expr, inputs_of(expr)).items():
        for count, e in enumerate(sums, 1):
            found.setdefault(e, f"at {where} ({count} term{'s' * (count > 1)})")
    return found


def _spread(places: Any) -> Any:
    """Return a few of many places, all over them."""
    return places[np.linspace(0, len(places) - 1, min(_NEW, len(places))).astype(int)]


def _pieces(expr: Expr, forms: list[Candidate], values: Values, sampler: Sampler) -> list[Pieces]:
    """Return the best cuts of the domain, and the best that have fewer pieces."""
    by = branch_expressions(expr)
    found = [best_pieces(forms, by, values), best_pieces(forms, by, values, price=_DEARER)]
    kept: list[Pieces] = []
    for pieces in found:
        if pieces is not None:
            moved = refined(pieces, values.points, sampler.truth_at)
            kept += [p for p in (moved, pieces) if p not in kept]
    return kept


def branch_expressions(expr: Expr) -> list[Expr]:
    """Return what a domain is cut along: the inputs, their ratios, small parts of the expression,
    and the magnitudes of these."""
    inputs = [named(n) for n in inputs_of(expr)]
    others = [e for e in parts(expr) if e.op not in (INPUT, NUMBER) and e.size < 12]
    ratios = [apply("true_div", a, b) for k, a in enumerate(inputs) for b in inputs[k + 1 :]]
    found = [*inputs, *others[:12], *ratios[:6]]
    return found + [apply("abs", e) for e in found if e.op != "abs"]
