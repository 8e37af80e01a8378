"""A feature that refuses outputs which are made by overwriting an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph.features.feature import Feature
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class NoOutputFromInplace(Feature):
    """Refuses graphs some of whose outputs are made by overwriting an input of their node.

    Parameters
    ----------
    first_output_idx, last_output_idx
        Which outputs, as in a slice: from the first on, up to but without the last.
    """

    def __init__(self, first_output_idx: int = 0, last_output_idx: int | None = None) -> None:
        self.first_output_idx = first_output_idx
        self.last_output_idx = last_output_idx

    def validate(self, fgraph: FunctionGraph) -> None:
        """Raise InconsistencyError if an output is made in place."""
        first = self.first_output_idx
        for i, out in enumerate(fgraph.outputs[first : self.last_output_idx], first):
            node = out.owner
            if node is not None and node.op.destroy_map.get(out.index):
                raise InconsistencyError(
                    f"output {i} of the graph, {out}, is made by {node}, which overwrites an input"
                )
