"""Candidates: forms of an expression by laws, by series, and by pieces of the domain.

The domain is cut along one input, or another part of the expression. The cuts are found by dynamic
programming over the points in the order of what is compared, and then moved by bisection between
the points on either side. Panchekha et al. (2015), section 4.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import relations
from relations.identities import DIFFERENCES, DISTRIBUTION, OF_NUMBERS
from relgraph.formulas.expansion import centers, expansions, expansions_at
from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    Expr,
    apply,
    branches_of,
    conditions_in,
    inputs_of,
    named,
    number,
    parts,
    without_decided_choices,
    written,
)
from relgraph.formulas.true_values import Known, Sampler
from relgraph.graph.kanren.laws import Law
from relgraph.graph.utils import Deadline, worked
from relgraph.scalar.type import from_ordinals, to_ordinals
from relgraph.search.equations import Equation, NotTranslated, equations_of
from relgraph.search.refinement import Candidate, Search, Values, cost_of

_MOST_PIECES, _FEW_PIECES = 6, 3
"""How many pieces there are at most, and how many without each more gaining a bit in the mean."""

HALF = 0.5
"""Mean bits of error that are not worth another piece, or one that is not about an input."""

_PRICE = 5.0
"""Bits, summed over the points, that one more piece has to save."""

_DEARNESS = 0.0003
"""Bits at each point that a form has to save for what it costs more than an addition of arrays:
pieces are not made of whatever form happens to be the best at a few points."""

_ROWS, _HALVINGS = 4, 12

_LOSS = 0.01
"""Mean bits of error that a cut of few digits may cost."""


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

    A cut is about an input, or its magnitude, where that costs less than half a bit.

    Parameters
    ----------
    candidates
        Forms, and their errors at the points of `values`.
    by
        What may be compared.
    values
        The values at the points.
    """
    if len(candidates) < 2:
        return None
    found = [
        _best_cut(candidates, [b for b in by if _is_about_input(b) is plain], values, price)
        for plain in (True, False)
    ]
    plain, other = found
    if plain is None or other is None:
        return plain or other
    return plain if plain.total <= other.total + HALF * len(values.points) else other


def _is_about_input(by: Expr) -> bool:
    """Return whether a condition on an expression is about an input, or its magnitude."""
    return by.op is INPUT or (by.op == "abs" and by.args[0].op is INPUT)


def _best_cut(
    candidates: Sequence[Candidate], by: Sequence[Expr], values: Values, price: float
) -> Pieces | None:
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
        more = max(0, len(results) + 1 - _FEW_PIECES)
        results.append(best[count] + price * len(results) + more * count)
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
    """Return the pieces with cuts that bisection has moved, and then rounded where that is as good,
    if an input or its magnitude is compared."""
    if not _is_about_input(pieces.by):
        return pieces
    along = _Along(pieces, known, truth)
    cuts = [along.moved(k) for k in range(len(pieces.cuts))]
    for k in range(len(cuts)):
        cuts[k] = along.rounded(k, cuts)
    return Pieces(pieces.by, pieces.forms, tuple(cuts), pieces.total)


