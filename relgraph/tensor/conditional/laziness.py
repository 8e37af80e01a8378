"""Which nodes only one branch of an `IfElse` needs, so that they can wait until it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.conditional.if_else import IfElse

# What is nested deeper is not lazy: branches are run by functions that call each other.
MAX_NESTING = 64


class Context:
    """Where nodes run: in any case, or inside a branch of a node, which has a context itself."""

    def __init__(self, outside: Context | None) -> None:
        self.outside = outside
        self.depth: int = 0 if outside is None else outside.depth + 1


class Contexts:
    """The contexts of the nodes of a graph.

    Where several nodes need a value, it is computed in the innermost context around all of them. So
    is what has to run before a node that overwrites its input: it must not wait for a branch.

    Parameters
    ----------
    fgraph
        The graph.
    nodes
        Its nodes in order.

    Attributes
    ----------
    root
        The context of what is needed in any case.
    of_node
        The context of each node.
    of_branch
        For an `IfElse` and whether its condition is true, the context of that branch.
    """

    def __init__(self, fgraph: FunctionGraph, nodes: Sequence[Apply]) -> None:
        self.root = Context(None)
        self.of_node: dict[Apply, Context] = {}
        self.of_branch: dict[tuple[Apply, bool], Context] = {}
        # the context in which a variable or a node has to be there, as far as is known
        self._wanted: dict[Any, Context] = {}
        orderings = fgraph.orderings()
        for var in fgraph.outputs:
            self._want(var, self.root)
        for node in reversed(nodes):
            self._place(node)
            for before in orderings.get(node, ()):
                self._want(before, self.of_node[node])

    def runs_without(self, node: Apply, other: Apply) -> bool:
        """Return whether a node may run where another one does not: in a branch that that one is
        not in."""
        context = self.of_node[node]
        return _around(context, self.of_node[other]) is not self.of_node[other]

    def _place(self, node: Apply) -> None:
        for var in node.outputs:
            if var in self._wanted:
                self._want(node, self._wanted[var])
        context = self.of_node[node] = self._wanted.get(node, self.root)
        if not isinstance(node.op, IfElse) or context.depth >= MAX_NESTING:
            for var in node.inputs:
                self._want(var, context)
            return
        self._want(node.inputs[0], context)
        for taken, branch in zip((True, False), node.op.branches(node.inputs), strict=True):
            inside = self.of_branch[node, taken] = Context(context)
            for var in branch:
                self._want(var, inside)

    def _want(self, what: Any, context: Context) -> None:
        known = self._wanted.get(what)
        self._wanted[what] = context if known is None else _around(known, context)


def _around(a: Context, b: Context) -> Context:
    """Return the innermost context that both are in."""
    while a is not b:
        if a.depth >= b.depth:
            assert a.outside is not None
            a = a.outside
        else:
            assert b.outside is not None
            b = b.outside
    return a
