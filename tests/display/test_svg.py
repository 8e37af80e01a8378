"""Drawings: what is in them, and that nothing lies over something else."""

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.display import dot, svg
from relgraph.display.drawing import (
    MOST_NODES,
    PART_NODES,
    WHOLE_NODES,
    Place,
    _crossings,
    columns,
    layers_of,
    picture_of,
    pictures_of,
)
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from tests.seeds import seed_of

NAMES = [
    "x",
    "weights_of_layer",
    "<b>&amp;",
    '"quoted"',
    "漢字",
    "é" * 40,
    "a\nb",
    "\x00",
    "\ud800",
]
SPACE = "{http://www.w3.org/2000/svg}"
EVIL = "</text><script>alert(1)</script>"


class Overwrite(Op):
    """Overwrites its first input, and its second result views the second one."""

    __props__ = ()
    destroy_map = {0: [0]}
    view_map = {1: [1]}

    def make_node(self, x: Any, y: Any) -> Apply:
        return Apply(self, [x, y], [x.type(), y.type()])


def random_graph(nodes: int, seed: int) -> list[Variable]:
    """Return the outputs of a graph of so many nodes and more, all of which are used."""
    rng = random.Random(seed_of("drawing", seed))
    known: list[Any] = [at.dmatrix(name) for name in rng.sample(NAMES, 4)]
    known += [at.dvector("v"), at.constant(2.5), at.constant([[1.0, 2.0], [3.0, 4.0]])]
    window = rng.choice([4, 12, 10_000])
    for _ in range(nodes):
        x, y = rng.choice(known[-window:]), rng.choice(known[-window:])
        kind = rng.random()
        if kind < 0.5:
            made = [rng.choice([at.add, at.mul, at.maximum])(x, y)]
        elif kind < 0.8:
            made = [rng.choice([at.exp, at.neg, at.tanh])(x)]
        elif kind < 0.9:
            made = Overwrite()(x, y)
        else:
            made = [at.switch(x > 0, y, x)]
        known += made
        if rng.random() < 0.2:
            made[0].name = rng.choice(NAMES)
    read = {var for node in {v.owner for v in known if v.owner} for var in node.inputs}
    outputs = [var for var in known if var.owner is not None and var not in read]
    while len(outputs) > 10:
        outputs.append(at.add(outputs.pop(0), outputs.pop(0)))
    return outputs


