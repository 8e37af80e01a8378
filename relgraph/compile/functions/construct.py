"""From variables to a function that can be called."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from relgraph.compile.functions.aliasing import destroyed_inputs, insert_copies
from relgraph.compile.functions.arguments import In
from relgraph.compile.functions.callable import Function, FunctionMaker
from relgraph.compile.functions.specification import OnUnused, Specification, read_specification
from relgraph.compile.mode import Mode, get_mode
from relgraph.compile.profiling import FunctionProfile
from relgraph.compile.sharedvalue import Container, SharedVariable
from relgraph.graph.basic import Variable
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.features.destroy_handler import DestroyHandler, MutableInputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, GlobalOptimizer, Recorder
from relgraph.settings import config
from relgraph.tensor.type import TensorType


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
    """Return a callable that computes `outputs` from values for `inputs`.

    A call modifies nothing that it is given unless its `In` is mutable, and returns nothing that
    shares storage with something else unless its `Out` is borrowed.

    Parameters
    ----------
    inputs
        The arguments: variables, or `In` objects.
    outputs
        What a call returns: a variable or an `Out`; a list or dict of those; or None.
    mode
        A `Mode` or the name of one: how it is optimized and run.
    updates
        For shared variables, expressions for their values after a call. All are computed from the
        old values, then all are written.
    givens
        For variables of the graph, what to put in their place.
    no_default_updates
        True not to do the default updates of shared variables; or those not to update.
    accept_inplace
        Whether the graph may hold ops that overwrite their inputs.
    name
        What errors and profiles call it.
    allow_input_downcast
        Whether the conversion of an argument may lose precision, where its `In` does not say.
    profile
        Whether to keep times, or where to. By default `config.profile` says, and prints them too.
    on_unused_input
        What to do about an input that is not used: "raise" (the default), "warn" or "ignore".
    trace
        Whether to keep the steps of its optimization as the function's `derivation`.

    Raises
    ------
    TypeError
        If an input or output is not a variable, an update or a given does not fit the type of
        what it replaces, or the graph overwrites something and `accept_inplace` is false.
    ValueError
        If an input, update or given is there twice.
    MissingInputError
        If the outputs need a variable that has no value.
    UnusedInputError
        If an input is not used.
    """
    started = time.perf_counter()
    chosen = get_mode(mode)
    spec = read_specification(inputs, outputs, updates, givens, no_default_updates, on_unused_input)
    for given in spec.inputs:
        if given.allow_downcast is None:
            given.allow_downcast = allow_input_downcast
    record = _profile_record(profile, name)
    made = _make(spec, chosen, accept_inplace, name, record, trace)
    if record is not None:
        record.count_making(time.perf_counter() - started)
    return made


def _make(
    spec: Specification,
    mode: Mode,
    accept_inplace: bool,
    name: str | None,
    profile: FunctionProfile | None,
    trace: bool = False,
) -> Function:
    fgraph = _graph(spec, accept_inplace)
    derivation = _optimize(fgraph, spec, mode, profile, Recorder() if trace else None)
    started = time.perf_counter()
    run = mode.linker.link(fgraph)
    if profile is not None:
        profile.linker_time += time.perf_counter() - started
        profile.import_time += getattr(run, "import_time", 0.0)
        profile.nodes = len(fgraph.apply_nodes)
    overwritten = destroyed_inputs(fgraph)
    maker = FunctionMaker(
        fgraph=fgraph,
        inputs=spec.inputs,
        outputs=spec.outputs,
        unpack=spec.unpack,
        shared_inputs=spec.shared_inputs,
        updated=spec.update_places,
        overwritten=[i for i, v in enumerate(fgraph.inputs) if v in overwritten],
        mode=mode,
        rebuild=partial(_without_updates, spec, mode, accept_inplace),
        zero_dimensional=[
            i
            for i, v in enumerate(fgraph.outputs)
            if isinstance(v.type, TensorType) and v.type.ndim == 0
        ],
    )
    defaults = [
        None
        if p.value is None
        else Container(p.variable.type, p.value, p.name, p.strict, p.allow_downcast)
        for p in spec.inputs
    ]
    containers = [v.container for v in spec.shared_inputs]
    return Function(maker, run, defaults, containers, name, profile, derivation)


def _graph(spec: Specification, accept_inplace: bool) -> FunctionGraph:
    """Return the graph of a function, with what watches over it."""
    variables = [*(p.variable for p in spec.inputs), *spec.shared_inputs]
    outputs = [*spec.results, *spec.updates]
    mapping = {len(spec.results) + k: place for k, place in enumerate(spec.update_places)}
    fgraph = FunctionGraph(variables, outputs, clone=True, update_mapping=mapping)
    mutable = {i for i, p in enumerate(spec.inputs) if p.mutable}
    fgraph.attach_feature(MutableInputs(sorted(mutable | set(spec.update_places))))
    fgraph.attach_feature(ReplaceValidate())
    destroyer = next((node for node in fgraph.apply_nodes if node.op.destroy_map), None)
    if destroyer is not None:
        if not accept_inplace:
            raise TypeError(
                f"{destroyer.op} overwrites its input; set accept_inplace=True to allow that in "
                "the graph of a function"
            )
        fgraph.attach_feature(DestroyHandler())
        fgraph.validate()
    return fgraph


def _optimize(
    fgraph: FunctionGraph,
    spec: Specification,
    mode: Mode,
    profile: FunctionProfile | None,
    recorder: Recorder | None,
) -> Derivation | None:
    """Make of the graph what is to be run; return how, if there is a recorder."""
    optimizer = mode.optimizer
    if recorder is not None:
        fgraph.attach_feature(recorder)
    try:
        _run_optimizer(optimizer, fgraph, profile)
        _copy_where_shared(fgraph, spec)
    finally:
        if recorder is not None:
            fgraph.remove_feature(recorder)
    return None if recorder is None else recorder.derivation([optimizer])


def _run_optimizer(
    optimizer: GlobalOptimizer, fgraph: FunctionGraph, profile: FunctionProfile | None
) -> None:
    fgraph.profile = profile
    started = time.perf_counter()
    record = optimizer.optimize(fgraph)
    if profile is not None:
        profile.optimizer_time += time.perf_counter() - started
        profile.validate_time += getattr(fgraph, "validate_time", 0.0)
        if config.profile_optimizer:
            profile.optimizer_profile = (optimizer, record)


def _copy_where_shared(fgraph: FunctionGraph, spec: Specification) -> None:
    """Put copies where a result or an update would share storage that it must not share."""
    n_results = len(spec.outputs)
    own = {n_results + k: fgraph.inputs[i] for k, i in enumerate(spec.update_places)}
    lent = {v for v, p in zip(fgraph.inputs, spec.inputs, strict=False) if p.borrow}
    lent.update(fgraph.inputs[len(spec.inputs) :])
    borrows = [out.borrow for out in spec.outputs]

    def may_share(i: int, root: Variable, taken_by: int | None) -> bool:
        if i >= n_results or not borrows[i]:
            return False
        if taken_by is None:
            return root in lent
        return taken_by >= n_results or borrows[taken_by]

    # What is stored comes first, then what the caller wants for himself.
    order = [*own, *sorted(range(n_results), key=borrows.__getitem__)]
    insert_copies(fgraph, may_share, own, order)


def _without_updates(
    spec: Specification,
    mode: Mode,
    accept_inplace: bool,
    swap: Mapping[SharedVariable, SharedVariable],
    name: str | None,
) -> Function:
    """Make a function anew that updates nothing, with some shared variables replaced."""
    inputs = [
        In(
            p.variable,
            p.name,
            p.value,
            None,
            p.mutable and p.update is None,
            p.strict,
            p.allow_downcast,
        )
        for p in spec.inputs
    ]
    givens = {old: new for old, new in swap.items() if old in spec.shared_inputs}
    outputs = [
        type(out)(result, out.borrow)
        for out, result in zip(spec.outputs, spec.results, strict=True)
    ]
    bare = read_specification(inputs, outputs, None, givens, True, "ignore")
    bare.unpack = spec.unpack
    return _make(bare, mode, accept_inplace, name, None)


def _profile_record(
    profile: bool | FunctionProfile | None, name: str | None
) -> FunctionProfile | None:
    if isinstance(profile, FunctionProfile):
        return profile
    if not (config.profile if profile is None else profile):
        return None
    return FunctionProfile(message=name if name is not None else _caller())


def _caller() -> str:
    """Return the file and line that called `function`."""
    frame = sys._getframe(3)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
