"""The linkers: `PyLinker`, the reference, and `VMLinker`, which generates Python source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.vm.error_notes import add_node_note
from relgraph.vm.kernels import kernel_of
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import schedule

Runner = Callable[..., list[Any]]
"""Takes the values of the inputs of a graph; returns the list of the values of its outputs."""


class Linker(Protocol):
    """A way to run graphs."""

    name: str

    def link(self, fgraph: FunctionGraph) -> Runner:
        """Return a function that computes the outputs of a graph from its inputs.

        Several threads may call it at the same time, unless an op of the graph makes thunks. An
        exception that a node raises gets a note with the node and the shapes of its inputs.
        """


class PyLinker:
    """The reference: runs the `perform` of one node after another."""

    name = "py"

    def link(self, fgraph: FunctionGraph) -> Runner:
        plan = schedule(fgraph)
        steps = [
            (node, kernel_of(node), dead)
            for node, dead in zip(plan.nodes, plan.dead_after, strict=True)
        ]
        inputs, outputs = list(fgraph.inputs), list(fgraph.outputs)
        constants: dict[Variable, Any] = {
            v: v.data
            for v in (*outputs, *(v for node in plan.nodes for v in node.inputs))
            if isinstance(v, Constant)
        }

        def run(*values: Any) -> list[Any]:
            storage: dict[Variable, Any] = dict(constants)
            storage.update(zip(inputs, values, strict=True))
            for node, kernel, dead in steps:
                arguments = [storage[v] for v in node.inputs]
                cells: list[list[Any]] = [[None] for _ in node.outputs]
                try:
                    kernel(arguments, cells)
                except Exception as exc:
                    add_node_note(exc, node, arguments)
                    raise
                for var, cell in zip(node.outputs, cells, strict=True):
                    storage[var] = cell[0]
                for var in dead:
                    del storage[var]
            return [storage[v] for v in outputs]

        return run


class VMLinker:
    """Generates straight-line Python source for the whole graph, with a local for each value."""

    name = "vm"

    def link(self, fgraph: FunctionGraph) -> Runner:
        return generate_program(schedule(fgraph), list(fgraph.inputs), list(fgraph.outputs))


LINKERS: dict[str, Linker] = {linker.name: linker for linker in (PyLinker(), VMLinker())}