def boxes(picture: ElementTree.Element) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield the text and the left, top, right and lower end of each box, and of each label."""
    for group in picture.iter(f"{SPACE}g"):
        rect, text = group.find(f"{SPACE}rect"), group.find(f"{SPACE}text")
        label = "" if text is None or text.text is None else text.text
        if text is not None:
            x, y = float(text.attrib["x"]), float(text.attrib["y"])
            half, high = float(text.attrib["textLength"]) / 2, 6.0
            inner = (x - half, y - high, x + half, y + high)
        if rect is not None:
            left, top = float(rect.attrib["x"]), float(rect.attrib["y"])
            right = left + float(rect.attrib["width"])
            low = top + float(rect.attrib["height"])
            if text is not None:
                assert left <= inner[0] and inner[2] <= right, label
                assert top <= inner[1] and inner[3] <= low, label
            inner = (left, top, right, low)
        elif text is None:
            continue
        yield (label, *inner)


def svg_nodes(picture: ElementTree.Element) -> int:
    return sum(group.attrib["class"].startswith("box op") for group in picture.iter(f"{SPACE}g"))


def overlap(one: Any, other: Any) -> bool:
    return one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]


SIZES = [10 + round(290 * i / 29) for i in range(30)]


@pytest.mark.parametrize("size", SIZES)
def test_no_two_labels_overlap_and_nothing_is_outside(size: int) -> None:
    picture = ElementTree.fromstring(svg(random_graph(size, size), most_nodes=10_000))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    found = list(boxes(picture))
    assert svg_nodes(picture) >= size
    for label, left, top, right, low in found:
        assert 0 <= left <= right <= width and 0 <= top <= low <= height, label
    rows: dict[float, list[Any]] = {}
    for box in found:
        rows.setdefault(box[2], []).append(box)
    # within a row by pairs of neighbours, between rows by their heights
    for row in rows.values():
        row.sort(key=lambda box: box[1])
        assert not [pair for pair in pairwise(row) if overlap(*pair)]
    heights = sorted((top, max(box[4] for box in row)) for top, row in rows.items())
    assert all(low <= top for (_, low), (top, _) in pairwise(heights))


def test_lines_stay_inside_and_pass_by_labels() -> None:
    picture = ElementTree.fromstring(svg(random_graph(120, 5), most_nodes=10_000))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    found = list(boxes(picture))
    straight = []
    for path in picture.iter(f"{SPACE}path"):
        numbers = [float(n) for n in re.findall(r"[\d.]+", path.attrib["d"])]
        if "V" in path.attrib["d"]:
            x, top, low = numbers
            straight.append(("", x, top, x, low))
        elif "C" in path.attrib["d"]:
            assert all(0 <= x <= width for x in numbers[::2])
            assert all(0 <= y <= height for y in numbers[1::2])
            # it begins where a row ends and ends where the next one begins
            assert not [b for b in found if b[2] > numbers[1] and b[4] < numbers[-1]]
    assert straight
    assert not [(line, box) for line in straight for box in found if overlap(line, box)]


def test_overlaps_are_seen() -> None:
    assert overlap(("a", 0, 0, 2, 2), ("b", 1, 1, 3, 3))
    assert not overlap(("a", 0, 0, 2, 2), ("b", 2, 0, 3, 2))


def labels(graph: Any, **options: Any) -> list[str]:
    return [box[0] for box in boxes(ElementTree.fromstring(svg(graph, **options)))]


def test_shared_nodes_stand_once_with_types_and_shapes() -> None:
    x = at.TensorType("float32", (3, None))("x")
    shared = at.exp(x)
    found = labels(shared * shared)
    assert sorted(found) == [
        "0: float32 (3, ?)", "1: float32 (3, ?)", "exp", "float32 (3, ?)", "float32 (3, ?)", "mul",
        "output", "x",
    ]  # fmt: skip


def test_destroyed_and_viewed_inputs_are_told_apart() -> None:
    x, y = at.dvectors("x", "y")
    picture = picture_of(list(Overwrite()(x, y)))
    uses = [(edge.source.label, edge.use, edge.label) for edge in picture.edges[:2]]
    assert uses == [
        ("x", "destroyed", "0: (?), overwritten"),
        ("y", "viewed", "1: (?), viewed"),
    ]
    text = svg(list(Overwrite()(x, y)))
    assert 'class="label destroyed"' in text and 'class="label viewed"' in text
    assert [edge.label for edge in picture.edges[2:]] == [".0 (?)", ".1 (?)"]


def test_large_graphs_are_folded() -> None:
    e = at.dvector("x")
    for _ in range(100_000):
        e = at.exp(e)
    found = labels(e, most_nodes=20)
    assert found.count("exp") == 20 and "… 99,980 nodes" in found and "x" not in found
    assert labels(at.exp(at.tanh(at.dvector("x"))), most_nodes=1).count("… 1 node") == 1


@pytest.mark.parametrize("size", [1, 60, 61, 150, 190])
def test_every_node_is_in_one_of_the_pictures(size: int) -> None:
    graph = random_graph(size, size)
    nodes = svg_nodes(ElementTree.fromstring(svg(graph, most_nodes=10_000)))
    pictures = pictures_of(graph)
    counts = [sum(box.kind == "op" for box in picture.boxes) for picture in pictures]
    assert sum(counts) == min(nodes, MOST_NODES)
    assert len(counts) == 1 if nodes <= WHOLE_NODES else max(counts) <= PART_NODES
    for number, picture in enumerate(pictures):
        leads = [box.part for box in picture.boxes if box.kind == "folded"]
        assert all(part is None or 0 <= part < len(pictures) for part in leads)
        assert number not in leads


def test_what_is_folded_on_a_page_can_be_opened() -> None:
    e = at.dvector("x")
    for _ in range(100):
        e = at.exp(e)
    page = e._repr_html_()
    assert page.count("<details><summary>part ") == 2 and "part 2: 20 nodes" in page
    assert "part 1: 60 nodes" in page and "part 2: 20 nodes" in page
    assert page.count('data-part="1"') == page.count('data-part="2"') == 1
    assert 'data-part="' not in at.exp(at.dvector("x"))._repr_html_()


def test_many_arguments_and_outputs_are_folded() -> None:
    vectors = [at.dvector(f"v{i}") for i in range(100)]
    found = labels([at.add(*vectors), *map(at.exp, vectors)])
    assert "… 85 arguments" in found and "… 86 outputs" in found
    assert found.count("exp") == 14 and "v14" in found and "v15" not in found
    assert "15: (?)" in labels(at.add(*vectors[:16]))


@pytest.mark.parametrize("name", [EVIL, "]]>", "\x00\x1b\ud800", "'\"&<>"])
def test_names_are_escaped(name: str) -> None:
    x, y = at.dvector(name), at.dvector("y")
    out = at.exp(x) + y
    out.name = name
    text = svg(out)
    ElementTree.fromstring(text.encode())
    assert "<script" not in text
    assert dot(out).count('"') % 2 == 0


def test_what_can_be_drawn() -> None:
    x = at.dvector("x")
    e = at.exp(x)
    drawings = [labels(g) for g in (e, [e], FunctionGraph([x], [e]), function([x], e))]
    assert all(found == drawings[0] for found in drawings)
    assert sorted(labels(x)) == ["(?)", "output", "x"]
    for wrong in (3, [], [3], "x", None):
        with pytest.raises(TypeError, match="wanted is a"):
            svg(wrong)


def test_marked_variables() -> None:
    x = at.dvector("x")
    inner = at.exp(x)
    assert svg(at.tanh(inner), marked=[inner]).count('"box op marked"') == 1


def test_the_width_of_letters() -> None:
    assert [columns(text) for text in ("abc", "漢字", "é", "e\u0301", "")] == [3, 4, 1, 1, 0]


def test_pictures_have_names_of_their_own() -> None:
    x = at.dvector("x")
    names = {re.search(r'marker id="(\w+)"', svg(e))[1] for e in (at.exp(x), at.tanh(x))}  # type: ignore[index]
    assert len(names) == 2
    assert svg(at.exp(x)) == svg(at.exp(x))


def test_graphviz() -> None:
    x = at.dvector('a"b\\')
    lines = dot(at.exp(x)).splitlines()
    assert lines[0] == "digraph relgraph {" and lines[-1] == "}"
    assert any(line.startswith(r'  n0 [label="a\"b\\"') for line in lines)
    assert '  n0 -> n1 [label="(?)"];' in lines


def test_few_lines_cross() -> None:
    left, right = at.dvector("l"), at.dvector("r")
    for _ in range(10):
        left, right = at.exp(left + right), at.tanh(right)
    assert _crossings(layers_of(picture_of([left, right]))) == 0
    crossed = [[Place(None, 0), Place(None, 0)], [Place(None, 1), Place(None, 1)]]
    for upper, lower in zip(crossed[0], reversed(crossed[1]), strict=True):
        upper.below.append(lower)
    assert _crossings(crossed) == 1


def test_fused_ops_are_named() -> None:
    x, y = at.dvectors("x", "y")
    f = function([x, y], [at.tanh(x + y) * x, at.sum(at.exp(x * y) + 1)])
    ops = {box.label: box.title for box in picture_of(f).boxes if box.kind == "op"}
    assert set(ops) == {"Composite{add, tanh, mul}", "Fused{mul, exp, add, sum}"}
    assert "mul(tanh(add(i0, i1)), i0)" in ops["Composite{add, tanh, mul}"]
