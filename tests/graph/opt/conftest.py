"""Graphs of numbers for the tests of rewriters."""

from typing import Any

import pytest

from relgraph.graph.fg import FunctionGraph
from relgraph.scalar import float64


class Graphs:
    """Three inputs, and graphs over them."""

    def __init__(self) -> None:
        self.x, self.y, self.z = (float64(name) for name in "xyz")
        self.inputs = [self.x, self.y, self.z]

    def __call__(self, *outputs: Any, **kwargs: Any) -> FunctionGraph:
        """A FunctionGraph over the three inputs, not cloned."""
        return FunctionGraph(self.inputs, list(outputs), clone=False, **kwargs)

    def value(self, fgraph: FunctionGraph, *values: float) -> list[Any]:
        """The outputs of a graph, computed one node at a time."""
        known = dict(zip(fgraph.inputs, values, strict=True))
        for node in fgraph.toposort():
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            node.op.perform(
                node, [known.get(v, getattr(v, "data", None)) for v in node.inputs], cells
            )
            known.update({out: cell[0] for out, cell in zip(node.outputs, cells, strict=True)})
        return [known.get(v, getattr(v, "data", None)) for v in fgraph.outputs]


@pytest.fixture
def graphs() -> Graphs:
    return Graphs()
