"""`function`: compiles a graph of variables to a `Function`.

Compiled graphs are kept, so that a graph of the same structure is not compiled again.
"""

from __future__ import annotations

import sys
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from relgraph.compile.compiled_function import Function, FunctionMaker, linked
from relgraph.compile.database import optdb
from relgraph.compile.io import (
    FunctionSpecification,
    In,
    OnUnused,
    destroyed_inputs,
    insert_copies,
    read_specification,
)
from relgraph.compile.lengths import RequiredLengths, Requirement
from relgraph.compile.mode import Mode, get_mode
from relgraph.compile.optimize import checked_costs
from relgraph.compile.profiling import FunctionProfile
from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.graph.destroyhandler import MutableInputs
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op, structure
from relgraph.graph.opt import Derivation, Recorder
from relgraph.graph.opt.base import require_destroy_handler
from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.graph.utils import paused_collector
from relgraph.settings import config
from relgraph.vm.schedule import Runner

MOST_GRAPHS = 64
"""How many compiled graphs are kept; the one that was used longest ago goes first."""
MOST_NODES = 100_000
"""How many nodes a graph that is kept may have."""
MOST_BYTES = 1 << 20
"""How many bytes the constants of a graph that is kept may have."""


@dataclass(frozen=True)
class CompiledGraph:
    """An optimized graph, and the function that runs it.

    Attributes
    ----------
    fgraph
        The graph.
    run
        Computes the values of its outputs from those of its inputs.
    overwritten
        The positions of the inputs that it overwrites.
    requirements
        What has to hold of the lengths of its inputs, and no node of the graph checks any longer.
    """

    fgraph: FunctionGraph
    run: Runner
    overwritten: list[int]
    requirements: list[Requirement]


class CompiledGraphs:
    """The compiled graphs that were used last, by what they were compiled from."""

    def __init__(self) -> None:
        self._graphs: OrderedDict[Hashable, CompiledGraph] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> CompiledGraph | None:
        """Return the compiled graph with a key, if it is kept."""
        with self._lock:
            found = self._graphs.get(key)
            if found is not None:
                self._graphs.move_to_end(key)
            return found

    def keep(self, key: Hashable, compiled: CompiledGraph) -> None:
        """Keep a compiled graph."""
        with self._lock:
            self._graphs[key] = compiled
            if len(self._graphs) > MOST_GRAPHS:
                self._graphs.popitem(last=False)

    def clear(self) -> None:
        """Keep none of them any longer."""
        with self._lock:
            self._graphs.clear()


compiled_graphs = CompiledGraphs()


