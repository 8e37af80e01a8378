"""What a rewrite has changed, as the graph tells it, and which nodes that concerns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.clients import Client
from relgraph.graph.feature import Feature, takes_notes
from relgraph.graph.opt.dispatch import RewriterTables
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
    nested
        Sums left to the one sum that reads them. They are looked at again when something else
        begins to read them, or that sum no longer does.
    """

    def __init__(self, work: Worklist) -> None:
        self.version = 0
        self.imported = 0
        self.descent: dict[Apply, int] = {}
        self.nested: dict[Apply, None] = {}
        self._work = work
        self._woken: dict[Apply, None] = {}
        self._new: dict[Apply, None] = {}
        self._touched: dict[Apply, None] = {}
        self._dropped: dict[Variable, None] = {}

    @takes_notes
    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self.imported += 1
        self._new[node] = None
        if self.nested:
            for var in node.inputs:
                self._wake(var)

    @takes_notes
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
        if var.owner is not None:
            self._dropped[var] = None
        if self.nested:
            self._wake(var)
            self._wake(new_var)

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.version += 1
        self._work.discard(node)
        self.descent.pop(node, None)
        self._new.pop(node, None)
        self._touched.pop(node, None)
        if self.nested or self._woken:
            self.nested.pop(node, None)
            self._woken.pop(node, None)
            for var in node.inputs:
                self._wake(var)
        for var in node.inputs:
            if var.owner is not None:
                self._dropped[var] = None

    def _wake(self, var: Variable) -> None:
        node = var.owner
        if node is not None and node in self.nested:
            del self.nested[node]
            self._woken[node] = None

    def woken(self) -> Iterable[Apply]:
        """The nodes that were nested and may not be any more, since the last call."""
        woken = self._woken
        if woken:
            self._woken = {}
        return woken

    def same_again(self) -> None:
        """Forget what changed since the last call of `take`: it makes no difference to anybody."""
        self._touched.clear()
        self._dropped.clear()

    def take(
        self, fgraph: FunctionGraph, tables: RewriterTables
    ) -> tuple[list[Apply], list[Apply]]:
        """What is to be looked at because of the changes since the last call.

        Returns
        -------
        new, touched
            The new nodes, what they read before them; and the nodes whose inputs have changed, or
            that see something else than before within the reach of the rewriters: the nearest
            first.
        """
        new, self._new = self._new, {}
        touched, self._touched = self._touched, {}
        dropped, self._dropped = self._dropped, {}
        found = {node: None for node in touched if node not in new}
        clients = fgraph.clients
        alone: dict[Apply, None] = {}
        if tables.blind:
            # A node that has lost all readers but one is now free to be rewritten together with it.
            for var in dropped:
                readers = clients.get(var)
                if readers is not None and len(readers) == 1:
                    reader = readers[0][0]
                    if isinstance(reader, Apply):
                        alone[reader] = None
        for node in _seeing(clients, touched, alone, tables):
            if node not in new:
                found[node] = None
        return list(new), list(found)


def _seeing(
    clients: dict[Variable, list[Client]],
    level: dict[Apply, None],
    above: dict[Apply, None],
    tables: RewriterTables,
) -> list[Apply]:
    """The nodes within whose reach are those of `level`, and those of `above` one nearer."""
    found: list[Apply] = []
    climbed = set(above)
    reach, see_into, blind = tables.reach, tables.see_into, tables.blind
    for distance in range(1, reach(None)):
        for node in level:
            op = node.op
            for out in node.outputs:
                for reader, _ in clients.get(out, ()):
                    if (
                        not isinstance(reader, str)
                        and (distance < blind or see_into(reader.op, op))
                        and reader not in climbed
                    ):
                        climbed.add(reader)
                        above[reader] = None
        if not above:
            break
        found += [node for node in above if reach(node.op) > distance]
        level, above = above, {}
    return found


def nodes_above(fgraph: FunctionGraph, node: Apply, tables: RewriterTables) -> list[Apply]:
    """The nodes that see `node` within their reach."""
    return _seeing(fgraph.clients, {node: None}, {}, tables)
