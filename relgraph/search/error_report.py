"""What `improve` has found as a picture and as a page."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np

from relgraph.display.markup import cell, code, fragment, number_cell, table, whole_page
from relgraph.display.reports import derivation_html
from relgraph.formulas.expressions import NotSupported, written
from relgraph.formulas.sources import LANGUAGES
from relgraph.formulas.true_values import MOST_BITS
from relgraph.scalar.type import to_ordinals
from relgraph.search.improvement import Form, Improvement

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
