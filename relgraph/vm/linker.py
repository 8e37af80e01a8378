"""The linkers: `PyLinker`, the reference, `VMLinker`, which generates Python source, and engines
that are loaded on first use.

`keep_freed_memory` keeps memory that was freed with the process. `ProfiledRunner` runs a graph a
node at a time, by any linker, and notes the time of each.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any, Protocol

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.settings import TIERS, config
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.memory import KeptStorage, taken_from
from relgraph.vm.codegen import add_node_note
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import (
    Branch,
    Runner,
    Schedule,
    lazy_runner,
    runner_of,
    schedule,
)

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The parameters of glibc's `mallopt`: how much free memory at the end of the heap is given back,
and from which size on an array is mapped by itself."""

MAPPED_BYTES = 32 * 1024 * 1024
"""The most that glibc takes for the second one. Larger arrays are kept by `KeptStorage`."""

ENVIRONMENT = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")
"""Where users set the same parameters."""


@cache
def keep_freed_memory(most: int) -> bool:
    """Let the process keep up to so many bytes of freed memory, of which new arrays are made.

    Returns
    -------
    bool
        Whether the C library does so: glibc does, unless the environment says something else.
    """
    if most == 0 or any(name in os.environ for name in ENVIRONMENT):
        return False
    if "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "") or not _is_glibc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(TRIM_THRESHOLD, most)) and bool(mallopt(MMAP_THRESHOLD, MAPPED_BYTES))


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False


class Linker(Protocol):
    """A way to run graphs.

    A linker may also have `excluded`, the tags of what a mode with it leaves out: laws and passes
    that are for other machines; `rounds`, whether its results differ from those of the
    reference by rounding; and `flushes`, whether it takes subnormal numbers for zero.
    """

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
        return _one_by_one(schedule(fgraph), fgraph.inputs, fgraph.outputs)


Link = Callable[[Apply], tuple[list[Variable], Runner]]
"""Takes a node; returns what it reads, and what computes it from that."""

Wrap = Callable[[Schedule, int, Runner], Runner]
"""Takes a schedule, the number of a node in it, and what computes the node; returns what does."""


def _by_op(node: Apply) -> tuple[list[Variable], Runner]:
    return node.inputs, runner_of(node)


def _one_by_one(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    link: Link = _by_op,
    wrap: Wrap = lambda plan, number, run: run,
) -> Runner:
    """Return a function that computes the nodes of a schedule one after another.

    Parameters
    ----------
    plan, inputs, outputs
        The schedule, and the inputs and outputs of its graph.
    """

    def of_branch(branch: Branch) -> Runner:
        return _one_by_one(branch.plan, branch.inputs, branch.outputs, link, wrap)

    steps = []
    for number, (node, dead) in enumerate(zip(plan.nodes, plan.dead_after, strict=True)):
        if node in plan.branches:
            reads, compute = plan.reads(node), lazy_runner(plan, node, of_branch)
        else:
            reads, compute = link(node)
        steps.append((node, reads, wrap(plan, number, compute), dead))
    constants: dict[Variable, Any] = {
        v: v.data
        for v in (*outputs, *(v for _, reads, _, _ in steps for v in reads))
        if isinstance(v, Constant)
    }

    def run(*values: Any) -> list[Any]:
        storage: dict[Variable, Any] = dict(constants)
        storage.update(zip(inputs, values, strict=True))
        for node, reads, compute, dead in steps:
            arguments = [storage[v] for v in reads]
            try:
                results = compute(*arguments)
            except Exception as exc:
                add_node_note(exc, node, reads, arguments)
                raise
            storage.update(zip(node.outputs, results, strict=True))
            for var in dead:
                del storage[var]
        return [storage[v] for v in outputs]

    return run


@dataclass
class NodeCall:
    """One call of a node, as `MonitorLinker` shows it.

    Attributes
    ----------
    inputs, outputs
        For each a list that holds the value; None for an output that is not computed yet.
    """

    inputs: list[list[Any]]
    outputs: list[list[Any]]


Hook = Callable[[int, Apply, NodeCall], Any]
"""Takes the number of a node in the order of the program, the node, and the call of it."""


class MonitorLinker:
    """Runs one node after another, and calls functions before and after each.

    Nodes are neither fused nor written over their inputs. The nodes of a branch of an `IfElse` have
    numbers of their own; the step of a loop is one node.

    Parameters
    ----------
    before, after
        What is called; None for nothing.
    """

    name = "monitor"
    excluded = ("elemwise_fusion", "inplace")

    def __init__(self, before: Hook | None = None, after: Hook | None = None) -> None:
        self._before, self._after = before, after

    def link(self, fgraph: FunctionGraph) -> Runner:
        plan = schedule(fgraph)
        return _one_by_one(plan, fgraph.inputs, fgraph.outputs, wrap=self._watched)

    def _watched(self, plan: Schedule, number: int, run: Runner) -> Runner:
        node = plan.nodes[number]

        def watched(*values: Any) -> list[Any]:
            call = NodeCall([[v] for v in values], [[None] for _ in node.outputs])
            if self._before is not None:
                self._before(number, node, call)
            found = run(*values)
            call.outputs = [[v] for v in found]
            if self._after is not None:
                self._after(number, node, call)
            return found

        return watched


