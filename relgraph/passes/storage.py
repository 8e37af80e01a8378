"""What is known about storage before the run: which values are in it, and who reads them last.

All is seen in one fixed order of evaluation. A node that overwrites storage after its last other
reader in that order can't make a cycle, whatever other nodes overwrite by the same rule. So each
decision is local, and the graph need not be validated for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.destroyhandler import destroyed_indices
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.conditional.if_else import IfElse
from relgraph.tensor.conditional.laziness import Contexts


class StorageUse:
    """The uses of the storage of each variable of a graph, which must not change meanwhile.

    Parameters
    ----------
    fgraph
        The graph. What its ``mutable_inputs`` and ``borrowing_outputs`` allow is allowed; an
        update is in the storage of what it updates.

    Attributes
    ----------
    order
        The nodes in the order that decisions are made for.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.order = fgraph.toposort()
        self._fgraph = fgraph
        self._allowed = frozenset(getattr(fgraph, "mutable_inputs", ()))
        self._borrowing = frozenset(getattr(fgraph, "borrowing_outputs", ()))
        self._roots: dict[Variable, tuple[Variable, ...]] = {}
        self._last_reader: dict[Variable, int] = {}
        # who reads what, where a branch may keep a reader from running
        lazy = any(isinstance(node.op, IfElse) for node in self.order)
        self._contexts = Contexts(fgraph, self.order) if lazy else None
        self._readers: dict[Variable, list[Apply]] = {}
        # the outputs of the graph in some storage, by index
        self._results: dict[Variable, set[int]] = {}
        self._overwritten: set[Variable] = set()
        # the inputs of the graph in whose storage a value made by overwriting is
        self._in_inputs: dict[Variable, frozenset[Variable]] = {}
        for position, node in enumerate(self.order):
            self._read(node, position)
        for index, var in enumerate(fgraph.outputs):
            for root in self.roots(var):
                self._results.setdefault(root, set()).add(index)
        self._own_update = {
            fgraph.inputs[i]: k for k, i in (getattr(fgraph, "update_mapping", None) or {}).items()
        }

    def roots(self, var: Variable) -> tuple[Variable, ...]:
        """Return the variables in whose storage a variable may be, itself if it has its own.

        A value made by overwriting counts as one with storage of its own.
        """
        return self._roots.get(var, (var,))

    def _read(self, node: Apply, position: int) -> None:
        for var in node.inputs:
            for root in self.roots(var):
                self._last_reader[root] = position
                if self._contexts is not None:
                    self._readers.setdefault(root, []).append(node)
        for index, viewed in node.op.view_map.items():
            found = [root for i in viewed for root in self.roots(node.inputs[i])]
            if found:
                self._roots[node.outputs[index]] = tuple(dict.fromkeys(found))
        for index, overwritten in node.op.destroy_map.items():
            for i in overwritten:
                self._note(node.inputs[i], None if index is None else node.outputs[index])

    def _note(self, overwritten: Variable, made: Variable | None) -> None:
        roots = self.roots(overwritten)
        self._overwritten.update(roots)
        if made is not None:
            inputs = self._inputs_under(roots)
            if inputs:
                self._in_inputs[made] = inputs

    def _inputs_under(self, roots: Iterable[Variable]) -> frozenset[Variable]:
        """Return the inputs of the graph whose storage is that of `roots`."""
        found: set[Variable] = set()
        for root in roots:
            found.update([root] if root.owner is None else self._in_inputs.get(root, ()))
        return frozenset(found)

    def readers_after(self, position: int, i: int, made: Variable) -> int | None:
        """Return how far behind a node the last reader stands of what it would overwrite.

        Parameters
        ----------
        position
            The position of the node in the order.
        i
            Which input it would overwrite.
        made
            The output that would be in its storage.

        Returns
        -------
        distance
            0 if the node is the last reader, so that it may overwrite the input. None if it must
            not whatever the order: the storage is that of a constant, of a result, of an input
            that is protected, or of another input of the node, is overwritten already, or is read
            by what waits for a branch of an `IfElse` that need not be taken.
        """
        node = self.order[position]
        roots = self.roots(node.inputs[i])
        others = [v for j, v in enumerate(node.inputs) if j != i]
        if any(root in self.roots(v) for v in others for root in roots):
            return None
        for root in roots:
            protected = root.owner is None and root not in self._allowed
            if protected or root in self._overwritten or root in self._results:
                return None
            if isinstance(root, Constant):
                return None
        if self._contexts is not None and any(
            self._contexts.runs_without(node, reader)
            for root in roots
            for reader in self._readers.get(root, ())
        ):
            return None
        # a result in the storage of an input would be copied in the end
        results = self._results.get(made, set())
        if not results <= self._borrowing and any(
            self._own_update.get(v) not in results for v in self._inputs_under(roots)
        ):
            return None
        return max(self._last_reader[root] for root in roots) - position

    def overwrite(self, position: int, i: int, made: Variable) -> None:
        """Note that the node at a position overwrites its input `i`, with an output made there."""
        self._note(self.order[position].inputs[i], made)


def overwrites_nothing(node: Apply) -> bool:
    """Return whether a node overwrites none of its inputs."""
    return not (node.op.destroy_map and destroyed_indices(node))
