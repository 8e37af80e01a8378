"""Generates a program for a schedule: Python source with one line for each node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from time import perf_counter
from types import CodeType
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.vm.error_notes import add_node_note
from relgraph.vm.inlining import inlined_line
from relgraph.vm.kernels import function_of, kernel_of
from relgraph.vm.schedule import Schedule
from relgraph.vm.symbol_table import SymbolTable

# A graph of more nodes becomes several functions: the time of Python's compiler grows faster than
# the length of a function.
CHUNK_NODES = 400

_serial = itertools.count()


class Program:
    """A callable that computes the list of the outputs of a graph from its inputs.

    Parameters
    ----------
    run
        The generated function.
    lines
        For the code of each generated function, the node of each of its lines, or None.
    symbols
        The symbol table of these functions.

    Attributes
    ----------
    import_time
        The time in seconds that Python took to compile and define the functions.
    """

    def __init__(
        self,
        run: Callable[..., list[Any]],
        lines: dict[CodeType, list[Apply | None]],
        symbols: SymbolTable,
    ) -> None:
        self.run = run
        self.lines = lines
        self.symbols = symbols
        self.import_time = symbols.compile_time

    def __call__(self, *values: Any) -> list[Any]:
        # As with `perform`, results that are not finite raise no warnings.
        with np.errstate(all="ignore"):
            try:
                return self.run(*values)
            except Exception as exc:
                self._add_note(exc)
                raise

    def _add_note(self, exc: Exception) -> None:
        trace = exc.__traceback__
        while trace is not None:
            nodes = self.lines.get(trace.tb_frame.f_code)
            node = None if nodes is None else nodes[trace.tb_lineno]
            if node is not None:
                values = trace.tb_frame.f_locals
                namespace = self.symbols.namespace
                input_names = [self.symbols.name_of(v) for v in node.inputs]
                add_node_note(
                    exc, node, [values.get(name, namespace.get(name)) for name in input_names]
                )
                return
            trace = trace.tb_next


def generate_program(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Program:
    """Return the program of a schedule.

    Parameters
    ----------
    plan
        The schedule.
    inputs, outputs
        The inputs and outputs of its graph.
    """
    symbols = SymbolTable()
    for var in inputs:
        symbols.name_of(var)
    if len(plan.nodes) <= CHUNK_NODES:
        return _single_function(plan, inputs, outputs, symbols)
    return _chunked_functions(plan, inputs, outputs, symbols)


def _single_function(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable], symbols: SymbolTable
) -> Program:
    body = [_node_line(plan, i, symbols) for i in range(len(plan.nodes))]
    result = ", ".join(_array_name(v, symbols) for v in outputs)
    source = [
        f"def program({', '.join(symbols.name_of(v) for v in inputs)}):",
        *body,
        f" return [{result}]",
    ]
    run = _define("\n".join(source), "program", symbols)
    return Program(run, {run.__code__: [None, None, *plan.nodes, None]}, symbols)


def _chunked_functions(
    plan: Schedule, inputs: Sequence[Variable], outputs: Sequence[Variable], symbols: SymbolTable
) -> Program:
    """Return a program of several functions, which pass values on in a list, the frame."""
    nodes = plan.nodes
    starts = range(0, len(nodes), CHUNK_NODES)
    chunk_of_definition: dict[Variable, int] = dict.fromkeys(inputs, -1)
    for i, node in enumerate(nodes):
        chunk_of_definition.update((v, i // CHUNK_NODES) for v in node.outputs)
    chunk_of_last_use = {v: last // CHUNK_NODES for v, last in plan.last_use.items() if last >= 0}
    chunk_of_last_use.update((v, len(starts)) for v in outputs)
    frame_index: dict[Variable, int] = {v: i for i, v in enumerate(inputs)}
    for var, chunk in chunk_of_definition.items():
        if chunk >= 0 and chunk_of_last_use.get(var, -1) > chunk:
            frame_index[var] = len(frame_index)

    lines: dict[CodeType, list[Apply | None]] = {}
    functions = []
    for chunk, start in enumerate(starts):
        part = range(start, min(start + CHUNK_NODES, len(nodes)))
        source, line_nodes = _chunk_source(
            plan, chunk, part, chunk_of_definition, chunk_of_last_use, frame_index, symbols
        )
        function = _define(source, "chunk", symbols)
        lines[function.__code__] = line_nodes
        functions.append(function)
    results = [
        (v.data, None) if isinstance(v, Constant) else (None, frame_index[v]) for v in outputs
    ]
    size = len(frame_index)

    def run(*values: Any) -> list[Any]:
        frame: list[Any] = [None] * size
        frame[: len(values)] = values
        for function in functions:
            function(frame)
        return [value if index is None else frame[index] for value, index in results]

    return Program(run, lines, symbols)


def _chunk_source(
    plan: Schedule,
    chunk: int,
    part: range,
    chunk_of_definition: dict[Variable, int],
    chunk_of_last_use: dict[Variable, int],
    frame_index: dict[Variable, int],
    symbols: SymbolTable,
) -> tuple[str, list[Apply | None]]:
    """Return the source of one chunk, and the node of each line."""
    source = ["def chunk(frame):"]
    line_nodes: list[Apply | None] = [None, None]
    loaded: dict[Variable, None] = {}
    for i in part:
        for var in plan.nodes[i].inputs:
            if not isinstance(var, Constant) and chunk_of_definition[var] < chunk:
                loaded[var] = None
    for var in loaded:
        index = frame_index[var]
        drop = f"; frame[{index}] = None" if chunk_of_last_use[var] == chunk else ""
        source.append(f" {symbols.name_of(var)} = frame[{index}]{drop}")
        line_nodes.append(None)
    for i in part:
        source.append(_node_line(plan, i, symbols))
        line_nodes.append(plan.nodes[i])
        for var in plan.nodes[i].outputs:
            if var in frame_index:
                source.append(f" frame[{frame_index[var]}] = {symbols.name_of(var)}")
                line_nodes.append(None)
    return "\n".join(source), line_nodes


def _node_line(plan: Schedule, i: int, symbols: SymbolTable) -> str:
    """Return the line that computes node `i` and deletes the values that are dead after it."""
    node = plan.nodes[i]
    for viewed in node.op.view_map.values():
        symbols.unshared.difference_update([node.inputs[j] for j in viewed])
    dead = plan.dead_after[i]
    line = inlined_line(node, symbols, frozenset(dead)) or _perform_line(node, symbols)
    drop = f"; del {', '.join(symbols.name_of(v) for v in dead)}" if dead else ""
    return f" {line}{drop}"


def _perform_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line that computes a node by its kernel, or by a function of its op."""
    function = function_of(node)
    if function is not None:
        arguments = ", ".join(_array_name(v, symbols) for v in node.inputs)
        results = ", ".join(symbols.name_of(v) for v in node.outputs)
        return f"{results} = {symbols.bind('k', function)}({arguments})"
    kernel = symbols.bind("k", kernel_of(node))
    arguments = ", ".join(_array_name(v, symbols) for v in node.inputs)
    if len(node.outputs) == 1:
        out = symbols.name_of(node.outputs[0])
        return f"o = [None]; {kernel}([{arguments}], [o]); {out} = o[0]; o = None"
    cells = ", ".join("[None]" for _ in node.outputs)
    results = "".join(f"{symbols.name_of(v)} = o[{j}][0]; " for j, v in enumerate(node.outputs))
    return f"o = [{cells}]; {kernel}([{arguments}], o); {results}o = None"


def _array_name(var: Variable, symbols: SymbolTable) -> str:
    """Return an expression for a value as an array, which `perform` takes whatever its rank."""
    name = symbols.name_of(var)
    return f"asarray({name})" if var in symbols.scalars else name


def _define(source: str, name: str, symbols: SymbolTable) -> Any:
    """Return the function that some source defines under a name."""
    filename = f"<relgraph program {next(_serial)}>"
    start = perf_counter()
    # The globals of the functions are the bound objects only.
    exec(compile(source, filename, "exec"), symbols.namespace)
    symbols.compile_time += perf_counter() - start
    return symbols.namespace.pop(name)
