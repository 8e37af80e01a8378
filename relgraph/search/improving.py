"""`improve`: forms of an expression with less rounding error, and what each costs.

Panchekha, Sanchez-Stern, Wilcox and Tatlock, Automatically improving accuracy for floating point
expressions (2015), is the method: sample, find where bits are lost, rewrite there, expand in
series, cut the domain. Here the forms stand in an e-graph, so that what is found for one part
serves all forms, and every form by laws alone comes with its derivation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.formulas.expressions import (
    Expr,
    apply,
    conditions_in,
    numbers_by_name,
    without_decided_choices,
)
from relgraph.formulas.problems import Problem, problem_of
from relgraph.formulas.true_values import EmptyDomain, Known, Sampler
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.opt import Derivation
from relgraph.graph.utils import Deadline, worked
from relgraph.search.candidates import SEARCHED, Found, Pieces, search_forms
from relgraph.search.derivation import Instance, ReplayError, derivation, instances
from relgraph.search.improvement import (
    NEAR,
    SAME,
    Form,
    Improvement,
    front_of,
    is_cheaper,
    times_of,
)
from relgraph.search.refinement import Search, Values

Array = np.ndarray[Any, Any]

_SAMPLING = 8.0
"""Seconds that the points take at most."""


def improve(
    outputs: Any,
    inputs: Sequence[Variable | str] | None = None,
    domain: Any = None,
    *,
    points: Any = None,
    laws: Iterable[Law] = (),
    dtype: str | None = None,
    seconds: float = 6.0,
    samples: int = 512,
    seed: int = 0,
) -> Any:
    """Search for forms of an expression with less rounding error.

    Values are compared with true ones, from interval arithmetic with as many bits as are needed.
    An error is the logarithm of one and the number of floats between (bits). Points are uniform
    over the bit patterns of the floats of the domain, and a few of ordinary size; or given. Those
    on which errors are reported play no part in any choice. A constant represents the decimal that
    it is written as, or e, π, π/2 or π/4 if it is the float nearest to one of these.

    Parameters
    ----------
    outputs
        An elementwise expression of floats: a variable, a text in Python's syntax, or a `Core` of
        `from_fpcore`; or what `problem_of` makes of one, with its inputs; or a list.
    inputs
        The variables that it is computed of, in order; those of the graph by default. Of a text
        names or variables: what is declared here is an input, ``e`` and ``pi`` too.
    domain
        The inputs for which it is asked: a text such as ``"x > 0"``, a variable that is a condition
        on the inputs, or the least and the largest value of each input by name; all floats by
        default.
    points
        Values to measure errors on, in place of random ones: an array for each input, by name or in
        order. Half of them are used to choose, the other half to report, two at least.
    laws
        Laws of your own that may be applied too.
    dtype
        ``"float64"`` or ``"float32"``: what is computed in; that of the inputs by default.
    seconds
        How long the search may take, beside the points: seconds of the processor's work for it.
    samples
        How many points forms are searched with, and as many the last choice among them is made
        with; errors are reported on half as many.
    seed
        Of the random points.

    Returns
    -------
    found
        An `Improvement`: its `best` form, and the `front`, by error and time. Of a list a list.

    Raises
    ------
    NotSupported
        If the expression has ops that are not elementwise functions of real numbers.
    FormulaError
        If a text is no formula, or the domain no condition: before any search begins.
    EmptyDomain
        If no point of the domain has a true value.
    """
    several = isinstance(outputs, list | tuple)
    others = tuple(points) if isinstance(points, Mapping) else ()
    problems = [
        one if isinstance(one, Problem) else problem_of(one, inputs, domain, dtype, others)
        for one in (outputs if several else [outputs])
    ]
    found = [_improvement(p, points, tuple(laws), seconds, samples, seed) for p in problems]
    return found if several else found[0]


def _improvement(
    problem: Problem,
    points: Any,
    laws: tuple[Law, ...],
    seconds: float,
    samples: int,
    seed: int,
) -> Improvement:
    """Return what is found for a problem; see `improve`."""
    expr, names = problem.expr, problem.names
    sampler = Sampler(expr, names, problem.domain, problem.dtype, seed)
    began = worked()
    try:
        searching, deciding, reported = _points(sampler, points, names, samples)
    except EmptyDomain as error:
        numbers = numbers_by_name(expr)
        if not numbers:
            raise
        taken = "; ".join(numbers)
        raise EmptyDomain(f"{error} ({taken}; inputs=[...] or --inputs declare inputs)") from error
    sampled = worked()
    found = search_forms(expr, sampler, searching, laws, Deadline(seconds))
    searched = worked()
    derivations = _Derivations(expr, found)
    front, best = _Choice(expr, found, derivations, Values(deciding)).front()
    times = times_of([expr, *(e for e, _ in front)], deciding)
    values = Values(reported)

    def form(e: Expr, pieces: Pieces | None) -> Form:
        with np.errstate(all="ignore"):
            errors = values.errors(e)
        steps = derivations.of(e, pieces)
        inputs = problem.variables, names, problem.dtype
        return Form(e, float(errors.mean()), errors, steps, pieces, times[e], *inputs)

    forms = tuple(form(*one) for one in front)
    spent = {"points": sampled - began, **found.seconds, "times": worked() - searched}
    return Improvement(
        form(expr, None), forms, reported, problem.domain, spent, found.stopped, best
    )


class _Choice:
    """The last choice, among the forms that were found and the input.

    Parameters
    ----------
    expr
        The input.
    found
        What was found.
    derivations
        How.
    values
        The values at points that were not used to find it, and on which nothing is reported.
    """

    def __init__(self, expr: Expr, found: Found, derivations: _Derivations, values: Values) -> None:
        self._expr, self._derivations = expr, derivations
        self._forms: dict[Expr, Pieces | None] = {p.expr: p for p in found.pieces}
        self._forms |= {c.expr: None for c in found.forms if c.expr not in found.branches}
        with np.errstate(all="ignore"):
            self._errors = {e: values.errors(e) for e in (*self._forms, expr)}
        self._means = {e: float(errors.mean()) for e, errors in self._errors.items()}

    def front(self) -> tuple[list[tuple[Expr, Pieces | None]], int]:
        """Return the forms that are better than all cheaper ones, with their pieces, and which of
        these is the best."""
        gains = {e: None for e in (*self._forms, self._expr) if self._gains(e)}
        front = front_of(gains, self._means)
        while refused := [e for e in front if not self._derivations.has(e, self._forms.get(e))]:
            for e in refused:
                del gains[e]
            front = front_of(gains, self._means)
        best = [e for e in front if self._is_as_good(e, front[0])][-1]
        return [(e, self._forms.get(e)) for e in front], front.index(best)

    def _gains(self, expr: Expr) -> bool:
        """Return whether a form errs less than the input by more than the noise, or is cheaper and
        does not err more.

        What seems a little better at some points may be worse at others.
        """
        if expr is self._expr:
            return True
        saved = self._errors[self._expr] - self._errors[expr]
        noise = max(SAME, 2 * saved.std() / np.sqrt(len(saved)))
        least = -noise if is_cheaper(expr, self._expr) else noise
        return bool(saved.mean() > least)

    def _is_as_good(self, expr: Expr, least: Expr) -> bool:
        """Return whether a form is as good as the one that errs least.

        A cheaper one may err a tenth of a bit more, in the mean and where the input is right, but
        in the mean no more than the input does.
        """
        if expr is least:
            return True
        given, found = self._errors[self._expr], self._errors[expr]
        is_right = given <= 1
        spares = not is_right.any() or found[is_right].mean() <= given[is_right].mean() + NEAR
        return bool(spares and found.mean() <= min(self._means[least] + NEAR, given.mean()))


class _Derivations:
    """How the forms of an expression follow from it, by what was found."""

    def __init__(self, expr: Expr, found: Found) -> None:
        self._expr, self._found = expr, found
        self._known: dict[Expr, Sequence[Instance]] = {}

    def has(self, expr: Expr, pieces: Pieces | None) -> bool:
        """Return whether the steps to a form can be said: some take too many."""
        try:
            for e in _parts(expr, pieces):
                self._steps(e)
        except ReplayError:
            return False
        return True

    def of(self, expr: Expr, pieces: Pieces | None) -> tuple[Derivation, ...]:
        """Return how a form follows; how that of each piece does, if the domain is cut."""
        return tuple(derivation(self._expr, self._steps(e)) for e in _parts(expr, pieces))

    def _steps(self, expr: Expr) -> Sequence[Instance]:
        if expr not in self._known:
            self._known[expr] = self._found_steps(expr)
        return self._known[expr]

    def _found_steps(self, expr: Expr) -> Sequence[Instance]:
        if expr in self._found.near and expr not in self._found.found_by:
            return (self._series(expr, self._found.near[expr]),)
        if expr in self._found.branches:
            whole = self._found.branches[expr]
            return (*self._steps(whole), Instance("branch", (), whole, expr))
        search, found = self._found.found_by[expr]
        last = () if found is expr else (self._decided(found, expr),)
        return (*self._steps_to(found, search), *last)

    def _decided(self, found: Expr, expr: Expr) -> Instance:
        """Return the step from a form to one without the choices that others decide, or else those
        that the domain decides too."""
        known: Iterable[tuple[Expr, bool]] = ()
        if without_decided_choices(found) is not expr:
            inside = set(conditions_in(found))
            known = ((c, holds) for c, holds in self._found.decided.items() if c in inside)
        conditions = tuple(c if holds else apply("invert", c) for c, holds in known)
        return Instance("decided-choices", (), found, expr, conditions=conditions)

    def _steps_to(self, found: Expr, search: Search) -> Sequence[Instance]:
        graph = search.graph
        mine = graph.add(found)
        if mine is search.root:
            return instances(graph, self._expr, found)
        for series, where in self._found.series.items():
            if graph.find(series) is mine:
                return (self._series(series, where), *instances(graph, series, found))
        raise AssertionError(f"{found} was found by no way that is known")

    def _series(self, expr: Expr, where: str) -> Instance:
        return Instance("series", (), self._expr, expr, detail=where)


def _parts(expr: Expr, pieces: Pieces | None) -> Sequence[Expr]:
    return [expr] if pieces is None else list(dict.fromkeys(pieces.forms))


# -- points ----------------------------------------------------------------------------------------


def _points(
    sampler: Sampler, points: Any, names: Sequence[str], samples: int
) -> tuple[Known, Known, Known]:
    """Return three sets of points: with the first forms are searched, with the second the last
    choice among these is made, and on the third, which plays no part in that, errors are reported.
    """
    if points is not None:
        known = sampler.with_truth(_columns(points, names))
        if len(known) < 2:
            raise EmptyDomain("one point has a true value, and there are no others to report on")
        choosing, reported = known.taken(slice(0, None, 2)), known.taken(slice(1, None, 2))
        deciding, searching = _third_of(choosing, first=2)
        return searching, deciding if len(deciding) else searching, reported
    searching = sampler.points(samples, _SAMPLING)
    others = sampler.points(samples + samples // 2 + 1, _SAMPLING)
    ordinary = sampler.ordinary_points(samples // 8, _SAMPLING / 4)
    if ordinary is not None:
        # a few of them are among the first, which guide the search
        few = ordinary.taken(slice(0, SEARCHED // 5))
        searching = few.with_more(searching).with_more(ordinary)
    more = sampler.ordinary_points(samples * 3 // 32, _SAMPLING / 4)
    if more is not None:
        others = others.with_more(more)
    reported, deciding = _third_of(others, first=0)
    return searching, deciding if len(deciding) else searching, reported


def _third_of(known: Known, first: int) -> tuple[Known, Known]:
    """Return every third of some points, from one on, and the others."""
    taken = np.arange(len(known)) % 3 == first
    return known.taken(taken), known.taken(~taken)


def _columns(points: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(points, Mapping):
        missing = [n for n in names if n not in points]
        if missing:
            raise ValueError(f"the points have no values of {', '.join(missing)}")
        columns = {n: np.ravel(points[n]) for n in names}
    else:
        arrays = [np.ravel(p) for p in points]
        if len(arrays) != len(names):
            raise ValueError(f"the points have {len(arrays)} columns for {len(names)} inputs")
        columns = dict(zip(names, arrays, strict=True))
    lengths = {n: len(c) for n, c in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the inputs have different numbers of points: {lengths}")
    return columns
