"""Graphs as pictures: what is drawn (boxes and edges), where it stands, and SVG or Graphviz of it.

The layout is a layered one after Sugiyama, Tagawa and Toda (1981). Boxes stand in the even rows and
labels in the odd ones, each right above the box that its edge leads to. What one box gives to
several others runs along one trunk, so that shared values do not fill the rows. Rows have a height,
and edges leave their column only between rows, so no edge runs through a label.

Text is set in a fixed-width font, and `textLength` holds it to the width that was reckoned with: no
font makes it longer than its box. Colours are those of the page (``currentColor``) with tints that
show on dark and light; a file by itself follows ``prefers-color-scheme``.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from itertools import islice, pairwise
from typing import Any, Literal

import numpy as np
from rich.cells import cell_len
from scipy.optimize import isotonic_regression

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import outputs_of
from relgraph.graph.traversal import general_toposort, walk

Kind = Literal["input", "constant", "op", "output", "folded"]

MOST_NODES = 200
"""How many nodes are shown; what is further from the outputs is left out."""
PART_NODES = 40
"""How many nodes of a large graph are in one picture, where the others can be opened."""
WHOLE_NODES = 60
"""So many are drawn in one all the same."""
MOST_ARGUMENTS = 16
"""How many arguments of a node are shown, and how many outputs; one box represents the rest."""
MOST_LETTERS = 28
"""How long a label is; the whole text is shown by the pointer."""


@dataclass(eq=False)
class Box:
    """A box of a picture.

    Attributes
    ----------
    kind
        An input, a constant, an op, an output, or what represents nodes that are left out.
    label
        Its text.
    title
        What there is more to say, for the pointer.
    marked
        Whether it is highlighted.
    part
        The number of the picture of the nodes that it represents, or None.
    """

    kind: Kind
    label: str
    title: str
    marked: bool = False
    part: int | None = None


@dataclass(eq=False)
class Edge:
    """An edge between two boxes.

    Attributes
    ----------
    source, target
        The box that computes a value, and the one that reads it.
    label
        Which argument it is, if there are several, and the shape, with a dtype that is not float64.
    title
        The same in words.
    use
        ``read``; ``viewed`` if the result may share its storage; ``destroyed`` if that is
        overwritten.
    """

    source: Box
    target: Box
    label: str
    title: str
    use: Literal["read", "viewed", "destroyed"] = "read"


@dataclass
class Picture:
    """Boxes and edges; what an edge comes from stands before what it leads to."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


def picture_of(
    graph: Any, most_nodes: int = MOST_NODES, marked: Collection[Variable] = ()
) -> Picture:
    """Return one picture of a graph; for the parameters and what is raised see `pictures_of`."""
    return pictures_of(graph, most_nodes, marked, part_nodes=most_nodes)[0]


def pictures_of(
    graph: Any,
    most_nodes: int = MOST_NODES,
    marked: Collection[Variable] = (),
    part_nodes: int = PART_NODES,
) -> list[Picture]:
    """Return the pictures of a graph: of what is nearest to the outputs, and of what these leave
    out. A node is in one of them.

    Parameters
    ----------
    graph
        As for `outputs_of`, which raises the same.
    most_nodes
        How many nodes are shown; of a larger graph those nearest to the outputs.
    marked
        Variables that are highlighted.
    part_nodes
        How many nodes of a graph of more than `WHOLE_NODES` there are in one picture.
    """
    outputs = outputs_of(graph)
    if len(_nearest(outputs, WHOLE_NODES + 1, ())) <= WHOLE_NODES:
        part_nodes = max(part_nodes, WHOLE_NODES)
    parts: list[tuple[Sequence[Variable], set[Apply]]] = []
    drawn: dict[Apply, int] = {}
    waiting: deque[Sequence[Variable]] = deque([outputs])
    while waiting:
        starts = waiting.popleft()
        nodes = _nearest(_first(starts), min(part_nodes, most_nodes - len(drawn)), drawn)
        if nodes or not parts:
            drawn.update(dict.fromkeys(nodes, len(parts)))
            parts.append((starts, set(nodes)))
            read = dict.fromkeys(v for node in nodes for v in _first(node.inputs))
            waiting.extend([v] for v in read if v.owner is not None and v.owner not in drawn)
    return [_picture(i, *part, drawn, marked) for i, part in enumerate(parts)]


