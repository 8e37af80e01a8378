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


@pytest.fixture
def graphs() -> Graphs:
    return Graphs()
