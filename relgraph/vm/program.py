"""A schedule as Python source: one line a node, local variables for values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from time import perf_counter
from types import CodeType
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.vm.direct import direct_line
from relgraph.vm.failure import explain_failure
from relgraph.vm.kernels import kernel_of
from relgraph.vm.names import Names
from relgraph.vm.schedule import Schedule

# Longer graphs become several functions: what Python's compiler needs for one function grows
# faster than its length.
CHUNK_NODES = 400

_serial = itertools.count()


class Program:
    """A graph as a function: from the values of its inputs to the list of those of its outputs.

    Parameters
    ----------
    run
        What computes it.
    lines
        For the code of each generated function, the node of each of its lines.
    names
        The names in these functions.

    Attributes
    ----------
    import_time
        Seconds that it took Python to compile and define these functions.
    """

    def __init__(
        self,
        run: Callable[..., list[Any]],
        lines: dict[CodeType, list[Apply | None]],
        names: Names,
    ) -> None:
        self.run = run
        self.lines = lines
        self.names = names
        self.import_time = names.defining_time

    def __call__(self, *values: Any) -> list[Any]:
        # As `perform` does it: results that are not finite are results.
        with np.errstate(all="ignore"):
            try:
                return self.run(*values)
            except Exception as exc:
                self._explain(exc)
                raise

    def _explain(self, exc: Exception) -> None:
        trace = exc.__traceback__
        while trace is not None:
            nodes = self.lines.get(trace.tb_frame.f_code)
            node = None if nodes is None else nodes[trace.tb_lineno]
            if node is not None:
                values = trace.tb_frame.f_locals
                namespace = self.names.namespace
                found = [self.names.value(v) for v in node.inputs]
                explain_failure(
                    exc, node, [values.get(name, namespace.get(name)) for name in found]
                )
                return
            trace = trace.tb_next


def write_program(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Program:
    """Return `plan` as a program."""
    names = Names()
    for var in inputs:
        names.value(var)
    if len(plan.nodes) <= CHUNK_NODES:
        return _one_function(plan, inputs, outputs, names)
    return _chunks(plan, inputs, outputs, names)


def _one_function(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable], names: Names
) -> Program:
    body = [_node_line(plan, i, names) for i in range(len(plan.nodes))]
    result = ", ".join(_array(v, names) for v in outputs)
    source = [
        f"def program({', '.join(names.value(v) for v in inputs)}):",
        *body,
        f" return [{result}]",
    ]
    run = _defined("\n".join(source), "program", names)
    return Program(run, {run.__code__: [None, None, *plan.nodes, None]}, names)


def _chunks(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable], names: Names
) -> Program:
    """Return a program of several functions that hand values on in one list, the frame."""
    nodes = plan.nodes
    starts = range(0, len(nodes), CHUNK_NODES)
    made_in: dict[Variable, int] = dict.fromkeys(inputs, -1)
    for i, node in enumerate(nodes):
        made_in.update((v, i // CHUNK_NODES) for v in node.outputs)
    last_in = {v: last // CHUNK_NODES for v, last in plan.last_use.items() if last >= 0}
    last_in.update((v, len(starts)) for v in outputs)
    place: dict[Variable, int] = {v: i for i, v in enumerate(inputs)}
    for var, made in made_in.items():
        if made >= 0 and last_in.get(var, -1) > made:
            place[var] = len(place)

    lines: dict[CodeType, list[Apply | None]] = {}
    functions = []
    for chunk, start in enumerate(starts):
        part = range(start, min(start + CHUNK_NODES, len(nodes)))
        source, line_nodes = _chunk_source(plan, chunk, part, made_in, last_in, place, names)
        function = _defined(source, "chunk", names)
        lines[function.__code__] = line_nodes
        functions.append(function)
    results = [(v.data, None) if isinstance(v, Constant) else (None, place[v]) for v in outputs]
    size = len(place)

    def run(*values: Any) -> list[Any]:
        frame: list[Any] = [None] * size
        frame[: len(values)] = values
        for function in functions:
            function(frame)
        return [value if where is None else frame[where] for value, where in results]

    return Program(run, lines, names)


def _chunk_source(
    plan: Schedule,
    chunk: int,
    part: range,
    made_in: dict[Variable, int],
    last_in: dict[Variable, int],
    place: dict[Variable, int],
    names: Names,
) -> tuple[str, list[Apply | None]]:
    """Return the source of one chunk, and the node of each line."""
    source = ["def chunk(frame):"]
    line_nodes: list[Apply | None] = [None, None]
    taken: dict[Variable, None] = {}
    for i in part:
        for var in plan.nodes[i].inputs:
            if not isinstance(var, Constant) and made_in[var] < chunk:
                taken[var] = None
    for var in taken:
        where = place[var]
        drop = f"; frame[{where}] = None" if last_in[var] == chunk else ""
        source.append(f" {names.value(var)} = frame[{where}]{drop}")
        line_nodes.append(None)
    for i in part:
        source.append(_node_line(plan, i, names))
        line_nodes.append(plan.nodes[i])
        for var in plan.nodes[i].outputs:
            if var in place:
                source.append(f" frame[{place[var]}] = {names.value(var)}")
                line_nodes.append(None)
    return "\n".join(source), line_nodes


def _node_line(plan: Schedule, i: int, names: Names) -> str:
    """Return the line that computes node `i` and drops what nobody needs after it."""
    node = plan.nodes[i]
    for viewed in node.op.view_map.values():
        names.owned.difference_update([node.inputs[j] for j in viewed])
    dead = plan.dead_after[i]
    line = direct_line(node, names, frozenset(dead)) or _perform_line(node, names)
    drop = f"; del {', '.join(names.value(v) for v in dead)}" if dead else ""
    return f" {line}{drop}"


def _perform_line(node: Apply, names: Names) -> str:
    kernel = names.bind("k", kernel_of(node))
    arguments = ", ".join(_array(v, names) for v in node.inputs)
    if len(node.outputs) == 1:
        out = names.value(node.outputs[0])
        return f"o = [None]; {kernel}([{arguments}], [o]); {out} = o[0]; o = None"
    cells = ", ".join("[None]" for _ in node.outputs)
    results = "".join(f"{names.value(v)} = o[{j}][0]; " for j, v in enumerate(node.outputs))
    return f"o = [{cells}]; {kernel}([{arguments}], o); {results}o = None"


def _array(var: Variable, names: Names) -> str:
    """Return the name of a value as `perform` takes it, an array whatever its rank."""
    name = names.value(var)
    return f"asarray({name})" if var in names.scalars else name


def _defined(source: str, name: str, names: Names) -> Any:
    filename = f"<relgraph program {next(_serial)}>"
    start = perf_counter()
    # Executed in a namespace of its own, so that the functions share the bound objects alone.
    exec(compile(source, filename, "exec"), names.namespace)
    names.defining_time += perf_counter() - start
    return names.namespace.pop(name)
