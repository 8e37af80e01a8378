"""From a graph to a function of values, in two ways: the reference and the fast one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.vm.failure import explain_failure
from relgraph.vm.kernels import kernel_of
from relgraph.vm.program import write_program
from relgraph.vm.schedule import schedule

# Takes the values of a graph's inputs, gives the list of the values of its outputs.
Runner = Callable[..., list[Any]]


class Linker(Protocol):
    """A way to run graphs."""

    name: str

    def link(self, fgraph: FunctionGraph) -> Runner:
        """Return a function from the values of the graph's inputs to those of its outputs.

        It may be called by several threads at once, unless an op makes thunks of its own. An
        exception in a node is noted with the node and the shapes of its inputs.
        """


class PyLinker:
    """The reference: one `perform` after the other, in order."""

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
                    explain_failure(exc, node, arguments)
                    raise
                for var, cell in zip(node.outputs, cells, strict=True):
                    storage[var] = cell[0]
                for var in dead:
                    del storage[var]
            return [storage[v] for v in outputs]

        return run


class VMLinker:
    """The whole graph as straight-line Python over local variables."""

    name = "vm"

    def link(self, fgraph: FunctionGraph) -> Runner:
        return write_program(schedule(fgraph), list(fgraph.inputs), list(fgraph.outputs))


LINKERS: dict[str, Linker] = {linker.name: linker for linker in (PyLinker(), VMLinker())}