class _Along:
    """The errors of pieces along an input, or its magnitude, near some points.

    Parameters
    ----------
    pieces
        The forms, and where the domain is cut.
    known
        The points.
    truth
        A function that returns the true value at a point, or None.
    """

    def __init__(
        self, pieces: Pieces, known: Known, truth: Callable[[dict[str, float]], float | None]
    ) -> None:
        self._pieces, self._known, self._truth = pieces, known, truth
        self._dtype = known.true.dtype
        (self._name,) = inputs_of(pieces.by)
        column = known.inputs[self._name]
        self._is_magnitude = pieces.by.op is not INPUT
        self._places = np.abs(column) if self._is_magnitude else column
        values = Values(known)
        self._errors = [values.errors(form) for form in pieces.forms]

    def moved(self, k: int) -> float:
        """Return a cut, moved to where the form below becomes worse than the one above."""
        cut = self._pieces.cuts[k]
        below, above = self._places[self._places <= cut], self._places[self._places > cut]
        if not len(below) or not len(above):
            return cut
        low, high = self._ordinals(below.max(), above.min())
        for _ in range(_HALVINGS):
            if high - low < 2:
                break
            middle = (low + high) // 2
            excess = self._excess(k, self._place(middle))
            if excess is None:
                return cut
            if excess <= 0:
                low = middle
            else:
                high = middle
        return self._place(low)

    def rounded(self, k: int, cuts: Sequence[float]) -> float:
        """Return a cut, moved to zero or to a number of few digits, if the form that is used there
        instead errs by no more than a bit more: a neighbouring float."""
        ends = (-math.inf, *cuts, math.inf)
        for near in _near(cuts[k]):
            if ends[k] < near < ends[k + 2] and self._is_as_good(k, cuts[k], near):
                return near
        return cuts[k]

    def _is_as_good(self, k: int, cut: float, near: float) -> bool:
        low, high = sorted(self._ordinals(near, cut))
        sign = 1 if near > cut else -1
        ends = [self._excess(k, at) for at in (near, self._place((low + high) // 2))]
        between = (self._places > min(near, cut)) & (self._places <= max(near, cut))
        lost = sign * (self._errors[k] - self._errors[k + 1])[between]
        return all(e is None or sign * e <= 1 for e in ends) and bool(
            (lost <= 1).all() and lost.sum() <= _LOSS * len(between)
        )

    def _excess(self, k: int, place: float) -> float | None:
        """Return by how many bits the form below a cut errs more than the one above, in the mean,
        where what is compared has some value; None if nothing is true there."""
        points, true = [], []
        for row in self._rows(place):
            for at in (place, -place) if self._is_magnitude else (place,):
                point = {n: float(v[row]) for n, v in self._known.inputs.items()}
                point[self._name] = float(at)
                value = self._truth(point)
                if value is not None:
                    points.append(point)
                    true.append(value)
        if not points:
            return None
        columns = {n: np.array([p[n] for p in points], self._dtype) for n in self._known.inputs}
        values = Values(Known(columns, np.array(true, self._dtype), np.zeros(len(true))))
        below, above = (values.errors(self._pieces.forms[j]).mean() for j in (k, k + 1))
        return float(below - above)

    def _rows(self, place: float) -> Any:
        """Return the points that are nearest."""
        (here,) = self._ordinals(place)
        near = np.argsort(np.abs(to_ordinals(self._places).astype(float) - float(here)))
        return near[: 1 if len(self._known.inputs) == 1 else _ROWS]

    def _ordinals(self, *places: float) -> list[int]:
        return [int(o) for o in to_ordinals(np.array(places, self._dtype))]

    def _place(self, ordinal: int) -> float:
        return float(from_ordinals([ordinal], self._dtype)[0])


def _near(cut: float) -> Iterator[float]:
    """Yield zero, and the numbers of one, two and three digits on both sides of a cut."""
    yield 0.0
    if cut and math.isfinite(cut):
        for digits in (1, 2, 3):
            unit = Decimal(1).scaleb(Decimal(cut).adjusted() - digits + 1)
            low = Decimal(cut) // unit * unit
            yield from map(float, (low, low + unit.copy_sign(Decimal(cut))))


SEARCHED = 40
"""Points that guide the search; all the others choose among what it found."""

_ROUNDS, _NODES, _SEARCHES = 8, 4200, 3

_SPLIT = 8
"""How many of the best forms are looked at for branches."""

_BAD, _FEW, _NEW = 6.0, 3, 16
"""From how many bits of error on a point is bad; how many bad ones, and no fewer, begin another
search; and how many of them guide it."""

_DEARER = 6.0
"""How much more a piece has to save in the form with fewer of them."""

CANCELLATION = tuple(one for one in relations.CANCELLATION if isinstance(one, Law))
"""The laws of the book against cancellation."""

_PHASES = (
    *(relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE),
    relations.UNCHECKED,
)
_BOOK = {one.name: one for phase in _PHASES for one in phase if isinstance(one, Law)}

OF_THE_BOOK = """
    abs-neg abs-nonnegative abs-product abs-quotient add-neg add-sub-cancel add-zero arctanh
    arctanh-log1p arctanh-mirrored cos-less-one cos-step cosh
    div-mul-cancel div-one div-self exp-div-exp exp-mul-exp exp-scaled-log expm1 expm1-log
    log-div log-exp log-mul log-one-by log-pow log1p-less-one log1p-less-x log1p-neg minus-one-mul
    mul-one mul-self mul-zero neg-expm1 neg-neg neg-sub neg-sub-sum one-by-exp
    pow-half pow-minus-one pow-one pow-three-halves pow-two sin-step sinh
    sqrt-exp sub-add-cancel sub-fractions sub-neg sub-own-difference sub-own-sum
    sub-self sub-zero tan tan-less-x tanh x-less-sin
    zero-div zero-sub
    odd-neg even-neg inverse inverse-nonnegative inverse-where-defined
"""
"""Names of laws of the book that are identities too, in both directions."""

BOTH_WAYS = (
    *DISTRIBUTION,
    *DIFFERENCES,
    *(_BOOK[name] for name in OF_THE_BOOK.split()),
)
"""The laws of the book that are used as identities are, in both directions."""

BY_NAMED_OPS = tuple(
    _BOOK[name]
    for name in (
        *("softplus", "softplus-log1p", "sigmoid-of-exp", "sigmoid-of-two"),
        *("log1p-neg-exp", "log-neg-expm1"),
    )
)
"""The laws of the book that write a formula as an op which rounds once."""

CONDITIONAL = tuple(
    one for one in _BOOK.values() if one.conditions and one not in (*CANCELLATION, *BOTH_WAYS)
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
    for law in BOTH_WAYS:
        found += equations_of(law, both_ways=True)
    for law in (*OF_NUMBERS, *CANCELLATION):
        found += [] if law in BOTH_WAYS else _translated(law)
    for law in BY_NAMED_OPS:
        found += [e for e in equations_of(law) if not e.backward]
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
    branches
        Branches of forms that choose, and of which form each is one. It may hold only where that
        form chooses it.
    found_by
        For each form the search that found it, which knows how, and what that found: the form with
        choices that others around them decide, or the domain.
    decided
        For some conditions whether they hold in all of the domain.
    seconds
        How long each part took.
    stopped
        Why the search ended.
    """

    forms: list[Candidate]
    pieces: list[Pieces]
    series: dict[Expr, str]
    near: dict[Expr, str]
    branches: dict[Expr, Expr]
    found_by: dict[Expr, tuple[Search, Expr]]
    decided: dict[Expr, bool]
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
    values, series = Values(known), _numbered(expansions(expr, inputs_of(expr)))
    found_by: dict[Expr, tuple[Search, Expr]] = {}
    decided: dict[Expr, bool] = {}
    guiding = known.taken(slice(0, SEARCHED))
    with np.errstate(all="ignore"):
        for _ in range(_SEARCHES):
            search = Search(expr, sampler.closer(guiding), equations(laws), _NODES)
            for e in series:
                search.suggest(expr, e)
            stopped = search.run(_ROUNDS, end)
            found_by.setdefault(expr, (search, expr))
            for e in (expr, *(c.expr for c in search.table.of(search.root))):
                found_by.setdefault(without_decided_choices(e), (search, e))
                decided |= _decided_in(sampler, e, decided)
                found_by.setdefault(without_decided_choices(e, decided), (search, e))
            forms = [Candidate(e, values.errors(e)) for e in found_by]
            bad = np.flatnonzero(np.min([f.errors for f in forms], axis=0) > _BAD)
            if len(bad) < _FEW or end.is_over:
                break
            # the points that nothing serves yet guide the next search
            guiding = known.taken(np.concatenate([np.arange(SEARCHED - _NEW), _spread(bad)]))
        branches = {b: e for b, e in _branches(forms).items() if b not in found_by}
        forms += [Candidate(e, values.errors(e), exact=False) for e in branches]
        places = centers(expr, known, np.min([f.errors for f in forms], axis=0))
        near = _numbered(
            {f"{name} = {written(c)}": expansions_at(expr, name, c) for name, c in places}
        )
        forms += [Candidate(e, values.errors(e), exact=False) for e in near if e not in found_by]
        searched = worked()
        forms.sort(key=lambda c: (c.mean, cost_of(c.expr)))
        by = [*branch_expressions(expr), *distances(places)]
        pieces = _pieces(by, forms, values, sampler)
    finished = worked()
    seconds = {"search": searched - began, "pieces": finished - searched}
    return Found(forms, pieces, series, near, branches, found_by, decided, seconds, stopped)


def _decided_in(sampler: Sampler, expr: Expr, known: Container[Expr]) -> dict[Expr, bool]:
    """Return the conditions in an expression that the domain decides, but for those that are known,
    and whether they hold."""
    found = {c: sampler.decided(c) for c in conditions_in(expr) if c not in known}
    return {c: holds for c, holds in found.items() if holds is not None}


def _branches(forms: Sequence[Candidate]) -> dict[Expr, Expr]:
    """Return the branches of the best forms that choose, and which form has each.

    A law asks what makes a branch right everywhere. A cut along an input may be as good, and is
    easier to read.
    """
    best = sorted(forms, key=lambda c: (c.mean, cost_of(c.expr)))[:_SPLIT]
    chosen = [c.expr for c in best if c.expr.op == "switch"]
    # of the forms with one branch that which is reached by the fewest laws is likely the cheapest
    chosen.sort(key=cost_of, reverse=True)
    return {e: form for form in chosen for e in branches_of(form)}


def _numbered(sums: Mapping[str, Iterable[Expr]]) -> dict[Expr, str]:
    """Return partial sums of series, and what each is, of those at each place."""
    found: dict[Expr, str] = {}
    for where, of_place in sums.items():
        for count, e in enumerate(of_place, 1):
            found.setdefault(e, f"at {where} ({count} term{'s' * (count > 1)})")
    return found


def _spread(places: Any) -> Any:
    """Return a few of many places, all over them."""
    return places[np.linspace(0, len(places) - 1, min(_NEW, len(places))).astype(int)]


def _pieces(
    by: Sequence[Expr], forms: list[Candidate], values: Values, sampler: Sampler
) -> list[Pieces]:
    """Return the best cuts of the domain, the best that have fewer pieces, and along an input those
    among the branches of the best forms; where these choose by something else than inputs, those
    among all forms that do not choose too."""
    found = [best_pieces(forms, by, values), best_pieces(forms, by, values, price=_DEARER)]
    inputs = [b for b in by if _is_about_input(b)]
    for form in [c.expr for c in forms if c.expr.op == "switch"][:_FEW_PIECES]:
        own = [Candidate(e, values.errors(e), exact=False) for e in branches_of(form)]
        found.append(best_pieces(own, inputs, values))
    best = [forms[0].expr] if found[0] is None else found[0].forms
    if any(not _is_about_inputs(e) for form in best for e in conditions_in(form)):
        plain = [c for c in forms if not conditions_in(c.expr)]
        found.append(best_pieces(plain, inputs, values))
    kept: list[Pieces] = []
    for pieces in found:
        if pieces is not None:
            moved = refined(pieces, values.points, sampler.truth_at)
            before, after = (float(values.errors(p.expr).mean()) for p in (pieces, moved))
            kept += [moved if after <= before + _LOSS * len(pieces.cuts) else pieces]
    return kept


def _is_about_inputs(condition: Expr) -> bool:
    """Return whether a comparison is about inputs, or their magnitudes, and numbers."""
    return all(a.op is NUMBER or _is_about_input(a) for a in condition.args)


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
