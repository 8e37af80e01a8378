"""Forms of an expression: by laws, by series, and by pieces of the domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import relations
from relations.cancellation import differences, hypotenuses, inverses, near_zero, quadratics
from relgraph.graph.kanren.laws import Law
from relgraph.search.accuracy.egraph.equations import Equation, equations_of
from relgraph.search.accuracy.egraph.patterns import NotTranslated
from relgraph.search.accuracy.expressions import (
    INPUT,
    NUMBER,
    Expr,
    apply,
    inputs_of,
    named,
    parts,
    written,
)
from relgraph.search.accuracy.identities import IDENTITIES
from relgraph.search.accuracy.regimes import Pieces, best_pieces, refined
from relgraph.search.accuracy.saturation import Search
from relgraph.search.accuracy.series.centers import centers
from relgraph.search.accuracy.series.expansion import expansions, expansions_at
from relgraph.search.accuracy.table import Candidate, Values, cost_of
from relgraph.search.accuracy.truth.clock import Deadline, worked
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
    *inverses.HALF_ANGLES,
    *inverses.GUDERMANNIAN,
    *near_zero.FUNCTIONS,
    *near_zero.QUOTIENTS,
    *quadratics.QUADRATICS,
)
"""The laws of the book against cancellation."""

CONDITIONAL = tuple(
    one
    for one in dict.fromkeys((*relations.CANONICALIZE, *relations.STABILIZE, *relations.SPECIALIZE))
    if isinstance(one, Law) and one.conditions and one not in CANCELLATION
)
"""The other laws of the book that ask something: what holds of signs, numbers or dtypes alone."""


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
        found += _translated(law)
    for law in CONDITIONAL:
        # what asks nothing of floats is an identity too, and larger forms crowd out others
        asking = [e for e in _translated(law) if e.conditions is not None]
        found += [e for e in asking if e.shrinks and not e.backward]
    return tuple(found)


def _translated(law: Law) -> list[Equation]:
    try:
        return equations_of(law)
    except NotTranslated:
        return []


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
        The series that the search was given, and where each is one.
    near
        Those near other places, which are forms as they are.
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
    near: dict[Expr, str]
    found_by: dict[Expr, Search]
    seconds: dict[str, float]
    stopped: str


def search_forms(
    expr: Expr, sampler: Sampler, known: Known, laws: tuple[Law, ...], end: Deadline
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
            if len(bad) < _FEW or end.is_over:
                break
            # the points that nothing serves yet guide the next search
            guiding = known.taken(np.concatenate([np.arange(SEARCHED - _NEW), _spread(bad)]))
        places = centers(expr, known, np.min([f.errors for f in forms], axis=0))
        near = _series_near(expr, places)
        forms += [Candidate(e, values.errors(e), exact=False) for e in near if e not in found_by]
        searched = worked()
        forms.sort(key=lambda c: (c.mean, cost_of(c.expr)))
        by = [*branch_expressions(expr), *distances(places)]
        pieces = _pieces(by, forms, values, sampler)
    finished = worked()
    seconds = {"search": searched - began, "pieces": finished - searched}
    return Found(forms, pieces, series, near, found_by, seconds, stopped)


def _series(expr: Expr) -> dict[Expr, str]:
    """Return the first partial sums of the series of an expression, and what each is."""
    found: dict[Expr, str] = {}
    for where, sums in expansions(expr, inputs_of(expr)).items():
        _number_terms(found, where, sums)
    return found


def _series_near(expr: Expr, places: Iterable[tuple[str, Expr]]) -> dict[Expr, str]:
    """Return the same of series in an input at places where it has some value."""
    found: dict[Expr, str] = {}
    for name, center in places:
        _number_terms(found, f"{name} = {written(center)}", expansions_at(expr, name, center))
    return found


def _number_terms(found: dict[Expr, str], where: str, sums: Sequence[Expr]) -> None:
    for count, e in enumerate(sums, 1):
        found.setdefault(e, f"at {where} ({count} term{'s' * (count > 1)})")


def _spread(places: Any) -> Any:
    """Return a few of many places, all over them."""
    return places[np.linspace(0, len(places) - 1, min(_NEW, len(places))).astype(int)]


def _pieces(
    by: Sequence[Expr], forms: list[Candidate], values: Values, sampler: Sampler
) -> list[Pieces]:
    """Return the best cuts of the domain, and the best that have fewer pieces."""
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


def distances(places: Iterable[tuple[str, Expr]]) -> list[Expr]:
    """Return how far inputs are from places, and how far beside the place itself."""
    found = []
    for name, center in places:
        apart = apply("abs", apply("sub", named(name), center))
        found += [apart] if center.op is NUMBER else [apart, apply("true_div", apart, center)]
    return found
