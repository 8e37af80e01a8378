"""A feature that prints the changes of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from relgraph.graph.features.feature import Feature

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.fg import FunctionGraph


class PrintListener(Feature):
    """Prints what happens to the graph.

    Parameters
    ----------
    active
        Whether to print. It may be set later.
    """

    def __init__(self, active: bool = True) -> None:
        self.active = active

    def _print(self, message: str) -> None:
        if self.active:
            print(f"-- {message}")

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._print(f"attaching to {fgraph}")

    def on_detach(self, fgraph: FunctionGraph) -> None:
        self._print(f"detaching from {fgraph}")

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._print(f"importing {node}, reason: {reason}")

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._print(f"pruning {node}, reason: {reason}")

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self._print(f"changing input {i} of {node} from {var} to {new_var}, reason: {reason}")
