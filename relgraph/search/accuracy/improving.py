"""`improve`: forms of an expression with less rounding error, and what each costs.

Panchekha, Sanchez-Stern, Wilcox and Tatlock, Automatically improving accuracy for floating point
expressions (2015), is the method: sample, find where bits are lost, rewrite there, expand in
series, cut the domain. Here the forms stand in an e-graph, so that what is found for one part
serves all forms, and every form by laws alone comes with its derivation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.traversal import graph_inputs
from relgraph.search.accuracy.candidates import SEARCHED, Found, Pieces, search_forms
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
    numbers_by_name,
    written,
)
from relgraph.search.accuracy.forms import (
    NEAR,
    SAME,
    Form,
    Improvement,
    Time,
    cheap_forms,
    front_of,
    times_of,
)
from relgraph.search.accuracy.formulas import FormulaError, names_compared, parsed
from relgraph.search.accuracy.fpcore import Core
from relgraph.search.accuracy.saturation import Search, Values
from relgraph.search.accuracy.true_values import Deadline, EmptyDomain, Known, Sampler, worked


@dataclass(frozen=True, eq=False)
class Problem:
    """What is asked.

    Attributes
    ----------
    expr
        The expression.
    variables
        What it is computed of.
    names
        Their names in the expression.
    dtype
        What is computed in.
    domain
        The condition on the inputs, None if there is none.
    """

    expr: Expr
    variables: tuple[Variable, ...]
    names: tuple[str, ...]
    dtype: str
    domain: Expr | None


def problem_of(
    output: Any,
    inputs: Sequence[Variable | str] | None = None,
    domain: Any = None,
    dtype: str | None = None,
    others: Collection[str] = (),
) -> Problem:
    """Return what is asked by the arguments of `improve`.

    Parameters
    ----------
    output, inputs, domain, dtype
        See `improve`.
    others
        Names that are inputs if the expression is a text: those of which points are given.

    Raises
    ------
    NotSupported
        If it has other inputs or ops than there are.
    FormulaError
        If a text is no formula, or the domain no condition.
    """
    if isinstance(output, str):
        expr = parsed(output, {*_names_of(inputs), *_declared_by(domain), *others})
        found = _of_text(expr, inputs, dtype, inputs_of(expr))
    elif isinstance(output, Core):
        expr = output.expr
        found = _of_text(expr, inputs, dtype, output.inputs)
    elif isinstance(output, Variable):
        expr, variables, names, kind = _of_graph(output, inputs, dtype)
        found = variables, names, kind
    else:
        raise TypeError(f"{output!r} is neither a variable nor a text")
    if expr.op in CONDITIONS:
        raise FormulaError(f"{written(expr)!r} is a condition, and has no error in bits")
    if found[2] not in ("float64", "float32"):
        raise NotSupported(f"errors are measured in float64 and float32, not in {found[2]}")
    if domain is None and isinstance(output, Core):
        return Problem(expr, *found, output.domain)
    return Problem(expr, *found, _condition(domain, *found[:2]))


def _names_of(inputs: Sequence[Variable | str] | None) -> tuple[str, ...]:
    """Return the names of declared inputs of a text.

    Raises
    ------
    TypeError
        If one is neither a name nor a variable that has one.
    """
    if isinstance(inputs, str | Variable):
        raise TypeError(f"inputs are a list of names or variables, not {inputs!r}")
    names = [v if isinstance(v, str) else getattr(v, "name", None) for v in inputs or ()]
    for v, name in zip(inputs or (), names, strict=True):
        if not isinstance(name, str):
            raise TypeError(f"the input {v!r} of a text is neither a name nor a named variable")
    return tuple(map(str, names))


def _declared_by(domain: Any) -> set[str]:
    """Return the names that a domain shows to be inputs."""
    if isinstance(domain, str):
        return names_compared(domain)
    return {k for k in domain if isinstance(k, str)} if isinstance(domain, Mapping) else set()


def _of_text(
    expr: Expr, inputs: Sequence[Variable | str] | None, dtype: str | None, known: Sequence[str]
) -> tuple[tuple[Variable, ...], tuple[str, ...], str]:
    """Return the variables that the inputs of a text are, their names and the dtype."""
    names = tuple(known) if inputs is None else _names_of(inputs)
    unknown = [n for n in inputs_of(expr) if n not in names]
    if unknown:
        raise FormulaError(f"{written(expr)!r} has {', '.join(unknown)}, which is no input")
    if len(set(names)) < len(names):
        raise FormulaError(f"the inputs {', '.join(names)} have a name twice")
    given = [v for v in inputs or () if isinstance(v, Variable)]
    kind = dtype or _common_dtype(given) or "float64"
    made = (v if isinstance(v, Variable) else None for v in inputs or names)
    variables = (
        at.TensorType(kind, (None,))(n) if v is None else v
        for n, v in zip(names, made, strict=True)
    )
    return tuple(variables), names, kind


def _of_graph(
    output: Variable, inputs: Sequence[Any] | None, dtype: str | None
) -> tuple[Expr, tuple[Variable, ...], tuple[str, ...], str]:
    if inputs is None:
        inputs = [v for v in graph_inputs([output]) if not isinstance(v, Constant)]
    for v in inputs:
        if not isinstance(v, Variable):
            raise TypeError(f"the inputs of a graph are variables, not {v!r}")
    kind = dtype or _common_dtype(inputs or [output]) or "float64"
    names = _different([name_of(v, k) for k, v in enumerate(inputs)])
    return from_graph(output, inputs, names), tuple(inputs), names, kind


def _common_dtype(variables: Sequence[Any]) -> str | None:
    """Return the dtype of some variables, None if they have several."""
    kinds = {str(v.type.dtype) for v in variables}
    return kinds.pop() if len(kinds) == 1 else None


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ."""
    found: list[str] = []
    for name in names:
        other, k = name, 2
        while other in found:
            other, k = f"{name}_{k}", k + 1
        found.append(other)
    return tuple(found)


