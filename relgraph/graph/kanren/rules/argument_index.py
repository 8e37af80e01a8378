"""An index of the arguments of a wide sum, by their ops and by what they read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op

AccessPath: TypeAlias = tuple[tuple[Op, int], ...]
"""A path from a variable towards the leaves: at each step an op, and the index of an input."""


class ArgumentIndex:
    """The arguments of a sum, by their ops and by what they read.

    Patterns that share a variable use it to find a pair of arguments without trying all pairs. It
    is filled at the first lookup.
    """

    __slots__ = ("_arguments", "_by_end", "_by_head", "_merged")

    def __init__(self, fgraph: Any, arguments: Sequence[Variable]) -> None:
        self._arguments = arguments
        self._merged = fgraph is not None and fgraph.merged
        self._by_head: dict[Any, list[tuple[int, Variable]]] | None = None
        self._by_end: dict[AccessPath, dict[Variable, list[tuple[int, Variable]]]] = {}

    def computed_by(self, op: Op) -> Sequence[tuple[int, Variable]]:
        """Return the arguments computed by `op`, in order, with their places."""
        if self._by_head is None:
            self._by_head = {}
            for place, var in enumerate(self._arguments):
                self._by_head.setdefault(var.head, []).append((place, var))
        return self._by_head.get(op, ())

    def reading(self, path: AccessPath, var: Variable) -> Sequence[tuple[int, Variable]]:
        """Return the arguments from which a path leads to `var`, with their places.

        In a graph that is not kept merged an equal variable would do as well, and all arguments
        with the first op of the path are returned.
        """
        if not self._merged or var.head is Constant:
            return self.computed_by(path[0][0])
        found = self._by_end.get(path)
        if found is None:
            found = self._by_end[path] = {}
            for place, argument in self.computed_by(path[0][0]):
                end = _end_of(path, argument)
                if end is not None:
                    found.setdefault(end, []).append((place, argument))
        return found.get(var, ())


_LAST: WeakKeyDictionary[Any, tuple[tuple[Variable, ...], ArgumentIndex]] = WeakKeyDictionary()


def index_of(fgraph: Any, arguments: Sequence[Variable]) -> ArgumentIndex:
    """Return an index of some arguments: the last one of a graph if that is of the same arguments.

    Each law that is tried on each client of a wide sum looks into that sum.
    """
    if not isinstance(fgraph, FunctionGraph):
        return ArgumentIndex(fgraph, arguments)
    wanted = tuple(arguments)
    known = _LAST.get(fgraph)
    if known is None or known[0] != wanted:
        known = _LAST[fgraph] = wanted, ArgumentIndex(fgraph, wanted)
    return known[1]


def _end_of(path: AccessPath, var: Variable) -> Variable | None:
    """Return the variable that a path leads to from `var`, or None if there is none."""
    for op, i in path:
        node = var.owner
        if node is None or node.op is not op or i >= len(node.inputs):
            return None
        var = node.inputs[i]
    return var
