"""A graph and the graph that a law puts in its place, evaluated node by node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.testing.judge.evaluation import Values
from relgraph.truth.moves import moved_inputs


class EvaluationError(Exception):
    """An op raised an error when one graph of a `RewritePair` was evaluated.

    Attributes
    ----------
    in_new
        Whether a node that only the new graph has raised it; if not, the old graph can't be
        evaluated for these values.
    singular
        Whether it refuses a singular matrix.
    """

    def __init__(self, error: Exception, in_new: bool) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.in_new = in_new
        self.singular = isinstance(error, np.linalg.LinAlgError)


class RewritePair:
    """A graph that a law matches and its replacement, ready to be evaluated many times.

    The values are those of `relgraph.graph.reference.evaluate`; here all intermediate values are
    kept, and the graphs are sorted only once.

    Parameters
    ----------
    inputs
        The inputs of both graphs.
    old, new
        The variable that the law matches, and its replacement.
    pattern_leaves
        The variables that the logic variables and numbers of the law's pattern stand for. What
        computes them is no part of what the law rewrites.

    Raises
    ------
    ValueError
        If an op overwrites its input.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        old: Variable,
        new: Variable,
        pattern_leaves: Iterable[Variable],
    ) -> None:
        self.inputs = list(inputs)
        self.old, self.new = old, new
        self.pattern_leaves = self._valid_leaves(list(pattern_leaves))
        self._old_nodes = io_toposort(self.inputs, [old])
        old_nodes = set(self._old_nodes)
        both = io_toposort(self.inputs, [old, new])
        self._new_nodes = [node for node in both if node not in old_nodes]
        for node in both:
            if node.op.destroy_map:
                raise ValueError(f"{node.op} destroys an input, which the reference does not do")
        constants: set[Constant] = set()
        constants.update(v for node in both for v in node.inputs if isinstance(v, Constant))
        constants.update(v for v in (old, new) if isinstance(v, Constant))
        self._constants: Values = {v: v.data for v in constants}

    def _valid_leaves(self, leaves: list[Variable]) -> list[Variable]:
        """Return `leaves`; no leaves if the new graph reads inputs from which they are computed."""
        known, inputs = set(leaves), set(self.inputs)
        nodes = io_toposort([*leaves, *self.inputs], [self.new])
        read = {self.new, *(v for node in nodes for v in node.inputs)}
        return [] if any(v in inputs and v not in known for v in read) else leaves

    def run(self, values: Sequence[Any]) -> Values:
        """Return the values of all variables of both graphs.

        Parameters
        ----------
        values
            The values of the inputs.

        Raises
        ------
        EvaluationError
            If an op raises.
        """
        known: Values = {**self._constants, **dict(zip(self.inputs, values, strict=True))}
        for nodes, in_new in ((self._old_nodes, False), (self._new_nodes, True)):
            for node in nodes:
                storage: list[list[Any]] = [[None] for _ in node.outputs]
                operands = [known[v] for v in node.inputs]
                try:
                    node.op.perform(node, operands, storage)
                except Exception as error:
                    raise EvaluationError(error, in_new) from error
                for out, cell in zip(node.outputs, storage, strict=True):
                    known[out] = cell[0]
        return known

    def nodes_of(self, side: Variable) -> list[Apply]:
        """Return the nodes that compute `old` or `new` from the pattern's leaves, inputs first."""
        return io_toposort([*self.pattern_leaves, *self.inputs], [side])


def is_elementwise(pair: RewritePair) -> bool:
    """Return whether what a law rewrites works element by element."""
    return all(isinstance(node.op, Elemwise | DimShuffle) for node in pair.nodes_of(pair.old))


def combines_elements(pair: RewritePair) -> bool:
    """Return whether an op in what a law rewrites computes elements of several elements of one."""
    nodes = pair.nodes_of(pair.old)
    return any(moved_inputs(n) is None and not isinstance(n.op, Elemwise) for n in nodes)
