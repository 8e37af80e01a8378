"""Layers of a picture: what stands in which row, and in which order, so that few edges cross.

A layered layout after Sugiyama, Tagawa and Toda (1981). Boxes stand in the even rows and labels in
the odd ones, each right above the box that its edge leads to. What one box gives to several others
runs along one trunk, so that shared values do not fill the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from relgraph.display.drawing.picture import Box, Edge, Picture

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
        ends = [position[end] for place in upper for end in sorted(place.below, key=position.get)]  # type: ignore[arg-type]
        total += _inversions(ends, len(lower))
    return total


def _inversions(numbers: list[int], bound: int) -> int:
    """Return how many pairs of numbers stand in the wrong order, by a Fenwick tree."""
    tree = [0] * (bound + 1)
    count = 0
    for seen, number in enumerate(numbers):
        i, not_greater = number + 1, 0
        while i > 0:
            not_greater += tree[i]
            i -= i & -i
        count += seen - not_greater
        i = number + 1
        while i <= bound:
            tree[i] += 1
            i += i & -i
    return count
