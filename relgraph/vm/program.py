"""Generates a program for a schedule: Python source with one line for each node."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.tensor.elemwise.new_arrays import KeptStorage
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.type import TensorType
from relgraph.vm.compiled import CHUNK_NODES, Program, define
from relgraph.vm.kernels import Kernel, Runner, kernel_of, lazy_kernel
from relgraph.vm.lines.symbol_table import SymbolTable
from relgraph.vm.lines.table import inlined_lines
from relgraph.vm.loops import loop_kernel
from relgraph.vm.schedule import Branch, Schedule


def generate_program(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    storage: KeptStorage | None = None,
) -> Program:
    """Return the program of a schedule.

    Parameters
    ----------
    plan
        The schedule.
    inputs, outputs
        The inputs and outputs of its graph.
    storage
        Where large arrays take memory from; None for new memory.
    """
    symbols = SymbolTable(storage=storage)
    for var in inputs:
        symbols.name_of(var)
    numbers = [i for i, v in enumerate(inputs) if _is_number(v)]
    symbols.floats.update([inputs[i] for i in numbers])
    if len(plan.nodes) <= CHUNK_NODES:
        return _single_function(plan, inputs, outputs, numbers, symbols)
    return _chunked_functions(plan, inputs, outputs, numbers, symbols)


def _is_number(var: Variable) -> bool:
    """Return whether a program computes with the value of an input as a Python float."""
    type_ = var.type
    return isinstance(type_, TensorType) and type_.ndim == 0 and type_.dtype == "float64"


def _conversions(inputs: Sequence[Variable], numbers: Sequence[int], symbols: SymbolTable) -> str:
    """Return the line that converts the inputs that are computed with as Python floats."""
    names = [symbols.name_of(inputs[i]) for i in numbers]
    return f" {'; '.join(f'{name} = float({name})' for name in names) or 'pass'}"


def _single_function(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    numbers: Sequence[int],
    symbols: SymbolTable,
) -> Program:
    body: list[str] = []
    line_nodes: list[Apply | None] = [None, None, None]
    for i, node in enumerate(plan.nodes):
        lines = _node_lines(plan, i, symbols)
        body += lines
        line_nodes += [node] * len(lines)
    result = ", ".join(symbols.array_name(v) for v in outputs)
    source = [
        f"def program({', '.join(symbols.name_of(v) for v in inputs)}):",
        _conversions(inputs, numbers, symbols),
        *body,
        f" return [{result}]",
    ]
    compute = define("\n".join(source), "program", symbols)
    return Program(compute, {compute.__code__: [*line_nodes, None]}, symbols, numbers, plan.reads)


def _chunked_functions(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    numbers: Sequence[int],
    symbols: SymbolTable,
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
        function = define(source, "chunk", symbols)
        lines[function.__code__] = line_nodes
        functions.append(function)
    results = [
        (v.data, None) if isinstance(v, Constant) else (None, frame_index[v]) for v in outputs
    ]
    unpacked = [i for i, v in enumerate(outputs) if v in symbols.floats or v in symbols.scalars]
    size = len(frame_index)

    def run(*values: Any) -> list[Any]:
        frame: list[Any] = [None] * size
        frame[: len(values)] = values
        for i in numbers:
            frame[i] = float(frame[i])
        for function in functions:
            function(frame)
        found = [value if index is None else frame[index] for value, index in results]
        for i in unpacked:
            found[i] = np.asarray(found[i])
        return found

    return Program(run, lines, symbols, numbers, plan.reads)


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
        for var in plan.reads(plan.nodes[i]):
            if not isinstance(var, Constant) and chunk_of_definition[var] < chunk:
                loaded[var] = None
    for var in loaded:
        index = frame_index[var]
        drop = f"; frame[{index}] = None" if chunk_of_last_use[var] == chunk else ""
        source.append(f" {symbols.name_of(var)} = {_loaded(var, index, symbols)}{drop}")
        line_nodes.append(None)
    for i in part:
        node_lines = _node_lines(plan, i, symbols)
        source += node_lines
        line_nodes += [plan.nodes[i]] * len(node_lines)
        for var in plan.nodes[i].outputs:
            if var in frame_index:
                source.append(f" frame[{frame_index[var]}] = {symbols.name_of(var)}")
                line_nodes.append(None)
    return "\n".join(source), line_nodes


def _loaded(var: Variable, index: int, symbols: SymbolTable) -> str:
    """Return the expression for a value from the frame, as the lines that follow take it."""
    if var in symbols.floats:
        return f"float(frame[{index}])"
    # The chunk that put an array there may have unpacked it later.
    return f"frame[{index}][()]" if var in symbols.scalars else f"frame[{index}]"


def _node_lines(plan: Schedule, i: int, symbols: SymbolTable) -> list[str]:
    """Return the lines that compute node `i` and delete the values that are dead after it."""
    node = plan.nodes[i]
    if node in plan.branches:
        symbols.unshared.difference_update(plan.reads(node))
    for viewed in node.op.view_map.values():
        symbols.unshared.difference_update([node.inputs[j] for j in viewed])
    dead = plan.dead_after[i]
    lines = inlined_lines(node, symbols, frozenset(dead))
    if lines is None:
        symbols.may_warn = True
        lines = [_perform_line(plan, node, symbols)]
    if dead:
        lines[-1] += f"; del {', '.join(symbols.name_of(v) for v in dead)}"
    return [f" {line}" for line in lines]


def _perform_line(plan: Schedule, node: Apply, symbols: SymbolTable) -> str:
    """Return the line that computes a node by its kernel."""
    kernel = symbols.bind("k", _kernel(plan, node, symbols.storage))
    arguments = ", ".join(symbols.array_name(v) for v in plan.reads(node))
    if len(node.outputs) == 1:
        out = symbols.name_of(node.outputs[0])
        return f"o = [None]; {kernel}([{arguments}], [o]); {out} = o[0]; o = None"
    cells = ", ".join("[None]" for _ in node.outputs)
    results = "".join(f"{symbols.name_of(v)} = o[{j}][0]; " for j, v in enumerate(node.outputs))
    return f"o = [{cells}]; {kernel}([{arguments}], o); {results}o = None"


def _kernel(plan: Schedule, node: Apply, storage: KeptStorage | None) -> Kernel:
    def of_branch(branch: Branch) -> Runner:
        return generate_program(branch.plan, branch.inputs, branch.outputs, storage).run

    if isinstance(node.op, Scan):
        return loop_kernel(node, generate_program, _node_lines)
    return lazy_kernel(plan, node, of_branch) if node in plan.branches else kernel_of(node)
