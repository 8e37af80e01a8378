"""One node for each (op, inputs), one variable for each constant."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant, Variable

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

_EXACT = ("int", "uint", "bool")


def node_key(node: Apply) -> tuple[Any, ...]:
    """A key that two nodes have in common if they compute the same, bit for bit.

    That is the op and the inputs: in any order for two operands of a commutative op, and for more
    than two where the order of additions can't be told from the result (integers and booleans).
    """
    inputs, op = node.inputs, node.op
    if op.commutative and len(inputs) > 1 and not op.destroy_map:
        if len(inputs) == 2:
            a, b = inputs
            return (op, a, b) if id(a) <= id(b) else (op, b, a)
        if str(getattr(node.outputs[0].type, "dtype", "")).startswith(_EXACT):
            return (op, *sorted(inputs, key=id))
    return (op, *inputs)


def constant_key(constant: Constant) -> Hashable | None:
    """A key that two constants of one type and value have in common; None if it has none."""
    key = (constant.type, constant.signature())
    try:
        hash(key)
    except TypeError:
        return None
    return key


class ConstantTable:
    """The first constant met of each type and value stands for all of them."""

    __slots__ = ("_first", "_known")

    def __init__(self) -> None:
        self._first: dict[Hashable, Constant] = {}
        self._known: dict[Constant, Constant] = {}

    def representative(self, constant: Constant) -> Constant:
        """The constant that stands for `constant`, which may be itself."""
        found = self._known.get(constant)
        if found is None:
            key = constant_key(constant)
            found = constant if key is None else self._first.setdefault(key, constant)
            self._known[constant] = found
        return found


def replaceable_by(node: Apply, twin: Apply) -> bool:
    """Whether the outputs of `twin` may stand for those of `node`, as far as types go."""
    return all(
        a.type is b.type or a.type.is_super(b.type)
        for a, b in zip(node.outputs, twin.outputs, strict=True)
    )


class HashConsing:
    """The nodes of a graph by their keys.

    A node whose input changes is to be forgotten, and comes back under its new key when it is next
    looked up: a node of many inputs that all change is hashed once, not once for each.
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[Any, ...], Apply] = {}
        self._keys: dict[Apply, tuple[Any, ...]] = {}

    def twin(self, node: Apply) -> Apply | None:
        """Another node of the graph that computes the same as `node`, or None.

        `node` itself is entered into the table if there is none.
        """
        if node in self._keys:
            return None
        key = node_key(node)
        first = self._nodes.setdefault(key, node)
        if first is node:
            self._keys[node] = key
            return None
        return first

    def forget(self, node: Apply) -> None:
        """Take `node` out of the table."""
        key = self._keys.pop(node, None)
        if key is not None:
            del self._nodes[key]


def merge_pairs(fgraph: FunctionGraph, node: Apply, twin: Apply) -> list[tuple[Variable, Variable]]:
    """What to replace so that `twin` takes the place of `node`."""
    return [
        (old, new)
        for old, new in zip(node.outputs, twin.outputs, strict=True)
        if fgraph.clients.get(old)
    ]
