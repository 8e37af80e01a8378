"""What a rewrite has changed, as the graph tells it, and which nodes that concerns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.feature import Feature
from relgraph.graph.opt.hashcons import HashConsing
from relgraph.graph.opt.worklist import Worklist

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class Changes(Feature):
    """Collects the events of a graph between two looks, and forgets what they make obsolete.

    Attributes
    ----------
    version
        Grows with every change of the graph.
    imported
        The number of nodes that came in so far.
    descent
        For each node that was made by a rewrite, how many rewrites of rewrites led to it.
    """

    def __init__(self, work: Worklist, consing: HashConsing) -> None:
        self.version = 0
        self.imported = 0
        self.descent: dict[Apply, int] = {}
        self._work = work
        self._consing = consing
        self._new: dict[Apply, None] = {}
        self._touched: dict[Apply, None] = {}
        self._dropped: dict[Variable, None] = {}

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self.imported += 1
        self._new[node] = None

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Any,
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self.version += 1
        if isinstance(node, Apply):
            self._touched[node] = None
            self._consing.forget(node)
        self._dropped[var] = None

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self._work.discard(node)
        self._consing.forget(node)
        self.descent.pop(node, None)
        self._new.pop(node, None)
        self._touched.pop(node, None)
        for var in node.inputs:
            self._dropped[var] = None

    def take(
        self, fgraph: FunctionGraph, reach: Callable[[Any], int]
    ) -> tuple[list[Apply], list[Apply]]:
        """What is to be looked at because of the changes since the last call.

        Parameters
        ----------
        reach
            How many levels of nodes the rewriters for a node of an op look at; under None, the
            most that any of them does.

        Returns
        -------
        new, touched
            The new nodes, what they read before them; and the nodes that see something else than
            before within their reach: the nearest first.
        """
        new, self._new = self._new, {}
        level, self._touched = self._touched, {}
        dropped, self._dropped = self._dropped, {}
        found = dict.fromkeys(node for node in level if node not in new)
        deepest = reach(None)
        # A node that has lost all readers but one is now free to be rewritten together with it.
        alone: list[Apply] = []
        for var in dropped:
            readers = None if var.owner is None else fgraph.clients.get(var)
            if readers is not None and len(readers) == 1:
                reader = readers[0][0]
                if isinstance(reader, Apply):
                    alone.append(reader)
        climbed: set[Apply] = set()
        for distance in range(1, deepest):
            above = dict.fromkeys(alone) if distance == 1 else {}
            for node in level:
                for out in node.outputs:
                    for reader, _ in fgraph.clients.get(out, ()):
                        if isinstance(reader, Apply) and reader not in climbed:
                            climbed.add(reader)
                            above[reader] = None
            for node in above:
                if node not in new and reach(node.op) > distance:
                    found[node] = None
            level = above
        return list(new), list(found)