class VMLinker:
    """Generates straight-line Python source for the whole graph, with a local for each value.

    Parameters
    ----------
    allow_gc
        Whether the memory of values is given back when nobody reads them any more. If not, that of
        large results of elementwise ops is kept for the next one, and the next call: never what
        somebody holds an array of. That pays for arrays of 32 MB and more, which the system
        otherwise maps and clears each time. `free` gives back what is kept.
    """

    name = "vm"

    def __init__(self, allow_gc: bool = True) -> None:
        self.storage = None if allow_gc else KeptStorage()

    def link(self, fgraph: FunctionGraph) -> Runner:
        keep_freed_memory(config.kept_memory)
        inputs, outputs, storage = list(fgraph.inputs), list(fgraph.outputs), self.storage
        program = generate_program(schedule(fgraph), inputs, outputs, storage)
        if storage is None:
            return program

        def run(*values: Any) -> list[Any]:
            with taken_from(storage):
                return program(*values)

        return run

    def free(self) -> None:
        """Give back the memory that is kept and nobody holds."""
        if self.storage is not None:
            self.storage.free()

    def __repr__(self) -> str:
        return f"VMLinker(allow_gc={self.storage is None})"


LINKERS: dict[str, Linker] = {linker.name: linker for linker in (PyLinker(), VMLinker())}
"""The linkers that are loaded, by name."""

ENGINES: dict[str, str] = {
    "dask": "relgraph.engines.dask",
    "jax": "relgraph.engines.jax",
}
"""For each engine that needs packages of its own, the package that has its `LINKER`, a name that is
loaded when it is first used (`relgraph.on_first_use`)."""


def find_linker(name: str) -> Linker:
    """Return the linker of a name; an engine is loaded on first use.

    Raises
    ------
    ValueError
        If there is none of that name.
    ImportError
        If a package that an engine needs is not installed.
    """
    if name in LINKERS:
        return LINKERS[name]
    if name not in ENGINES:
        raise ValueError(f"no linker is called {name!r}; there are {', '.join(linker_names())}")
    linker: Linker = import_module(ENGINES[name]).LINKER
    LINKERS[name] = linker
    return linker


def checked_tier(tier: str, linker: Linker) -> str:
    """Return the name of a tier.

    Raises
    ------
    ValueError
        If there is none of that name, or the linker has no compiled one.
    ImportError
        If the extra that it needs is not installed.
    """
    if tier not in TIERS:
        raise ValueError(f"no tier is called {tier!r}; there are {', '.join(TIERS)}")
    if tier == "compiled":
        if not isinstance(linker, VMLinker):
            raise ValueError(f"the linker {linker.name!r} has no tier that is compiled; 'vm' has")
        if not _compiler_is_installed():
            raise ImportError(
                "the compiled tier needs the extra numba: pip install 'relgraph[numba]'",
                name="numba",
            )
    return tier


def present_tier(tier: str, linker: Linker) -> str:
    """Return what runs a graph that is linked now: "auto" only where both tiers are there."""
    if not isinstance(linker, VMLinker) or linker.storage is not None:
        return "vm"
    if tier == "auto":
        tier = config.tier
    return tier if tier == "vm" or _compiler_is_installed() else "vm"


def _compiler_is_installed() -> bool:
    try:
        return find_spec("numba") is not None
    except (ImportError, ValueError):  # it is hidden
        return False


def linker_names() -> list[str]:
    """Return the names of the linkers, loaded or not."""
    return list(dict.fromkeys([*LINKERS, *ENGINES]))


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
        self._sizes: dict[Variable, int] = {}
        self._live_bytes = 0
        plan = schedule(fgraph)
        self._run = _one_by_one(plan, fgraph.inputs, fgraph.outputs, self._link, self._timed)

    def __call__(self, *values: Any) -> list[Any]:
        self._sizes.clear()
        self._live_bytes = 0
        return self._run(*values)

    def _link(self, node: Apply) -> tuple[list[Variable], Runner]:
        read = [v for v in dict.fromkeys(node.inputs) if not isinstance(v, Constant)]
        run = self._linker.link(FunctionGraph(read, node.outputs, clone=True))
        self.import_time += getattr(run, "import_time", 0.0)
        return read, run

    def _timed(self, plan: Schedule, number: int, run: Runner) -> Runner:
        node, dead = plan.nodes[number], plan.dead_after[number]
        of_branches = [n for branch in plan.branches.get(node, ()) for n in branch.plan.nodes]
        inside = [v for n in of_branches for v in n.outputs]

        def timed(*values: Any) -> list[Any]:
            started = perf_counter()
            results = run(*values)
            self._times.add(node, perf_counter() - started)
            self._forget(inside)
            self._count(node, results)
            self._forget(dead)
            return results

        return timed

    def _count(self, node: Apply, results: Sequence[Any]) -> None:
        """Count the bytes of the outputs of a node that take storage of their own."""
        shared = () if isinstance(node.op, IfElse) else (*node.op.view_map, *node.op.destroy_map)
        for i, (var, value) in enumerate(zip(node.outputs, results, strict=True)):
            if i not in shared:
                self._sizes[var] = int(getattr(value, "nbytes", 0))
                self._live_bytes += self._sizes[var]
        self._times.peak_bytes = max(self._times.peak_bytes, self._live_bytes)

    def _forget(self, dead: Iterable[Variable]) -> None:
        for var in dead:
            self._live_bytes -= self._sizes.pop(var, 0)


def duration(seconds: float) -> str:
    """Return a time with three digits, in the unit that it is read in."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 999.5 * size else f"{seconds:,.0f} s"
    return f"{seconds / 1e-9:.0f} ns"