@dataclass(frozen=True)
class Compilation:
    """What is compiled, and how.

    Attributes
    ----------
    spec
        The inputs, outputs and updates.
    mode
        How the graph is optimized and run.
    accept_inplace
        Whether its ops may overwrite their inputs.
    name
        The name of the function.
    profile
        What the times are added to.
    """

    spec: FunctionSpecification
    mode: Mode
    accept_inplace: bool
    name: str | None = None
    profile: FunctionProfile | None = None

    def key(self) -> Hashable | None:
        """Return a key that is equal for two functions that can share a compiled graph.

        That is the structure of the graph with the types and names of its variables, how inputs and
        outputs may share storage, the optimizer and the linker. None is returned for a graph that
        is not to be kept: it is large, or an optimizer of the user's or a thunk of an op may have a
        state.
        """
        spec, mode, query = self.spec, self.mode, self.mode.query
        if mode.db is not optdb or query is None or query.extra_optimizations:
            return None
        inputs = [*(p.variable for p in spec.inputs), *spec.shared_inputs]
        outputs = [*spec.results, *spec.updates]
        nodes = io_toposort(inputs, outputs)
        if len(nodes) > MOST_NODES:
            return None
        if any(type(node.op).make_thunk is not Op.make_thunk for node in nodes):
            return None
        _, numbers, key = structure(inputs, outputs, nodes)
        constants = [v for v in numbers if isinstance(v, Constant)]
        if sum(getattr(c.data, "nbytes", 0) for c in constants) > MOST_BYTES:
            return None
        storage = (
            tuple([(p.mutable, p.borrow) for p in spec.inputs]),
            tuple([out.borrow for out in spec.outputs]),
            tuple(spec.update_positions),
        )
        runs = (mode.linker, mode.present_tier)
        names = tuple([v.name for v in numbers])
        found = (query.key(), optdb.revision, runs, self.accept_inplace, storage, names, key)
        try:
            hash(found)
        except TypeError:
            return None
        return found

    def compiled(self, trace: bool = False) -> Function:
        """Return the function; if `trace`, it has its derivation."""
        spec, profile = self.spec, self.profile
        # A profile and a derivation are of one compilation.
        key = None if profile is not None or trace else self.key()
        graph, derivation = None if key is None else compiled_graphs.get(key), None
        if graph is None:
            with paused_collector():
                graph, derivation = self._graph(Recorder() if trace else None)
            if key is not None:
                compiled_graphs.keep(key, graph)
        maker = FunctionMaker(
            fgraph=graph.fgraph,
            spec=spec,
            overwritten=graph.overwritten,
            mode=self.mode,
            rebuild=replace(self, profile=None).without_updates,
            requirements=graph.requirements,
        )
        defaults = [
            None
            if p.value is None
            else Container(p.variable.type, p.value, p.name, p.strict, p.allow_downcast)
            for p in spec.inputs
        ]
        containers = [v.container for v in spec.shared_inputs]
        return Function(maker, graph.run, defaults, containers, self.name, profile, derivation)

    def _graph(self, recorder: Recorder | None) -> tuple[CompiledGraph, Derivation | None]:
        """Return the optimized graph, and its derivation if there is a recorder."""
        profile, fgraph = self.profile, self._fgraph()
        required = RequiredLengths(fgraph)
        derivation = self._optimize(fgraph, recorder)
        started = time.perf_counter()
        run = linked(fgraph, self.mode, profile)
        if profile is not None:
            profile.linker_time += time.perf_counter() - started
            profile.import_time += getattr(run, "import_time", 0.0)
            profile.nodes = len(fgraph.apply_nodes)
        overwritten = destroyed_inputs(fgraph)
        compiled = CompiledGraph(
            fgraph,
            run,
            [i for i, v in enumerate(fgraph.inputs) if v in overwritten],
            required.without(RequiredLengths(fgraph)) if required.requirements else [],
        )
        return compiled, derivation

    def _fgraph(self) -> FunctionGraph:
        """Return the FunctionGraph, with the features that check its changes."""
        spec = self.spec
        variables = [*(p.variable for p in spec.inputs), *spec.shared_inputs]
        outputs = [*spec.results, *spec.updates]
        mapping = {len(spec.results) + k: at for k, at in enumerate(spec.update_positions)}
        fgraph = FunctionGraph(variables, outputs, clone=True, update_mapping=mapping)
        mutable = {*(i for i, p in enumerate(spec.inputs) if p.mutable), *spec.update_positions}
        borrowing = [i for i, out in enumerate(spec.outputs) if out.borrow]
        fgraph.attach_feature(MutableInputs(sorted(mutable), borrowing))
        fgraph.attach_feature(ReplaceValidate())
        destroyer = next((node for node in fgraph.apply_nodes if node.op.destroy_map), None)
        if destroyer is not None:
            if not self.accept_inplace:
                raise TypeError(
                    f"{destroyer.op} overwrites its input; set accept_inplace=True to allow that "
                    "in the graph of a function"
                )
            require_destroy_handler(fgraph)
            fgraph.validate()
        return fgraph

    def _optimize(self, fgraph: FunctionGraph, recorder: Recorder | None) -> Derivation | None:
        """Optimize the graph and insert copies; return the derivation if there is a recorder."""
        profile, optimizer = self.profile, self.mode.optimizer
        with fgraph.attached(recorder) if recorder else nullcontext():
            fgraph.profile = profile
            started = time.perf_counter()
            with checked_costs(fgraph):
                record = optimizer.optimize(fgraph)
            if profile is not None:
                profile.optimizer_time += time.perf_counter() - started
                profile.validate_time += getattr(fgraph, "validate_time", 0.0)
                if config.profile_optimizer:
                    profile.optimizer_profile = (optimizer, record)
            if any(node.op.destroy_map for node in fgraph.apply_nodes):
                # what overwrites inputs may have come before there was a DestroyHandler
                require_destroy_handler(fgraph)
                fgraph.validate()
            insert_copies(fgraph, self.spec)
        return None if recorder is None else recorder.derivation([optimizer])

    def without_updates(
        self, swap: Mapping[SharedVariable, SharedVariable], name: str | None
    ) -> Function:
        """Return the function without updates, with some shared variables replaced."""
        spec = self.spec
        inputs = [copy(p) for p in spec.inputs]
        for given in inputs:
            given.borrow = given.mutable = given.mutable and given.update is None
            given.update = None
        givens = {old: new for old, new in swap.items() if old in spec.shared_inputs}
        outputs = [
            type(out)(result, out.borrow)
            for out, result in zip(spec.outputs, spec.results, strict=True)
        ]
        without = read_specification(inputs, outputs, None, givens, True, "ignore")
        without.unpack = spec.unpack
        return replace(self, spec=without, name=name).compiled()


