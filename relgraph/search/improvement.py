"""What `improve` returns: forms with their errors, times and derivations; a picture and a page."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.display.markup import cell, code, fragment, number_cell, table, whole_page
from relgraph.display.reports import derivation_html
from relgraph.formulas.expressions import (
    Expr,
    NotSupported,
    conditions_in,
    numbers_by_name,
    to_graph,
    written,
    written_in_lines,
)
from relgraph.formulas.fpcore import Core
from relgraph.formulas.parsing import NUMBERS, NUMBERS_ELSEWHERE
from relgraph.formulas.sources import LANGUAGES, source
from relgraph.formulas.true_values import MOST_BITS, Known
from relgraph.graph.opt import Derivation
from relgraph.scalar.type import to_ordinals
from relgraph.search.candidates import HALF, Pieces
from relgraph.search.derivation import Instance
from relgraph.search.refinement import cost_of

LENGTH = 10_000
"""Elements of the arrays."""

_REPEATS = 15


def times_of(exprs: Iterable[Expr], points: Known) -> dict[Expr, float]:
    """Return the nanoseconds that a function takes for an element, for each of some expressions, in
    the mode ``strict``: of four repeats, three take longer.

    It computes what is written, whose errors stand beside the time: other modes have laws of their
    own. The functions take turns, so that what else runs on the machine slows all of them.
    Compiling is not counted.

    Parameters
    ----------
    points
        Their inputs, again and again, are the values on which the functions are run.
    """
    values = {n: np.resize(v, LENGTH) for n, v in points.inputs.items()}
    functions = {e: _compiled(e, values) for e in dict.fromkeys(exprs)}
    arguments = list(values.values())
    taken: dict[Expr, list[float]] = {e: [] for e in functions}
    with np.errstate(all="ignore"):
        # what is set up by the first call is not counted
        for f in functions.values():
            f(*arguments)
        for _ in range(_REPEATS):
            for e, f in functions.items():
                began = time.perf_counter()
                f(*arguments)
                taken[e].append(time.perf_counter() - began)
    return {e: float(np.percentile(t, 25)) / LENGTH * 1e9 for e, t in taken.items()}


def _compiled(expr: Expr, values: Mapping[str, Any]) -> Any:
    inputs = {n: at.TensorType(v.dtype, (None,))(n) for n, v in values.items()}
    dtype = next((str(v.dtype) for v in values.values()), "float64")
    output = to_graph(expr, inputs, dtype)
    found = function(list(inputs.values()), output, mode="strict", on_unused_input="ignore")
    found.trust_input = True
    return found


NEAR, SAME = 0.1, 0.02
"""Bits of error that are not worth a dearer form, and that are no difference at all."""

_CLEARLY = 0.9
"""Costs are not known more exactly."""


@dataclass(frozen=True, eq=False)
class Form:
    """A form of an expression.

    Attributes
    ----------
    expr
        The expression.
    error
        The mean bits of error on points that played no part in any choice.
    errors
        The bits of error at each of these points.
    derivations
        The steps from the input; one derivation for each piece, if the domain is cut.
    pieces
        How the domain is cut, None if it is not.
    time
        How many nanoseconds an element of long arrays takes, measured; see `times_of`.
    inputs
        The variables it is computed of.
    names
        Their names in the expression.
    dtype
        The dtype of the inputs.
    """

    expr: Expr
    error: float
    errors: np.ndarray[Any, Any]
    derivations: tuple[Derivation, ...]
    pieces: Pieces | None
    time: float
    inputs: tuple[Any, ...]
    names: tuple[str, ...]
    dtype: str

    @property
    def cost(self) -> float:
        """About how long it takes, beside an addition of arrays, by a table of its ops."""
        return cost_of(self.expr)

    @property
    def laws(self) -> list[str]:
        """The names of the laws that lead to it."""
        return list(dict.fromkeys(name for d in self.derivations for name in d.laws))

    @property
    def conditions(self) -> list[Expr]:
        """Conditions on signs under which the steps hold; of a piece, where that is used."""
        evidence = [step.evidence for d in self.derivations for step in d]
        every = (c for e in evidence if isinstance(e, Instance) for c in e.conditions)
        return list(dict.fromkeys(every))

    @property
    def exact(self) -> bool:
        """Whether it equals the input as real numbers by laws alone: no piece of it is a series, or
        a branch of a choice."""
        return not measured(self)

    @cached_property
    def output(self) -> Any:
        """The variable that it computes of the inputs."""
        return to_graph(self.expr, dict(zip(self.names, self.inputs, strict=True)), self.dtype)

    @cached_property
    def function(self) -> Any:
        """The compiled function of the inputs. It computes what is written, bit for bit."""
        return function(list(self.inputs), self.output, mode="strict", on_unused_input="ignore")

    def __call__(self, *values: Any) -> Any:
        """Return the value for values of the inputs: numbers, or arrays that broadcast."""
        dimensions = [v.type.ndim for v in self.inputs]
        arrays = [np.asarray(v, self.dtype) for v in values]
        if len(arrays) != len(dimensions):
            raise TypeError(f"{len(dimensions)} inputs are expected, not {len(arrays)}")
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        if dimensions and set(dimensions) == {1} and len(shape) != 1:
            flat = [np.broadcast_to(a, shape).reshape(-1) for a in arrays]
            found = np.asarray(self.function(*flat))
            return np.broadcast_to(found, (int(np.prod(shape)),)).reshape(shape)[()]
        return self.function(*arrays)

    def source(self, language: str = "numpy", name: str = "f") -> str:
        """Return the form as the text of a function of its inputs; see `sources.source`."""
        return source(self.expr, self.names, language, name)

    @property
    def core(self) -> Core:
        """The form as a formula of FPCore, which `str` writes."""
        return Core("form", self.names, self.expr, None)

    @property
    def lines(self) -> list[str]:
        """The form in lines: what it has several times, by a name, and a line for each case."""
        return written_in_lines(self.expr)

    def __str__(self) -> str:
        return written(self.expr)

    def __repr__(self) -> str:
        return f"<Form {self.error:.2f} bits: {_in_lines(self)}>"


@dataclass(frozen=True, eq=False)
class Improvement:
    """What `improve` has found.

    Attributes
    ----------
    original
        The input, as a form.
    front
        The forms that no other beats in both error and cost, where that was chosen; the least
        error there first.
    points
        Other points, on which errors are reported, and the true values.
    domain
        The condition on the inputs.
    seconds
        How long each part took.
    stopped
        Why the search ended.
    """

    original: Form
    front: tuple[Form, ...]
    points: Known
    domain: Expr | None
    seconds: dict[str, float]
    stopped: str
    _best: int

    @property
    def best(self) -> Form:
        """The cheapest of the forms whose error is the least, but for a tenth of a bit."""
        return self.front[self._best]

    def source(self, language: str = "numpy", name: str = "f") -> str:
        """Return the best form as the text of a function; see `Form.source`."""
        return self.best.source(language, name)

    def __len__(self) -> int:
        return len(self.front)

    def __getitem__(self, k: int) -> Form:
        return self.front[k]

    @property
    def forms(self) -> list[Form]:
        """The front, and the input behind it if it is not on it."""
        known = any(form.expr is self.original.expr for form in self.front)
        return [*self.front] if known else [*self.front, self.original]

    def __rich__(self) -> Table:
        return table_of(self)

    def report(self, width: int = 100) -> str:
        """Return the front as a table of text."""
        stream = io.StringIO()
        Console(file=stream, width=width, color_system=None).print(table_of(self))
        return stream.getvalue().rstrip()

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        bits = f"{self.original.error:.2f} → {self.best.error:.2f} bits"
        return f"<Improvement {bits}, {len(self.front)} forms: {_in_lines(self.best)}>"


def _in_lines(form: Form) -> str:
    lines = form.lines
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines)


def front_of(exprs: Iterable[Expr], means: Mapping[Expr, float]) -> list[Expr]:
    """Return the expressions that no other beats in both error and cost, the least error first.

    Costs are those of a table, so that the same forms are chosen each time. A form that is
    less than a tenth cheaper is kept only if it errs at most `NEAR` more. A form is left out if the
    next cheaper one is as good, or if one with fewer pieces errs at most `HALF` more.
    """
    found: list[Expr] = []
    every = list(exprs)
    simple = [e for e in every if not any(_is_simpler(o, e, means) for o in every)]
    for e in sorted(simple, key=lambda e: (round(means[e], 2), cost_of(e), e.size)):
        if all(_adds(e, known, means) for known in found):
            found.append(e)
    following = [*found[1:], None]
    return [
        e
        for e, cheaper in zip(found, following, strict=True)
        if cheaper is None or means[cheaper] > means[e] + SAME
    ]


def is_cheaper(e: Expr, other: Expr) -> bool:
    """Return whether an expression costs clearly less than another."""
    return cost_of(e) < _CLEARLY * cost_of(other)


def _is_simpler(other: Expr, e: Expr, means: Mapping[Expr, float]) -> bool:
    """Return whether another form has fewer pieces, is no dearer and errs half a bit more at
    most."""
    is_close = means[other] <= means[e] + HALF and not is_cheaper(e, other)
    return is_close and len(conditions_in(other)) < len(conditions_in(e))


def _adds(e: Expr, known: Expr, means: Mapping[Expr, float]) -> bool:
    """Return whether a form is worth its error beside one that errs less."""
    as_good = means[e] <= means[known] + NEAR
    return is_cheaper(e, known) or (as_good and cost_of(e) < cost_of(known))


def table_of(improvement: Improvement) -> Table:
    """Return the front as a table."""
    points = len(improvement.points)
    measured = f"errors at {points} points that played no part in any choice; ns per element"
    found = Table(caption="\n".join((*_meanings(improvement), measured)), show_lines=True)
    found.add_column("bits", justify="right")
    found.add_column("worst", justify="right")
    found.add_column("ns", justify="right")
    found.add_column("form", overflow="fold", ratio=3)
    found.add_column("by", overflow="fold", ratio=2)
    for form in improvement.forms:
        found.add_row(*_figures(form), Text("\n".join(form.lines)), Text(_by(form)))
    return found


def _meanings(improvement: Improvement) -> list[str]:
    """Return what was taken for a number and what for an input, of the words that may be both."""
    numbers = numbers_by_name(improvement.original.expr)
    names = [n for n in improvement.original.names if n in NUMBERS or n in NUMBERS_ELSEWHERE]
    found = [*numbers, *(f"{n} is an input, no number" for n in names)]
    return ["; ".join(found)] if found else []


def _figures(form: Form) -> tuple[str, str, str]:
    worst = float(form.errors.max())
    return f"{form.error:.2f}", f"{worst:.1f}", f"{form.time:.1f}"


def measured(form: Form) -> list[str]:
    """Return what in a form does not follow by laws alone, and was only measured."""
    return [kind for kind in ("series", "branch") if kind in form.laws]


def _by(form: Form) -> str:
    """Return how a form follows from the input, in a line."""
    if not form.laws and form.pieces is None:
        return "the input"
    laws = [name for name in form.laws if name not in ("commutativity", "arithmetic")]
    text = ", ".join(laws)
    kinds = measured(form)
    if kinds:
        text += f" (a {' and a '.join(kinds)}: checked against true values)"
    if form.pieces is not None:
        text = f"{len(form.pieces.forms)} pieces by {written(form.pieces.by)}: {text}"
    return text


_WIDTH, _HEIGHT = 640.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 34.0, 40.0
_TICKS = 7
_STYLE = (
    "svg:root{color:#1f2328;background:#ffffff;color-scheme:light}"
    "@media (prefers-color-scheme:dark){svg:root{color:#e6edf3;background:#0d1117}}"
    "text{font:12px sans-serif;fill:currentColor}"
    ".axis{stroke:currentColor;stroke-opacity:.5}.grid{stroke:currentColor;stroke-opacity:.12}"
    ".before{fill:#e5484d;fill-opacity:.55}.after{fill:#3b82f6;fill-opacity:.7}"
    ".cut{stroke:#22a06b;stroke-dasharray:4 3}"
)


def error_plot(improvement: Improvement, name: str | None = None) -> str:
    """Return the errors of the input and of the best form at each point, as the text of an SVG.

    Parameters
    ----------
    improvement
        What `improve` returned.
    name
        The input that the horizontal axis shows, floats in their order: equal steps have equally
        many floats; the first one by default.

    Raises
    ------
    ValueError
        If there is no such input.
    """
    columns = improvement.points.inputs
    if not columns:
        raise ValueError("an expression without inputs has no plot")
    chosen = next(iter(columns)) if name is None else name
    if chosen not in columns:
        raise ValueError(f"there is no input {chosen}; there are {', '.join(columns)}")
    values = columns[chosen]
    places = to_ordinals(values).astype(float)
    low, high = float(places.min()), float(places.max())
    forms = (improvement.original, improvement.best)
    worst = max(float(form.errors.max()) for form in forms)
    # small errors would lie on the axis beside a scale to the largest that there can be
    most = min(MOST_BITS[values.dtype.itemsize], 8.0 * max(1, math.ceil(worst / 8)))

    def x_of(place: Any) -> Any:
        share = (place - low) / (high - low) if high > low else 0.5
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y_of(bits: Any) -> Any:
        return _HEIGHT - _BOTTOM - bits / most * (_HEIGHT - _TOP - _BOTTOM)

    drawn = [*_grid(y_of, most), *_axis(values, places, x_of)]
    drawn += _cuts(improvement.best, chosen, values.dtype, x_of, (low, high))
    for kind, form in (("before", improvement.original), ("after", improvement.best)):
        drawn += [
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>'
            for x, y in zip(x_of(places), y_of(form.errors), strict=True)
        ]
    drawn += _legend(improvement)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    drawn.append(
        f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(chosen)}</text>'
    )
    size = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>'
    return head + "".join(drawn) + "</svg>\n"


def _grid(y_of: Any, most: float) -> list[str]:
    found = []
    for bits in np.linspace(0, most, 5):
        y = y_of(bits)
        found.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        found.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{bits:.0f}</text>')
    found.append(f'<text x="6" y="{_TOP - 16}">bits of error</text>')
    return found


def _axis(values: Any, places: Any, x_of: Any) -> list[str]:
    bottom = _HEIGHT - _BOTTOM
    order = np.argsort(places)
    found = [
        f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}"/>'
    ]
    ticks = order[np.linspace(0, len(order) - 1, _TICKS).astype(int)]
    for k, label in zip(ticks, _labels(values[ticks]), strict=True):
        x = x_of(places[k])
        found.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>')
    return found


def _labels(values: Any) -> list[str]:
    """Return the values with as few digits as tell them apart."""
    for digits in range(1, 7):
        found = [f"{v:.{digits}g}" for v in values]
        if len(set(found)) == len(set(values)):
            break
    return found


def _cuts(form: Form, name: str, dtype: Any, x_of: Any, ends: tuple[float, float]) -> list[str]:
    if form.pieces is None or form.pieces.by.value != name:
        return []
    places = to_ordinals(np.array(form.pieces.cuts, dtype)).astype(float)
    lines = [x_of(p) for p in places if ends[0] <= p <= ends[1]]
    return [
        f'<line class="cut" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        for x in lines
    ]


def _legend(improvement: Improvement) -> list[str]:
    found = []
    rows = (("before", "input", improvement.original), ("after", "best form", improvement.best))
    for k, (kind, name, form) in enumerate(rows):
        x = _LEFT + 120 + 190 * k
        found.append(f'<circle class="{kind}" cx="{x}" cy="{_TOP - 20}" r="4"/>')
        found.append(f'<text x="{x + 9}" y="{_TOP - 16}">{name}: {form.error:.2f} bits</text>')
    return found


def page(improvement: Improvement, title: str = "improve") -> str:
    """Return what was found as a page of HTML, which needs no network: the errors over each input,
    before and after; the forms; the steps to the best one; and that as a function in languages."""
    original, best = improvement.original, improvement.best
    domain = improvement.domain
    where = "" if domain is None else f" where {code(written(domain))}"
    bits = f"{original.error:.2f} bits of error before, {best.error:.2f} after"
    plots = (error_plot(improvement, name) for name in improvement.points.inputs)
    body = [
        f"<h1>{escape(title)}</h1><p>{code(str(original))}{where}</p>",
        f"<p><b>{bits}</b>, at {len(improvement.points)} points that played no part in any choice",
        f"; search: {escape(improvement.stopped)}.</p>",
        f"<pre>{escape(chr(10).join(best.lines))}</pre>",
        *(f"<p>{plot}</p>" for plot in plots),
        table(
            ["bits", "worst", "ns", "form", "laws"],
            map(_row, improvement.forms),
            caption="Forms that no other beats in both error and time",
        ),
        "<h2>How the best form follows</h2>",
        *map(derivation_html, best.derivations),
        "<h2>The best form as a function</h2>",
        *map(_source, [best] * len(LANGUAGES), LANGUAGES),
    ]
    return whole_page(title, fragment("".join(body)))


def _row(form: Form) -> list[str]:
    worst = float(form.errors.max())
    text = f"<td><pre>{escape(chr(10).join(form.lines))}</pre></td>"
    numbers = ((form.error, ".2f"), (worst, ".1f"), (form.time, ".1f"))
    return [
        *(number_cell(value, format(value, digits)) for value, digits in numbers),
        text,
        cell(", ".join(form.laws)),
    ]


def _source(form: Form, language: str) -> str:
    try:
        text = form.source(language)
    except NotSupported as error:
        return f"<p>{language}: {escape(str(error))}</p>"
    return f"<details><summary>{language}</summary><pre>{escape(text)}</pre></details>"
