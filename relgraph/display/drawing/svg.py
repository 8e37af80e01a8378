"""Pictures of graphs as SVG, by a layered layout of our own.

Text is set in a fixed-width font, and `textLength` holds it to the width that was reckoned with: no
font makes it longer than its box. Rows have a height, and edges leave their column only between
rows, so no edge runs through a label. Colours are those of the page (``currentColor``) with tints
that show on dark and light; a file by itself follows ``prefers-color-scheme``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import blake2b
from html import escape
from typing import Any
from unicodedata import category, combining, east_asian_width

from relgraph.display.drawing.coordinates import place_in_rows
from relgraph.display.drawing.layers import Place, layers_of
from relgraph.display.drawing.picture import MOST_NODES, Box, Edge, Picture, picture_of
from relgraph.graph.basic import Variable

_LETTER = 7.2  # the width of a letter of a box, and of a label
_SMALL_LETTER = 6.6
_BOX_HEIGHT, _LABEL_HEIGHT = 26.0, 15.0
_PADDING, _GAP, _MARGIN = 9.0, 12.0, 12.0
_LEAST_RISE, _MOST_RISE = 12.0, 60.0

_STYLE = """
svg:root{color:#1f2328;background:#ffffff;color-scheme:light}
@media (prefers-color-scheme:dark){svg:root{color:#e6edf3;background:#0d1117;color-scheme:dark}}
.rg text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;
fill:currentColor;text-anchor:middle;dominant-baseline:central}
.rg .box text{font-size:12px}.rg .label text{font-size:11px;fill-opacity:.8}
.rg .box rect{fill:currentColor;fill-opacity:.06;stroke:currentColor;stroke-opacity:.5}
.rg .input rect{fill:#3b82f6;fill-opacity:.18;stroke:#3b82f6;stroke-opacity:1}
.rg .constant rect{fill-opacity:.02;stroke-dasharray:2 2}
.rg .output rect{fill:#22a06b;fill-opacity:.18;stroke:#22a06b;stroke-opacity:1}
.rg .folded rect{stroke-dasharray:6 3}.rg [data-part]{cursor:pointer}
.rg .marked rect{fill:#f59e0b;fill-opacity:.4;stroke:#f59e0b;stroke-opacity:1;stroke-width:2}
.rg path{fill:none;stroke:currentColor;stroke-opacity:.45}
.rg .viewed path{stroke:#0d9488;stroke-opacity:1;stroke-dasharray:5 3}
.rg .destroyed path{stroke:#e5484d;stroke-opacity:1;stroke-width:2}
.rg .destroyed text{font-weight:bold;fill-opacity:1}
.rg marker path{fill:currentColor;fill-opacity:.6;stroke:none}
""".replace("\n", "")


def svg(graph: Any, most_nodes: int = MOST_NODES, marked: Collection[Variable] = ()) -> str:
    """Return a graph as the text of an SVG file.

    Parameters
    ----------
    graph
        A variable, a list of variables, a FunctionGraph or a compiled function.
    most_nodes
        How many nodes are shown; of a larger graph those nearest to the outputs, and boxes that
        say how many more there are.
    marked
        Variables whose boxes are highlighted.

    Raises
    ------
    TypeError
        If `graph` is none of these.
    """
    return drawn(picture_of(graph, most_nodes, marked))


def drawn(picture: Picture) -> str:
    """Return a picture as the text of an SVG file."""
    layers = layers_of(picture)
    width = place_in_rows(layers, _width, _GAP) + 2 * _MARGIN
    tops = _tops(layers)
    height = tops[-1] + _height(len(layers) - 1) + _MARGIN
    parts = [*_edges(layers, tops), *_boxes(layers, tops)]
    body = "".join(parts)
    # several pictures may stand on one page
    name = "rg" + blake2b(body.encode(), digest_size=6).hexdigest()
    count = sum(box.kind == "op" for box in picture.boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rg" role="img" '
        f'aria-label="graph of {count} nodes" width="{width:.0f}" height="{height:.0f}" '
        # notebooks would make a wide one so small that nobody can read it
        f'viewBox="0 0 {width:.1f} {height:.1f}" style="max-width:none">'
        f"<style>{_STYLE}</style>"
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z"/>'
        f"</marker></defs>{body.replace('url(#end)', f'url(#{name})')}</svg>\n"
    )


def columns(text: str) -> int:
    """Return how many letters wide a text is in a fixed-width font."""
    return sum(
        0
        if combining(c) or category(c) in ("Cf", "Mn", "Me")
        else 2
        if east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def _width(place: Place) -> float:
    if isinstance(place.of, Box):
        return max(columns(place.of.label), 1) * _LETTER + 2 * _PADDING
    return columns(place.of.label) * _SMALL_LETTER + 4 if isinstance(place.of, Edge) else 2.0


def _height(row: int) -> float:
    return _LABEL_HEIGHT if row % 2 else _BOX_HEIGHT


def _tops(layers: list[list[Place]]) -> list[float]:
    """Return where each row begins; rows are far apart where edges go far to a side."""
    tops = [_MARGIN]
    for row, layer in enumerate(layers[:-1]):
        far = max((abs(place.x - end.x) for place in layer for end in place.below), default=0.0)
        rise = min(max(far / 8, _LEAST_RISE), _MOST_RISE)
        tops.append(tops[-1] + _height(row) + rise)
    return tops


def _boxes(layers: list[list[Place]], tops: list[float]) -> Iterator[str]:
    for row, layer in enumerate(layers):
        for place in layer:
            if isinstance(place.of, Box):
                width, height = _width(place), _height(row)
                kind = place.of.kind + (" marked" if place.of.marked else "")
                rounding = 13 if place.of.kind in ("input", "output") else 4
                part = "" if place.of.part is None else f' data-part="{place.of.part}"'
                yield (
                    f'<g class="box {kind}"{part}>'
                    f"<title>{escape(_printable(place.of.title))}</title>"
                    f'<rect x="{place.x - width / 2 + _MARGIN:.1f}" y="{tops[row]:.1f}" '
                    f'width="{width:.1f}" height="{height:.1f}" rx="{rounding}"/>'
                    f"{_text(place, tops[row] + height / 2, place.of.label, _LETTER)}</g>"
                )


def _text(place: Place, y: float, text: str, letter: float) -> str:
    if not text:
        return ""
    return (
        f'<text x="{place.x + _MARGIN:.1f}" y="{y:.1f}" textLength="{columns(text) * letter:.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(_printable(text))}</text>'
    )


def _printable(text: str) -> str:
    """Return a text without the letters that XML does not allow."""
    return "".join(
        c
        if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
        else "\ufffd"
        for c in text
    )


def _edges(layers: list[list[Place]], tops: list[float]) -> Iterator[str]:
    """Yield the trunks, and then each label with the lines to and from it."""
    for row, layer in enumerate(layers):
        for place in layer:
            for end in place.below:
                if end.of is None:
                    yield f'<path d="{_curve(place, end, tops)}"/>'
            if place.of is None:
                x = place.x + _MARGIN
                yield f'<path d="M{x:.1f},{tops[row]:.1f}V{tops[row] + _height(row):.1f}"/>'
    for row, layer in enumerate(layers):
        for place in layer:
            if isinstance(place.of, Edge):
                (upper,), (lower,) = place.above, place.below
                y = tops[row] + _LABEL_HEIGHT / 2
                yield (
                    f'<g class="label {place.of.use}">'
                    f"<title>{escape(_printable(place.of.title))}</title>"
                    f'<path d="{_curve(upper, place, tops)}"/>'
                    f'<path d="{_curve(place, lower, tops)}" marker-end="url(#end)"/>'
                    f"{_text(place, y, place.of.label, _SMALL_LETTER)}</g>"
                )


def _curve(upper: Place, lower: Place, tops: list[float]) -> str:
    """Return the line between two rows, from the foot of a place to the head of another."""
    start = tops[upper.row] + _height(upper.row)
    end = tops[lower.row]
    x, to = upper.x + _MARGIN, _landing(upper, lower) + _MARGIN
    middle = (start + end) / 2
    return f"M{x:.1f},{start:.1f}C{x:.1f},{middle:.1f} {to:.1f},{middle:.1f} {to:.1f},{end:.1f}"


def _landing(upper: Place, lower: Place) -> float:
    """Return where on the head of a place a line ends: those of a box do not meet in one point."""
    if not isinstance(lower.of, Box) or len(lower.above) < 2:
        return lower.x
    order = sorted(lower.above, key=lambda place: place.x)
    room = _width(lower) - 2 * _PADDING
    return lower.x - room / 2 + room * order.index(upper) / (len(order) - 1)