def _picture(
    number: int,
    outputs: Sequence[Variable],
    shown: set[Apply],
    drawn: Mapping[Apply, int],
    marked: Collection[Variable],
) -> Picture:
    """Return the picture with a number, of some nodes and what is read by them or from them."""
    picture = Picture()
    boxes: dict[Apply | Variable, Box] = {}
    folded: list[Variable] = []
    for item in _in_order(_first(outputs), shown):
        box = boxes[item] = _box(item, marked)
        if isinstance(item, Variable) and item.owner is not None:
            folded.append(item)
        picture.boxes.append(box)
        if isinstance(item, Apply):
            for i, var in enumerate(_first(item.inputs)):
                picture.edges.append(_edge(_drawn(var, shown, boxes), box, item, i, var))
            rest = len(item.inputs) - len(_first(item.inputs))
            if rest:
                others = Box("folded", f"… {rest:,} arguments", f"further arguments of {item.op}")
                picture.boxes.insert(0, others)
                picture.edges.append(Edge(others, box, "", others.title))
    for var, (count, whole) in zip(folded, _counts(folded, shown), strict=True):
        box = boxes[var]
        assert var.owner is not None
        box.part = drawn.get(var.owner)
        nodes = f"{count:,} node{'s' if count > 1 else ''}"
        box.label = f"… {nodes}" if box.part is None else f"{_part_name(box.part)}: {nodes}"
        box.title = f"left out: {whole}"
    for i, var in enumerate(_first(outputs)):
        name = "output" if len(outputs) == 1 else f"output {i}"
        if number > 0:
            name = _part_name(number) if var.name is None else cut(var.name)
        box = Box("output", name, f"{name}: {_described(var)}", var in marked)
        picture.boxes.append(box)
        source = _drawn(var, shown, boxes)
        picture.edges.append(Edge(source, box, _typed(var), _described(var)))
    rest = len(outputs) - len(_first(outputs))
    if rest:
        picture.boxes.append(Box("folded", f"… {rest:,} outputs", "further outputs"))
    return picture


def _part_name(number: int) -> str:
    return f"part {number}" if number else "above"


def _first(variables: Sequence[Variable]) -> Sequence[Variable]:
    """Return the variables that are shown, of the inputs of a node or the outputs of a graph."""
    few = len(variables) <= MOST_ARGUMENTS
    return variables if few else variables[: MOST_ARGUMENTS - 1]


def _nearest(
    outputs: Sequence[Variable], most: int, others: Collection[Apply]
) -> dict[Apply, None]:
    """Return the nodes nearest to the outputs, by the number of edges between them, but for those
    that are shown elsewhere."""

    def read(variables: Sequence[Variable]) -> list[Apply]:
        return [v.owner for v in variables if v.owner is not None and v.owner not in others]

    nodes = walk(read(outputs), lambda node: read(_first(node.inputs)))
    return dict.fromkeys(islice(nodes, max(most, 0)))


def _drawn(var: Variable, shown: set[Apply], boxes: dict[Any, Box]) -> Box:
    return boxes[_item(var, shown)]


def _item(var: Variable, shown: set[Apply]) -> Apply | Variable:
    """Return what is drawn for a variable: its node if that is shown."""
    return var.owner if var.owner is not None and var.owner in shown else var


def _in_order(outputs: Sequence[Variable], shown: set[Apply]) -> list[Apply | Variable]:
    """Return the nodes that are shown, and the variables from outside, each after what it reads."""

    def items(variables: Sequence[Variable]) -> list[Apply | Variable]:
        return [_item(var, shown) for var in variables]

    return general_toposort(
        items(outputs),
        lambda item: items(_first(item.inputs)) if isinstance(item, Apply) else None,
    )


