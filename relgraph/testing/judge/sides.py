"""Both sides of an instance of a law, evaluated one `perform` at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort

Values = dict[Variable, Any]


class SideError(Exception):
    """One side of an instance raised an error when it was evaluated.

    Attributes
    ----------
    new
        Whether it was the side that the law gave; else the instance itself makes no sense.
    """

    def __init__(self, error: Exception, new: bool) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.new = new


class Sides:
    """What a law was given and what it gave, ready to be evaluated many times.

    This computes what `relgraph.graph.reference.evaluate` does, keeps all intermediate values, and
    sorts the graph only once.

    Parameters
    ----------
    inputs
        The variables that are given values.
    old, new
        The two sides.
    leaves
        Where the law's own part of the graph begins: what its variables were bound to.
    """

    def __init__(
        self, inputs: Sequence[Variable], old: Variable, new: Variable, leaves: Iterable[Variable]
    ) -> None:
        self.inputs = list(inputs)
        self.old, self.new = old, new
        self.leaves = self._cut(list(leaves))
        self._old_nodes = io_toposort(self.inputs, [old])
        known = set(self._old_nodes)
        both = io_toposort(self.inputs, [old, new])
        self._new_nodes = [node for node in both if node not in known]
        for node in both:
            if node.op.destroy_map:
                raise ValueError(f"{node.op} destroys an input, which the reference does not do")
        constants: set[Constant] = set()
        constants.update(v for node in both for v in node.inputs if isinstance(v, Constant))
        constants.update(v for v in (old, new) if isinstance(v, Constant))
        self._constants: Values = {v: v.data for v in constants}

    def _cut(self, leaves: list[Variable]) -> list[Variable]:
        """Return `leaves`, or none if the law took apart what they compute."""
        known, inputs = set(leaves), set(self.inputs)
        nodes = io_toposort([*leaves, *self.inputs], [self.new])
        read = {v for node in nodes for v in node.inputs}
        return [] if any(v in inputs and v not in known for v in read) else leaves

    def run(self, values: Sequence[Any]) -> Values:
        """Return the values of all variables.

        Raises
        ------
        SideError
            If an op raises.
        """
        known: Values = {**self._constants, **dict(zip(self.inputs, values, strict=True))}
        for nodes, new in ((self._old_nodes, False), (self._new_nodes, True)):
            for node in nodes:
                storage: list[list[Any]] = [[None] for _ in node.outputs]
                given = [known[v] for v in node.inputs]
                try:
                    node.op.perform(node, given, storage)
                except Exception as error:
                    raise SideError(error, new) from error
                for out, cell in zip(node.outputs, storage, strict=True):
                    known[out] = cell[0]
        return known

    def nodes_of(self, side: Variable) -> list[Apply]:
        """Return the nodes between the law's leaves and a side, inputs first."""
        return io_toposort([*self.leaves, *self.inputs], [side])
