"""What PyTensor calls its ops, from the oldest version that this library works with to the newest.

Tables name them by text, as addresses within `pytensor`: an op that a version no longer has, or
does not have yet, is left out. What moved or changed its form is known here alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar

import pytensor

from relgraph.tensor.basic import static_int

T = TypeVar("T")

# The address that the newest version has, and the one of versions before it.
_MOVED = {
    "compile.rewriting.inline_ofg_node": "tensor.rewriting.ofg.inline_ofg_node",
    "conditional.op.IfElse": "ifelse.IfElse",
}


def named(address: str) -> Any:
    """Return what PyTensor has at an address, as ``"tensor.elemwise.Elemwise"``; None if it has no
    such module or no such name."""
    found = _at(address)
    return _at(_MOVED[address]) if found is None and address in _MOVED else found


def _at(address: str) -> Any:
    module, _, name = f"{pytensor.__name__}.{address}".rpartition(".")
    try:
        return getattr(import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        return None


def present(table: Mapping[str, T]) -> dict[Any, T]:
    """Return a table by PyTensor's ops instead of by their addresses, without those that it doesn't
    have."""
    found = [(named(address), value) for address, value in table.items()]
    return {op: value for op, value in found if op is not None}


def axis_and_others(op: Any, inputs: Sequence[Any], place: int) -> tuple[int | None, list[Any]]:
    """Return the axis of a node that joins, splits or sorts, and its other inputs.

    The axis is a parameter of the op, and was its input number `place` before; None if it
    isn't known.
    """
    if "axis" in op.__props__:
        return op.axis, list(inputs)
    return static_int(inputs[place]), [*inputs[:place], *inputs[place + 1 :]]


IfElse: Any = named("conditional.op.IfElse")
inline_ofg_node: Any = named("compile.rewriting.inline_ofg_node")