def _box(item: Apply | Variable, marked: Collection[Variable]) -> Box:
    if isinstance(item, Apply):
        named = ", ".join(out.name for out in item.outputs if out.name is not None)
        op = _short(item.op)
        label = cut(f"{named} = {op}" if named else op)
        types = ", ".join(str(out.type) for out in item.outputs)
        return Box("op", label, f"{item.op}: {types}", any(v in marked for v in item.outputs))
    if isinstance(item, Constant):
        return Box("constant", cut(str(item).strip("{}")), _described(item), item in marked)
    if item.owner is None:
        label = item.name if item.name is not None else "unnamed"
        return Box("input", cut(label), _described(item), item in marked)
    return Box("folded", "…", _described(item), item in marked)


def _short(op: Any) -> str:
    """Return an op as text; of fused elementwise ops the names, not what each of them reads."""
    # such ops stand on a higher layer, and are told by what they have
    fused = getattr(getattr(op, "elemwise", op), "scalar_op", None)
    nodes = getattr(fused, "nodes", None)
    if nodes is None:
        return str(op)
    reductions = [str(one) for one in getattr(op, "reductions", ()) if one is not None]
    names = dict.fromkeys([*(str(node.op) for node in nodes), *reductions])
    return f"{'Fused' if reductions else 'Composite'}{{{', '.join(names)}}}"


def _edge(source: Box, target: Box, node: Apply, i: int, var: Variable) -> Edge:
    use: Literal["read", "viewed", "destroyed"] = "read"
    if any(i in taken for taken in node.op.destroy_map.values()):
        use = "destroyed"
    elif any(i in seen for seen in node.op.view_map.values()):
        use = "viewed"
    words = {"read": "", "viewed": ", viewed", "destroyed": ", overwritten"}[use]
    which = f"{i}: " if len(node.inputs) > 1 else ""
    title = f"argument {i} of {node.op}{words}: {_described(var)}"
    return Edge(source, target, f"{which}{_typed(var)}{words}", title, use)


def _typed(var: Variable) -> str:
    """Return the type of a variable in short, after the number of the output that it is."""
    owner = var.owner
    which = f".{var.index} " if owner is not None and len(owner.outputs) > 1 else ""
    dtype, shape = getattr(var.type, "dtype", None), getattr(var.type, "shape", None)
    if dtype is None or shape is None:
        return which + cut(str(var.type))
    lengths = f"({', '.join('?' if n is None else str(n) for n in shape)})"
    # most arrays are of doubles: what is said of each would be half of a picture
    parts = ["" if dtype == "float64" else dtype, lengths if shape or dtype == "float64" else ""]
    return which + " ".join(filter(None, parts))


def _described(var: Variable) -> str:
    return f"{var if var.name is None else var.name}, {var.type}"


def _counts(variables: Sequence[Variable], shown: set[Apply]) -> Iterator[tuple[int, str]]:
    """Yield for each variable how many nodes compute it that are not shown, and that in words."""

    def read(variables: Sequence[Variable]) -> list[Apply]:
        return [v.owner for v in variables if v.owner is not None and v.owner not in shown]

    for var in variables:
        count = sum(1 for _ in walk(read([var]), lambda node: read(node.inputs)))
        yield count, f"the {count:,} nodes that compute {_described(var)}"


