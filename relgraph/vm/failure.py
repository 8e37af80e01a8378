"""What is said about a node whose computation failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.printing import debugprint

SHOWN_LEVELS = 3


def explain_failure(exc: BaseException, node: Apply, values: Sequence[Any]) -> None:
    """Note on an exception, which keeps its class, which node was computed from which inputs."""
    text = debugprint(node, depth=SHOWN_LEVELS, print_type=True, file="str")
    lines = [f"while computing this node:\n{text}"]
    for i, (var, value) in enumerate(zip(node.inputs, values, strict=True)):
        lines.append(f"input {i}, {var} of type {var.type}: {_describe(value)}")
    exc.add_note("\n".join(lines))


def _describe(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"a {type(value).__name__}"
    return f"shape {shape}, dtype {dtype}"
