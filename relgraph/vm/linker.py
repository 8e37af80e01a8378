"""The linkers: `PyLinker`, the reference, `VMLinker`, which generates Python source, and engines
that are loaded when one is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.settings import TIERS, config
from relgraph.tensor.elemwise.new_arrays import KeptStorage, taken_from
from relgraph.vm.error_notes import add_node_note
from relgraph.vm.heap import keep_freed_memory
from relgraph.vm.kernels import Runner, kernel_of, lazy_kernel
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import Branch, Schedule, schedule


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
        return _one_by_one(schedule(fgraph), list(fgraph.inputs), list(fgraph.outputs))


def _one_by_one(plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Runner:
    """Return a function that runs the kernels of a schedule one after another."""

    def of_branch(branch: Branch) -> Runner:
        return _one_by_one(branch.plan, branch.inputs, branch.outputs)

    steps = [
        (
            node,
            lazy_kernel(plan, node, of_branch) if node in plan.branches else kernel_of(node),
            plan.reads(node),
            dead,
        )
        for node, dead in zip(plan.nodes, plan.dead_after, strict=True)
    ]
    constants: dict[Variable, Any] = {
        v: v.data
        for v in (*outputs, *(v for _, _, reads, _ in steps for v in reads))
        if isinstance(v, Constant)
    }

    def run(*values: Any) -> list[Any]:
        storage: dict[Variable, Any] = dict(constants)
        storage.update(zip(inputs, values, strict=True))
        for node, kernel, reads, dead in steps:
            arguments = [storage[v] for v in reads]
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            try:
                kernel(arguments, cells)
            except Exception as exc:
                add_node_note(exc, node, reads, arguments)
                raise
            for var, cell in zip(node.outputs, cells, strict=True):
                storage[var] = cell[0]
            for var in dead:
                del storage[var]
        return [storage[v] for v in outputs]

    return run


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
    """Return the linker of a name; an engine is loaded when it is first asked for.

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
