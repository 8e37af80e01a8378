"""Graphs in the language of Graphviz."""

from __future__ import annotations

from typing import Any

from relgraph.display.drawing.picture import MOST_NODES, Box, picture_of

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
