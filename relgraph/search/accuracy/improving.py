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

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.traversal import graph_inputs
from relgraph.search.accuracy.candidates import SEARCHED, Found, search_forms
from relgraph.search.accuracy.derivation import Derivation, ReplayError, Step, derivation
from relgraph.search.accuracy.expressions import (
    CONDITIONS,
    Expr,
    NotSupported,
    apply,
    from_graph,
    inputs_of,
    name_of,
    named,
    number,
)
from relgraph.search.accuracy.forms import NEAR, SAME, Form, Improvement, cheap_forms, front_of
from relgraph.search.accuracy.notation.formulas import FormulaError, parsed
from relgraph.search.accuracy.notation.fpcore import Core
from relgraph.search.accuracy.regimes import Pieces
from relgraph.search.accuracy.table import Values
from relgraph.search.accuracy.timing import Time, times_of
from relgraph.search.accuracy.truth.clock import worked
from relgraph.search.accuracy.truth.sampling import Sampler
from relgraph.search.accuracy.truth.settling import Known

Array = np.ndarray[Any, Any]

_SAMPLING = 8.0
"""Seconds that the points take at most."""

_TIMED = 10
"""How many forms are measured beside the input."""


def improve(
    outputs: Any,
    inputs: Sequence[Variable] | None = None,
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
    over the bit patterns of the floats of the domain, with more of ordinary size to choose among
    forms; or given. A constant stands for the decimal that it is written as, and for π or e if it
    is the float nearest to these.

    Parameters
    ----------
    outputs
        An elementwise expression of floats: a variable, a text in Python's syntax, or a `Core` of
        `from_fpcore`; or a list.
    inputs
        The variables that it is computed of; those of the graph by default.
    domain
        The inputs for which it is asked: a text such as ``"x > 0"``, a variable that is a condition
        on the inputs, or the least and the largest value of each input by name; all floats by
        default.
    points
        Values to measure errors on, in place of random ones: an array for each input, by name or in
        order. Half of them are used to choose, the other half to report.
    laws
        Laws of your own that may be applied too.
    dtype
        ``"float64"`` or ``"float32"``: what is computed in; that of the inputs by default.
    seconds
        How long the search may take, beside the points: seconds of the processor's work for it.
    samples
        How many points forms are chosen with.
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
        If a text is no formula, or the domain no condition.
    EmptyDomain
        If no point of the domain has a true value.
    """
    if isinstance(outputs, list | tuple):
        options: dict[str, Any] = {
            "points": points, "laws": laws, "dtype": dtype, "seconds": seconds, "samples": samples
        }  # fmt: skip
        return [improve(o, inputs, domain, seed=seed, **options) for o in outputs]
    problem = _problem(outputs, inputs, dtype)
    if domain is None and isinstance(outputs, Core):
        condition = outputs.domain
    else:
        condition = _condition(domain, *problem[1:3])
    return _improvement(*problem, condition, points, tuple(laws), seconds, samples, seed)


def _improvement(
    expr: Expr,
    variables: Sequence[Any],
    names: Sequence[str],
    kind: str,
    condition: Expr | None,
    points: Any,
    laws: tuple[Law, ...],
    seconds: float,
    samples: int,
    seed: int,
) -> Improvement:
    """Return what is found for an expression; see `improve`."""
    sampler = Sampler(expr, names, condition, kind, seed)
    began = worked()
    chosen_with, reported = _points(sampler, points, names, samples)
    sampled = worked()
    found = search_forms(expr, sampler, chosen_with, laws, sampled + seconds)
    maker = _Maker(expr, found, variables, tuple(names), kind, reported)
    searched = worked()
    forms, best = maker.front()
    original = maker.form(expr)
    spent = {"points": sampled - began, **found.seconds, "times": worked() - searched}
    return Improvement(original, forms, reported, condition, spent, found.stopped, best)


class _Maker:
    """Makes the forms that are returned of the expressions that were found."""

    def __init__(
        self,
        expr: Expr,
        found: Found,
        variables: Sequence[Any],
        names: tuple[str, ...],
        dtype: str,
        reported: Known,
    ) -> None:
        self._expr, self._found = expr, found
        self._variables, self._names, self._dtype = tuple(variables), names, dtype
        self._values = Values(reported)
        self._derivations: dict[Expr, Derivation] = {}
        self._times: dict[Expr, Time] = {}

    def front(self) -> tuple[tuple[Form, ...], int]:
        """Return the forms that are better than all faster ones on points that were not used to
        find them, and which of these is the best."""
        finalists: dict[Expr, Pieces | None] = {p.expr: p for p in self._found.pieces}
        finalists |= dict.fromkeys((c.expr for c in self._found.forms), None)
        with np.errstate(all="ignore"):
            errors = {e: self._values.errors(e) for e in (*finalists, self._expr)}
        means = {e: float(found.mean()) for e, found in errors.items()}
        measured = dict.fromkeys([self._expr, *cheap_forms(finalists, means, _TIMED)])
        self._times = times_of(measured, self._values.points)
        gains = [
            e for e in measured if self._gains(e, errors) and self._is_derived(e, finalists.get(e))
        ]
        front = front_of(gains, means, self._times)
        best = [e for e in front if self._is_as_good(e, front[0], errors)][-1]
        return tuple(self.form(e, finalists.get(e)) for e in front), front.index(best)

    def _gains(self, expr: Expr, errors: Mapping[Expr, Array]) -> bool:
        """Return whether a form errs less than the input, or is faster, by more than the noise.

        What seems a little better at some points may be worse at others.
        """
        if expr is self._expr or self._times[expr].is_less_than(self._times[self._expr]):
            return True
        saved = errors[self._expr] - errors[expr]
        return bool(saved.mean() > max(SAME, 2 * saved.std() / np.sqrt(len(saved))))

    def _is_as_good(self, expr: Expr, least: Expr, errors: Mapping[Expr, Array]) -> bool:
        """Return whether a form is as good as the one that errs least.

        For speed a little error is taken, but none that the input has not: neither in the mean nor
        where it is right.
        """
        if expr is least:
            return True
        given, found = errors[self._expr], errors[expr]
        is_right = given <= 1
        spares = not is_right.any() or found[is_right].mean() <= given[is_right].mean() + SAME
        return bool(spares and found.mean() <= min(errors[least].mean() + NEAR, given.mean()))

    def form(self, expr: Expr, pieces: Pieces | None = None) -> Form:
        """Return an expression as a form."""
        with np.errstate(all="ignore"):
            errors = self._values.errors(expr)
        derivations = tuple(self._derivation(e) for e in _parts(expr, pieces))
        return Form(
            expr,
            float(errors.mean()),
            errors,
            derivations,
            pieces,
            self._times[expr],
            self._variables,
            self._names,
            self._dtype,
        )

    def _is_derived(self, expr: Expr, pieces: Pieces | None) -> bool:
        """Return whether the steps to a form can be said: some take too many."""
        try:
            for e in _parts(expr, pieces):
                self._derivation(e)
        except ReplayError:
            return False
        return True

    def _derivation(self, expr: Expr) -> Derivation:
        if expr not in self._derivations:
            self._derivations[expr] = self._derived(expr)
        return self._derivations[expr]

    def _derived(self, expr: Expr) -> Derivation:
        if expr in self._found.near and expr not in self._found.found_by:
            step = Step("series", (), self._expr, expr, detail=self._found.near[expr])
            return Derivation(self._expr, (step,))
        search = self._found.found_by[expr]
        graph = search.graph
        mine = graph.add(expr)
        if mine is search.root:
            return derivation(graph, self._expr, expr)
        for series, where in self._found.series.items():
            if graph.find(series) is mine:
                first = Step("series", (), self._expr, series, detail=where)
                return Derivation(self._expr, (first, *derivation(graph, series, expr)))
        raise AssertionError(f"{expr} was found by no way that is known")


def _parts(expr: Expr, pieces: Pieces | None) -> list[Expr]:
    """Return the forms of the pieces of the domain, each once; the form itself if it is one."""
    return [expr] if pieces is None else list(dict.fromkeys(pieces.forms))


# -- what was asked --------------------------------------------------------------------------------


def _problem(
    output: Any, inputs: Sequence[Variable] | None, dtype: str | None
) -> tuple[Expr, list[Any], list[str], str]:
    """Return an expression, the variables that it is computed of, their names, and the dtype."""
    if isinstance(output, str | Core):
        expr = parsed(output) if isinstance(output, str) else output.expr
        if expr.op in CONDITIONS:
            raise FormulaError(f"{output!r} is a condition, and has no error in bits")
        names = inputs_of(expr) if isinstance(output, str) else list(output.inputs)
        kind = dtype or "float64"
        variables = [at.TensorType(kind, (None,))(n) for n in names]
        return expr, variables, names, kind
    if not isinstance(output, Variable):
        raise TypeError(f"{output!r} is neither a variable nor a text")
    if inputs is None:
        inputs = [v for v in graph_inputs([output]) if not isinstance(v, Constant)]
    kinds = {v.type.dtype for v in inputs} or {output.type.dtype}
    kind = dtype or (kinds.pop() if len(kinds) == 1 else "float64")
    if kind not in ("float64", "float32"):
        raise NotSupported(f"errors are measured in float64 and float32, not in {kind}")
    names = _different([name_of(v, k) for k, v in enumerate(inputs)])
    return from_graph(output, inputs, names), list(inputs), names, kind


def _different(names: Sequence[str]) -> list[str]:
    """Return names that differ."""
    found: list[str] = []
    for name in names:
        other, k = name, 2
        while other in found:
            other, k = f"{name}_{k}", k + 1
        found.append(other)
    return found


def _condition(domain: Any, variables: Sequence[Any], names: Sequence[str]) -> Expr | None:
    """Return the domain as an expression.

    Raises
    ------
    NotSupported
        If it has inputs that the expression does not have.
    """
    if domain is None:
        return None
    if isinstance(domain, str):
        found = parsed(domain)
        if found.op not in CONDITIONS:
            raise FormulaError(f"the domain {domain!r} is no condition, as x > 0 is")
    elif isinstance(domain, Variable):
        found = from_graph(domain, variables, names)
    elif isinstance(domain, Mapping):
        found = _box(domain, variables, names)
    else:
        raise TypeError(f"a domain is a text, a condition or bounds by name, not {domain!r}")
    others = set(inputs_of(found)) - set(names)
    if others:
        raise NotSupported(f"the domain has {', '.join(sorted(others))}, which is no input")
    return found


def _box(domain: Mapping[Any, Any], variables: Sequence[Any], names: Sequence[str]) -> Expr:
    found = number(1)
    for key, (low, high) in domain.items():
        name = key if isinstance(key, str) else names[list(variables).index(key)]
        inside = apply("le", number(low), named(name)), apply("le", named(name), number(high))
        for one in inside:
            found = one if found.op == "number" else apply("and_", found, one)
    return found


def _points(
    sampler: Sampler, points: Any, names: Sequence[str], samples: int
) -> tuple[Known, Known]:
    """Return the points that find forms, and those that compare the few that are left, on which
    errors are reported too."""
    if points is not None:
        known = sampler.with_truth(_columns(points, names))
        others = known.taken(slice(1, None, 2)) if len(known) > 1 else known
        return known.taken(slice(0, None, 2)), others
    chosen_with = sampler.points(samples, _SAMPLING)
    reported = sampler.points(samples, _SAMPLING)
    ordinary = sampler.ordinary_points(samples // 8, _SAMPLING / 4)
    if ordinary is not None:
        # a few of them are among the first, which guide the search
        few = ordinary.taken(slice(0, SEARCHED // 5))
        chosen_with = few.with_more(chosen_with).with_more(ordinary)
    more = sampler.ordinary_points(samples // 16, _SAMPLING / 4)
    if more is not None:
        reported = reported.with_more(more)
    return chosen_with, reported


def _columns(points: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(points, Mapping):
        missing = [n for n in names if n not in points]
        if missing:
            raise ValueError(f"the points have no values of {', '.join(missing)}")
        return {n: np.ravel(points[n]) for n in names}
    arrays = [np.ravel(p) for p in points]
    if len(arrays) != len(names):
        raise ValueError(f"the points have {len(arrays)} columns for {len(names)} inputs")
    return dict(zip(names, arrays, strict=True))
