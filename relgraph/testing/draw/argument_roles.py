"""The kinds of arguments that ops take: a tensor, a length, a shape, an index, a condition..."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren.rules.rule import Output, split
from relgraph.graph.op import Op

# For the classes of ops whose arguments are not all tensors: the first position of an argument of
# another kind, and the kind of the arguments from there on.
_ROLES: dict[str, tuple[int, str]] = {
    "Alloc": (1, "length"),
    "Eye": (0, "length"),
    "ARange": (0, "length"),
    "MakeVector": (0, "length"),
    "Reshape": (1, "shape"),
    "Split": (1, "split_lengths"),
    "Subtensor": (1, "index"),
    "IncSubtensor": (2, "index"),
    "AdvancedSubtensor": (1, "indices"),
    "AdvancedIncSubtensor": (2, "indices"),
    "Assert": (1, "assertion"),
}
_LOGICAL = ("and_", "or_", "xor", "invert")


def role_of(cls: type | None, scalar_name: str, position: int) -> tuple[str, int]:
    """Return the kind of argument that an op takes at a position.

    Parameters
    ----------
    cls
        The class of the op; None if it is unknown.
    scalar_name
        The name of the scalar op of an elementwise op; an empty string for any other op.
    position
        The position of the argument.

    Returns
    -------
    role
        ``tensor``; ``length`` of an axis; ``shape``, a vector; ``split_lengths``, the vector that
        splits an axis; ``index``, an integer; ``indices``, an array; ``condition`` of a switch;
        ``assertion``, a boolean; ``logical``, an operand of a logical op.
    number
        Its position among the arguments of the same kind.
    """
    if scalar_name == "switch" and position == 0:
        return "condition", 0
    if scalar_name in _LOGICAL:
        return "logical", position
    first, role = _ROLES.get(cls.__name__, (0, "tensor")) if cls is not None else (0, "tensor")
    return ("tensor", position) if position < first else (role, position - first)


def class_and_scalar_name(head: Any) -> tuple[type | None, str]:
    """Return the class and the name of the scalar op of the head of a term.

    Parameters
    ----------
    head
        An op, a term for an op, one output of either, or a logic variable.

    Returns
    -------
    cls
        None if it is unknown.
    scalar_name
        An empty string if there is no scalar op, or it is unknown.
    """
    if isinstance(head, Output):
        return class_and_scalar_name(head.op)
    if isinstance(head, Op):
        return type(head), str(getattr(getattr(head, "scalar_op", None), "name", ""))
    parts = split(head)
    if parts is not None and isinstance(parts[0], type):
        return parts[0], ""
    return None, ""