def _condition(domain: Any, variables: Sequence[Any], names: Sequence[str]) -> Expr | None:
    """Return the domain as an expression.

    Raises
    ------
    NotSupported
        If it has inputs that the expression does not have.
    """
    if domain is None or (isinstance(domain, Mapping) and not domain):
        return None
    if isinstance(domain, str):
        found = parsed(domain, names)
    elif isinstance(domain, Variable):
        found = from_graph(domain, variables, names)
    elif isinstance(domain, Mapping):
        found = _box(domain, variables, names)
    else:
        raise TypeError(f"a domain is a text, a condition or bounds by name, not {domain!r}")
    if found.op not in CONDITIONS:
        raise FormulaError(f"the domain {written(found)!r} is no condition, as x > 0 is")
    others = set(inputs_of(found)) - set(names)
    if others:
        raise NotSupported(f"the domain has {', '.join(sorted(others))}, which is no input")
    return found


def _box(domain: Mapping[Any, Any], variables: Sequence[Any], names: Sequence[str]) -> Expr:
    """Return the condition that inputs lie between bounds."""
    found = []
    for key, bounds in domain.items():
        known = [n for n, v in zip(names, variables, strict=True) if v is key]
        name = named(key if isinstance(key, str) else known[0] if known else str(key))
        try:
            low, high = (number(b if isinstance(b, Fraction) else float(b)) for b in bounds)
        except (TypeError, ValueError):
            raise FormulaError(f"the bounds of {key} are two numbers, not {bounds!r}") from None
        found += [apply("le", low, name), apply("le", name, high)]
    return reduce(lambda a, b: apply("and_", a, b), found)


Array = np.ndarray[Any, Any]

_SAMPLING = 8.0
"""Seconds that the points take at most."""

_TIMED = 10
"""How many forms are measured beside the input."""


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
    on which errors are reported play no part in any choice. A constant stands for the decimal that
    it is written as, and for e, π, π/2 or π/4 if it is the float nearest to one of these.

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
    times, front, best = _Choice(expr, found, derivations, Values(deciding)).front()
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
        self._forms |= dict.fromkeys((c.expr for c in found.forms), None)
        with np.errstate(all="ignore"):
            self._errors = {e: values.errors(e) for e in (*self._forms, expr)}
        self._means = {e: float(errors.mean()) for e, errors in self._errors.items()}
        measured = dict.fromkeys([expr, *cheap_forms(self._forms, self._means, _TIMED)])
        self._times = times_of(measured, values.points)

    def front(self) -> tuple[dict[Expr, Time], list[tuple[Expr, Pieces | None]], int]:
        """Return the times of some forms, those of them that are better than all faster ones with
        their pieces, and which of these is the best."""
        gains = [
            e
            for e in self._times
            if self._gains(e) and self._derivations.has(e, self._forms.get(e))
        ]
        front = front_of(gains, self._means, self._times)
        best = [e for e in front if self._is_as_good(e, front[0])][-1]
        return self._times, [(e, self._forms.get(e)) for e in front], front.index(best)

    def _gains(self, expr: Expr) -> bool:
        """Return whether a form errs less than the input by more than the noise, or is faster and
        does not err more.

        What seems a little better at some points may be worse at others.
        """
        if expr is self._expr:
            return True
        saved = self._errors[self._expr] - self._errors[expr]
        noise = max(SAME, 2 * saved.std() / np.sqrt(len(saved)))
        is_faster = self._times[expr].is_less_than(self._times[self._expr])
        return bool(saved.mean() > (-noise if is_faster else noise))

    def _is_as_good(self, expr: Expr, least: Expr) -> bool:
        """Return whether a form is as good as the one that errs least.

        For speed a tenth of a bit is taken, in the mean and where the input is right, but in the
        mean no more error than the input has.
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
        self._known: dict[Expr, Derivation] = {}

    def has(self, expr: Expr, pieces: Pieces | None) -> bool:
        """Return whether the steps to a form can be said: some take too many."""
        try:
            self.of(expr, pieces)
        except ReplayError:
            return False
        return True

    def of(self, expr: Expr, pieces: Pieces | None) -> tuple[Derivation, ...]:
        """Return the steps to a form; to that of each piece of the domain, if it is cut."""
        parts = [expr] if pieces is None else dict.fromkeys(pieces.forms)
        for e in parts:
            if e not in self._known:
                self._known[e] = self._derived(e)
        return tuple(self._known[e] for e in parts)

    def _derived(self, expr: Expr) -> Derivation:
        if expr in self._found.near and expr not in self._found.found_by:
            step = Step("series", (), self._expr, expr, detail=self._found.near[expr])
            return Derivation(self._expr, (step,))
        search, found = self._found.found_by[expr]
        steps = self._steps_to(found, search)
        last = () if found is expr else (Step("decided-choices", (), found, expr),)
        return Derivation(self._expr, (*steps, *last))

    def _steps_to(self, found: Expr, search: Search) -> tuple[Step, ...]:
        graph = search.graph
        mine = graph.add(found)
        if mine is search.root:
            return derivation(graph, self._expr, found).steps
        for series, where in self._found.series.items():
            if graph.find(series) is mine:
                first = Step("series", (), self._expr, series, detail=where)
                return (first, *derivation(graph, series, found))
        raise AssertionError(f"{found} was found by no way that is known")


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