def cut(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text of one line, and no more than so many letters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_SWEEPS = 12


@dataclass(eq=False)
class Place:
    """A place in a row: of a box, of the label of an edge, or where a trunk passes through.

    Attributes
    ----------
    of
        The box, the edge, or None for a trunk.
    row
        The number of the row.
    above, below
        The places in the next rows that it is joined with.
    x
        Where its middle is, once that is known.
    """

    of: Box | Edge | None
    row: int
    above: list[Place] = field(default_factory=list)
    below: list[Place] = field(default_factory=list)
    x: float = 0.0


def layers_of(picture: Picture) -> list[list[Place]]:
    """Return the rows of a picture, from the inputs to the outputs, in a good order."""
    rows = _rows(picture)
    layers = _placed(picture, rows)
    best, crossings = [list(layer) for layer in layers], _crossings(layers)
    for _ in range(_SWEEPS // 2):
        if crossings == 0:
            break
        _sort_by_neighbours(layers, downwards=True)
        _sort_by_neighbours(layers, downwards=False)
        now = _crossings(layers)
        if now < crossings:
            best, crossings = [list(layer) for layer in layers], now
    return best


def _rows(picture: Picture) -> dict[Box, int]:
    """Return the row of each box: after what it reads, and inputs right before what reads them."""
    readers: dict[Box, list[Box]] = {box: [] for box in picture.boxes}
    sources: dict[Box, list[Box]] = {box: [] for box in picture.boxes}
    for edge in picture.edges:
        readers[edge.source].append(edge.target)
        sources[edge.target].append(edge.source)
    depth: dict[Box, int] = {}
    for box in picture.boxes:
        depth[box] = 1 + max((depth[source] for source in sources[box]), default=-1)
    last = max(depth.values(), default=0)
    for box in reversed(picture.boxes):
        if box.kind == "output":
            depth[box] = last
        elif not sources[box] and readers[box]:
            depth[box] = min(depth[reader] for reader in readers[box]) - 1
    return {box: 2 * level for box, level in depth.items()}


def _placed(picture: Picture, rows: dict[Box, int]) -> list[list[Place]]:
    """Return the rows with boxes, labels and trunks, joined."""
    layers: list[list[Place]] = [[] for _ in range(max(rows.values(), default=0) + 1)]
    places: dict[Box, Place] = {}
    for box in picture.boxes:
        places[box] = _new(layers, box, rows[box])
    trunks: dict[tuple[Box, int], Place] = {}
    for edge in picture.edges:
        label = _new(layers, edge, rows[edge.target] - 1)
        _join(label, places[edge.target])
        lower = label
        for row in range(rows[edge.target] - 2, rows[edge.source], -1):
            trunk = trunks.get((edge.source, row))
            if trunk is not None:
                _join(trunk, lower)
                break
            trunk = trunks[edge.source, row] = _new(layers, None, row)
            _join(trunk, lower)
            lower = trunk
        else:
            _join(places[edge.source], lower)
    return layers


def _new(layers: list[list[Place]], of: Box | Edge | None, row: int) -> Place:
    place = Place(of, row)
    layers[row].append(place)
    return place


def _join(upper: Place, lower: Place) -> None:
    upper.below.append(lower)
    lower.above.append(upper)


def _sort_by_neighbours(layers: list[list[Place]], downwards: bool) -> None:
    """Sort each row by where its neighbours stand in the row before."""
    order = layers if downwards else layers[::-1]
    for before, layer in pairwise(order):
        position = {place: i for i, place in enumerate(before)}
        keys: dict[Place, float] = {}
        for i, place in enumerate(layer):
            near = [position[p] for p in (place.above if downwards else place.below)]
            # what has no neighbours there stays about where it is
            keys[place] = sum(near) / len(near) if near else i * len(before) / max(len(layer), 1)
        layer.sort(key=keys.__getitem__)


def _crossings(layers: list[list[Place]]) -> int:
    """Return how many pairs of joins between neighbouring rows cross."""
    total = 0
    for upper, lower in pairwise(layers):
        position = {place: i for i, place in enumerate(lower)}
        before: list[int] = []
        for place in upper:
            for end in sorted([position[end] for end in place.below]):
                total += len(before) - bisect_right(before, end)
                insort(before, end)
    return total


_MOST_SWEEPS, _LEAST_SWEEPS = 24, 6
_MOST_VISITS = 60_000
_STRAIGHT = 16.0


def place_in_rows(
    layers: Sequence[Sequence[Place]], width: Callable[[Place], float], gap: float
) -> float:
    """Give each place of the rows its `x`, so that none overlap, and return the whole width.

    Parameters
    ----------
    layers
        The rows, in order.
    width
        Returns how wide a place is.
    gap
        How far places are apart at least.
    """
    # each row with where its places stand if there is no room between them
    rows: list[tuple[Sequence[Place], Any]] = []
    for layer in filter(None, layers):
        widths = np.array([width(place) for place in layer])
        rows.append((layer, np.cumsum(widths + gap) - widths / 2))
        _move(*rows[-1])
    places = [place for layer in layers for place in layer]
    sweeps = min(max(_MOST_VISITS // max(len(places), 1), _LEAST_SWEEPS), _MOST_SWEEPS)
    for _ in range(sweeps // 2):
        for layer, offsets in rows:
            _align(layer, offsets, lambda place: place.above)
        for layer, offsets in reversed(rows):
            _align(layer, offsets, lambda place: place.below)
    # at last by both sides
    for layer, offsets in rows:
        _align(layer, offsets, lambda place: [*place.above, *place.below])
    left = min((place.x - width(place) / 2 for place in places), default=0.0)
    right = max((place.x + width(place) / 2 for place in places), default=0.0)
    for place in places:
        place.x -= left
    return right - left


def _move(places: Sequence[Place], to: Any) -> None:
    for place, x in zip(places, to.tolist(), strict=True):
        place.x = x


def _align(
    places: Sequence[Place], offsets: Any, neighbours: Callable[[Place], Sequence[Place]]
) -> None:
    """Move the places of a row as near to their neighbours as their order and widths allow: the
    sum of the squares of the distances is least."""
    wishes, weights = [], []
    for place in places:
        near = neighbours(place)
        # what passes through should be straight
        trunk = place.of is None
        pulls = [_STRAIGHT if trunk and other.of is None else 1.0 for other in near]
        wish = sum([n.x * pull for n, pull in zip(near, pulls, strict=True)])
        wishes.append(wish / sum(pulls) if near else place.x)
        weights.append((_STRAIGHT if trunk else 1.0) if near else 0.1)
    _move(places, isotonic_regression(wishes - offsets, weights=weights).x + offsets)


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
        # notebooks would make a wide one too small to read
        f'viewBox="0 0 {width:.1f} {height:.1f}" style="max-width:none">'
        f"<style>{_STYLE}</style>"
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z"/>'
        f"</marker></defs>{body.replace('url(#end)', f'url(#{name})')}</svg>\n"
    )


def columns(text: str) -> int:
    """Return how many letters wide a text is in a fixed-width font."""
    return cell_len(_printable(text))


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


# what is no letter of XML
_NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def _printable(text: str) -> str:
    """Return a text without the letters that XML does not allow."""
    return _NOT_IN_XML.sub("\ufffd", text)


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


_SHAPES = {
    "input": 'shape=box, style="rounded,filled", fillcolor="#3b82f630"',
    "constant": "shape=box, style=dashed",
    "op": "shape=box",
    "output": 'shape=box, style="rounded,filled", fillcolor="#22a06b30"',
    "folded": "shape=box, style=dashed",
}
_USES = {
    "read": "",
    "viewed": ', style=dashed, color="#0d9488"',
    "destroyed": ', penwidth=2, color="#e5484d"',
}


def dot(graph: Any, most_nodes: int = MOST_NODES) -> str:
    """Return a graph as the text of a ``.dot`` file.

    Parameters
    ----------
    graph, most_nodes
        As for `relgraph.display.svg`, which raises the same.
    """
    picture = picture_of(graph, most_nodes)
    numbers = {box: i for i, box in enumerate(picture.boxes)}
    lines = [f"  n{numbers[box]} [label={quoted(box.label)}, {_shape(box)}];" for box in numbers]
    lines += [
        f"  n{numbers[edge.source]} -> n{numbers[edge.target]} "
        f"[label={quoted(edge.label)}{_USES[edge.use]}];"
        for edge in picture.edges
    ]
    return "\n".join(["digraph relgraph {", "  rankdir=TB;", *lines, "}", ""])


def _shape(box: Box) -> str:
    return _SHAPES[box.kind] + (', color="#f59e0b"' if box.marked else "")


def quoted(text: str) -> str:
    """Return a text as a string of the language: with quotes, and no escape of its own."""
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
