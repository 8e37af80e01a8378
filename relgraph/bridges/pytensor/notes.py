"""What a variable or a node remembers of where it came from, so that a round trip ends where it
began.

An input notes its counterpart. A node made for one of PyTensor's notes that node's outputs, and the
op and the inputs that it had then: as long as it still has them, and these are unchanged too, it
means what it meant. A node that rewriting has changed, or a copy on other inputs, fails that test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply, Variable


class NodeOrigin(NamedTuple):
    """What a node was when it was read.

    Attributes
    ----------
    op, inputs
        Its op and its inputs.
    outputs
        For each output the variable of PyTensor's that it stands for, or None if it stands for
        none: if it is in the midst of several nodes that one of PyTensor's has become.
    """

    op: Any
    inputs: tuple[Variable, ...]
    outputs: tuple[Any, ...]


def note_counterpart(ours: Variable, theirs: Any) -> None:
    """Let an input or constant of this library and one of PyTensor's know each other."""
    ours.tag.pytensor = theirs
    theirs.tag.relgraph = ours


def counterpart_in_pytensor(ours: Variable) -> Any:
    """Return the variable of PyTensor's that an input or constant came from, or None."""
    return getattr(ours.tag, "pytensor", None)


def counterpart_in_relgraph(theirs: Any) -> Variable | None:
    """Return the variable of this library that an input of PyTensor's came from, or None.

    A copy of the input has a copy of the note, and is another input.
    """
    ours = getattr(theirs.tag, "relgraph", None)
    return None if ours is None or counterpart_in_pytensor(ours) is not theirs else ours


def note_origins(nodes: Sequence[Apply], found: Mapping[Any, Variable]) -> None:
    """Note on nodes that were read what they were read from.

    Parameters
    ----------
    found
        The variables that were read, by PyTensor's.
    """
    theirs: dict[Variable, Any] = {}
    for one, ours in found.items():
        theirs.setdefault(ours, one)
    for node in nodes:
        if getattr(node.tag, "pytensor", None) is None:
            node.tag.pytensor = NodeOrigin(
                node.op, tuple(node.inputs), tuple([theirs.get(out) for out in node.outputs])
            )


def unchanged_origin(node: Apply) -> NodeOrigin | None:
    """Return the note on a node, if it still has the inputs it had; whether these are unchanged is
    for the caller to see."""
    origin = getattr(node.tag, "pytensor", None)
    if origin is None or origin.op is not node.op or len(origin.inputs) != len(node.inputs):
        return None
    same = all(a is b for a, b in zip(origin.inputs, node.inputs, strict=True))
    return origin if same else None
