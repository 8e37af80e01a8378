"""Notes on exceptions: the node that raised, and the shapes and dtypes of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.printing import debugprint

NOTE_DEPTH = 3
_BEGINNING = "while computing this node:"


def add_node_note(
    exc: BaseException, node: Apply, variables: Sequence[Variable], values: Sequence[Any]
) -> None:
    """Add a note to an exception: the node that was computed, and the values it was computed from.

    A node inside the branch of another has the first word.
    """
    if any(note.startswith(_BEGINNING) for note in getattr(exc, "__notes__", ())):
        return
    text = debugprint(node, depth=NOTE_DEPTH, print_type=True, file="str")
    lines = [f"{_BEGINNING}\n{text}"]
    for i, (var, value) in enumerate(zip(variables, values, strict=True)):
        lines.append(f"input {i}, {var} of type {var.type}: {_description(value)}")
    exc.add_note("\n".join(lines))


def _description(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"a {type(value).__name__}"
    return f"shape {shape}, dtype {dtype}"
