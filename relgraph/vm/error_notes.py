"""Notes on exceptions: the node that raised, and the shapes and dtypes of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.printing import debugprint

NOTE_DEPTH = 3


def add_node_note(exc: BaseException, node: Apply, values: Sequence[Any]) -> None:
    """Add a note to an exception: the node that was computed, and its inputs."""
    text = debugprint(node, depth=NOTE_DEPTH, print_type=True, file="str")
    lines = [f"while computing this node:\n{text}"]
    for i, (var, value) in enumerate(zip(node.inputs, values, strict=True)):
        lines.append(f"input {i}, {var} of type {var.type}: {_description(value)}")
    exc.add_note("\n".join(lines))


def _description(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"a {type(value).__name__}"
    return f"shape {shape}, dtype {dtype}"
