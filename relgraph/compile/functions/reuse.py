"""Compiled graphs that are kept, so that a graph of the same structure is not compiled again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

from relgraph.compile.database import optdb
from relgraph.compile.functions.argument_lengths import Requirement
from relgraph.compile.functions.specification import FunctionSpecification
from relgraph.compile.mode import Mode
from relgraph.graph.basic import Constant, Variable, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.vm.kernels import Runner

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
    zero_dimensional
        The positions of the outputs that are arrays of rank 0.
    requirements
        What has to hold of the lengths of its inputs, and no node of the graph checks any longer.
    """

    fgraph: FunctionGraph
    run: Runner
    overwritten: list[int]
    zero_dimensional: list[int]
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


def compilation_key(
    spec: FunctionSpecification, mode: Mode, accept_inplace: bool
) -> Hashable | None:
    """Return what two functions have in common whose compiled graphs can stand for each other.

    That is the structure of the graph with the types and names of its variables, how inputs and
    outputs may share storage, the optimizer and the linker. None is returned for a graph that is
    not to be kept: it is large, or an optimizer of the user's or a thunk of an op may have a state.
    """
    query = mode.query
    if mode.db is not optdb or query is None or query.extra_optimizations:
        return None
    inputs = [*(p.variable for p in spec.inputs), *spec.shared_inputs]
    outputs = [*spec.results, *spec.updates]
    structure = _structure(inputs, outputs)
    if structure is None:
        return None
    storage = (
        tuple([(p.mutable, p.borrow) for p in spec.inputs]),
        tuple([out.borrow for out in spec.outputs]),
        tuple(spec.update_positions),
    )
    runs = (mode.linker, mode.present_tier)
    return (query.key(), optdb.revision, runs, accept_inplace, storage, structure)


def _structure(inputs: list[Any], outputs: list[Any]) -> Hashable | None:
    """Return the structure of a graph; None if it is not to be kept."""
    nodes = io_toposort(inputs, outputs)
    if len(nodes) > MOST_NODES:
        return None
    numbers: dict[Variable, int] = {v: i for i, v in enumerate(inputs)}
    constants: list[Constant] = []
    parts: list[Hashable] = [tuple([(v.type, v.name) for v in inputs])]

    def numbered(variables: list[Variable]) -> Iterator[int]:
        for var in variables:
            number = numbers.get(var)
            if number is None:
                assert isinstance(var, Constant)
                number = numbers[var] = len(numbers)
                constants.append(var)
                parts.append((var.type, var.name, var.signature()))
            yield number

    for node in nodes:
        if type(node.op).make_thunk is not Op.make_thunk:
            return None
        parts.append((node.op, *numbered(node.inputs)))
        for out in node.outputs:
            parts.append((out.type, out.name))
            numbers[out] = len(numbers)
    parts.append(tuple(numbered(outputs)))
    if sum(getattr(c.data, "nbytes", 0) for c in constants) > MOST_BYTES:
        return None
    try:
        hash(key := tuple(parts))
    except TypeError:
        return None
    return key
