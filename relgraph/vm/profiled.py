"""Runs a graph a node at a time, by any linker, and notes the time of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.conditional.if_else import IfElse
from relgraph.vm.kernels import Runner, lazy_kernel
from relgraph.vm.linker import Linker
from relgraph.vm.schedule import Branch, Schedule, schedule


@dataclass
class NodeTimes:
    """The times of nodes.

    Attributes
    ----------
    seconds, calls
        For each node, how long and how often it was run. Of an `IfElse` that is the time of the
        branch that was taken, the nodes of which are listed too.
    peak_bytes
        The most memory that values of nodes took at a time, views aside.
    """

    seconds: dict[Apply, float] = field(default_factory=dict)
    calls: dict[Apply, int] = field(default_factory=dict)
    peak_bytes: int = 0

    def add(self, node: Apply, seconds: float) -> None:
        """Note that a node was run."""
        self.seconds[node] = self.seconds.get(node, 0.0) + seconds
        self.calls[node] = self.calls.get(node, 0) + 1

    def slowest(self) -> list[Apply]:
        """Return the nodes, those first that took most time."""
        return sorted(self.seconds, key=lambda node: -self.seconds[node])

    def by_op(self) -> list[tuple[str, float, int, int]]:
        """Return for each op its name, its seconds, its calls and how many nodes it has."""
        found: dict[str, tuple[float, int, int]] = {}
        for node, seconds in self.seconds.items():
            name = str(node.op)
            known, calls, nodes = found.get(name, (0.0, 0, 0))
            found[name] = (known + seconds, calls + self.calls[node], nodes + 1)
        return [(name, *row) for name, row in sorted(found.items(), key=lambda r: -r[1][0])]


class ProfiledRunner:
    """A callable that computes the outputs of a graph, a node at a time.

    Each node is a graph of its own for the linker, so that its time is what the linker takes for
    it. Values are passed on between nodes as arrays.

    Parameters
    ----------
    linker
        What runs the nodes.
    fgraph
        The graph.
    times
        What the times are added to.

    Attributes
    ----------
    import_time
        The sum of the import times of the nodes' programs.
    """

    def __init__(self, linker: Linker, fgraph: FunctionGraph, times: NodeTimes) -> None:
        self.import_time = 0.0
        self._linker = linker
        self._times = times
        self._live_bytes = 0
        self._run = self._runner(schedule(fgraph), fgraph.inputs, fgraph.outputs)

    def __call__(self, *values: Any) -> list[Any]:
        self._live_bytes = 0
        return self._run(*values)

    def _runner(
        self, plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable]
    ) -> Runner:
        steps = [
            (node, *self._step(plan, node), dead)
            for node, dead in zip(plan.nodes, plan.dead_after, strict=True)
        ]
        constants: dict[Variable, Any] = {v: v.data for v in outputs if isinstance(v, Constant)}

        def run(*values: Any) -> list[Any]:
            storage: dict[Variable, Any] = dict(constants)
            storage.update(zip(inputs, values, strict=True))
            sizes: dict[Variable, int] = {}
            for node, read, compute, dead in steps:
                arguments = [storage[v] for v in read]
                started = perf_counter()
                results = compute(*arguments)
                self._times.add(node, perf_counter() - started)
                storage.update(zip(node.outputs, results, strict=True))
                self._count(node, results, sizes)
                for var in dead:
                    del storage[var]
                    self._live_bytes -= sizes.pop(var, 0)
            self._live_bytes -= sum(sizes.values())
            return [storage[v] for v in outputs]

        return run

    def _count(self, node: Apply, results: Sequence[Any], sizes: dict[Variable, int]) -> None:
        """Count the bytes of the outputs of a node that take storage of their own."""
        shared = () if isinstance(node.op, IfElse) else (*node.op.view_map, *node.op.destroy_map)
        for i, (var, value) in enumerate(zip(node.outputs, results, strict=True)):
            if i not in shared:
                sizes[var] = int(getattr(value, "nbytes", 0))
                self._live_bytes += sizes[var]
        self._times.peak_bytes = max(self._times.peak_bytes, self._live_bytes)

    def _step(
        self, plan: Schedule, node: Apply
    ) -> tuple[list[Variable], Callable[..., Sequence[Any]]]:
        """Return what a node reads, and a function that computes it."""
        if node in plan.branches:
            return self._choice(plan, node)
        read = [v for v in dict.fromkeys(node.inputs) if not isinstance(v, Constant)]
        run = self._linker.link(FunctionGraph(read, node.outputs, clone=True))
        self.import_time += getattr(run, "import_time", 0.0)
        return read, run

    def _choice(
        self, plan: Schedule, node: Apply
    ) -> tuple[list[Variable], Callable[..., Sequence[Any]]]:
        def link(branch: Branch) -> Runner:
            return self._runner(branch.plan, branch.inputs, branch.outputs)

        kernel = lazy_kernel(plan, node, link)
        condition, *read = plan.reads(node)

        def compute(*values: Any) -> list[Any]:
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            kernel(values, cells)
            return [cell[0] for cell in cells]

        if isinstance(condition, Constant):
            return read, partial(compute, condition.data)
        return [condition, *read], compute


def duration(seconds: float) -> str:
    """Return a time with three digits, in the unit that it is read in."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 999.5 * size else f"{seconds:,.0f} s"
    return f"{seconds / 1e-9:.0f} ns"