def function(
    inputs: Iterable[Variable | In],
    outputs: Any = None,
    mode: str | Mode | None = None,
    updates: Mapping[SharedVariable, Any] | Iterable[tuple[SharedVariable, Any]] | None = None,
    givens: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] | None = None,
    no_default_updates: bool | Sequence[Variable] = False,
    accept_inplace: bool = False,
    name: str | None = None,
    allow_input_downcast: bool | None = None,
    profile: bool | FunctionProfile | None = None,
    on_unused_input: OnUnused | None = None,
    trace: bool = False,
) -> Function:
    """Return a callable that computes `outputs` from the values of `inputs`.

    A call modifies an argument only if its `In` is mutable. A result shares storage with an
    argument, another result or a shared variable only if its `Out` borrows.

    Parameters
    ----------
    inputs
        The arguments: variables or `In` objects.
    outputs
        The results: a variable or an `Out`, a list or dict of these, or None.
    mode
        How to optimize and run the graph: a `Mode`, or the name of one.
    updates
        Expressions for the values of shared variables after a call, from those before it.
    givens
        For variables of the graph, the expressions that replace them.
    no_default_updates
        Whether to leave out default updates; or the shared variables that get none.
    accept_inplace
        Whether ops of the graph may overwrite their inputs.
    name
        The name of the function in errors and profiles.
    allow_input_downcast
        Whether a conversion may lose precision, for arguments whose `In` leaves that open.
    profile
        Whether to keep a profile, or the `FunctionProfile` to add to. By default `config.profile`
        decides, and the profile is printed.
    on_unused_input
        What to do if an input is not used: "raise" (the default), "warn" or "ignore".
    trace
        Whether to keep the derivation: the steps of the optimization.

    Raises
    ------
    TypeError
        If an input or output is not a variable, an update or a given can't be converted to the type
        of its variable, or an op overwrites its input and `accept_inplace` is false.
    ValueError
        If there are two inputs, updates or givens for one variable.
    MissingInputError
        If the outputs depend on a variable that is no input and has no value.
    UnusedInputError
        If an input is not used.
    """
    started = time.perf_counter()
    mode = get_mode(mode)
    spec = read_specification(inputs, outputs, updates, givens, no_default_updates, on_unused_input)
    for given in spec.inputs:
        if given.allow_downcast is None:
            given.allow_downcast = allow_input_downcast
    record = _profile_record(profile, name)
    compiled = Compilation(spec, mode, accept_inplace, name, record).compiled(trace)
    if record is not None:
        record.finish_compilation(time.perf_counter() - started)
    return compiled


def _profile_record(
    profile: bool | FunctionProfile | None, name: str | None
) -> FunctionProfile | None:
    if isinstance(profile, FunctionProfile):
        return profile
    if not (config.profile if profile is None else profile):
        return None
    return FunctionProfile(message=name if name is not None else _caller())


def _caller() -> str:
    """Return the file and line of the call of `function`; of a notebook's cell the line alone."""
    frame = sys._getframe(3)
    file = Path(frame.f_code.co_filename)
    # the file that IPython compiles a cell from is nowhere
    in_cell = file.parent.name.startswith("ipykernel_")
    return f"line {frame.f_lineno} of a cell" if in_cell else f"{file}:{frame.f_lineno}"
