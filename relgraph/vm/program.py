"""Generates a program for a schedule: Python source with one line for each node.

The lines of the step of a loop stand inside a loop of Python, compiled once. Its states and rows
are local variables: those of rank 0 are numbers, others arrays in C order. What is collected is
written into an array that is allocated by the first step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import CodeType
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import performed
from relgraph.graph.shared_values import copy_value
from relgraph.tensor.loops.scan_op import (
    LoopParts,
    Scan,
    number_of_steps,
    wrong_row,
    wrong_state,
)
from relgraph.tensor.memory import KeptStorage
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import CHUNK_NODES, Program, SymbolTable, define
from relgraph.vm.lines import inlined_lines
from relgraph.vm.schedule import (
    Branch,
    Runner,
    Schedule,
    function_of,
    lazy_runner,
    schedule,
    unpacked,
)


def loop_runner(node: Apply) -> Runner:
    """Return a function that computes a `Scan`."""
    op = node.op
    assert isinstance(op, Scan)
    # what is the same at each step is kept like the outputs
    fgraph = FunctionGraph(op.inputs, [*op.outputs, *op.step.fixed], clone=True)
    if any(inner.op.destroy_map for inner in op.nodes):
        fgraph.attach_feature(DestroyHandler())
    loop = _LoopSource(op, fgraph, schedule(fgraph))
    program = loop.program()

    def run(*inputs: Any) -> list[Any]:
        steps = number_of_steps(op, inputs)
        if steps == 0:
            return performed(node, inputs)
        found = program.run(steps, *loop.arguments(steps, op.parts(inputs[1:])))
        return loop.results(steps, found)

    return run


def in_order(rows: Any, kept: int | None, made: int, steps: int) -> Any:
    """Return what was collected, in the order of the steps.

    Parameters
    ----------
    rows
        The rows: that of a step at its number, or what is left of that divided by `kept`.
    kept
        How many are kept; None for all.
    made, steps
        How many steps were made, and how many were to be made.
    """
    if kept is None:
        return rows if made == steps else rows[:made].copy()
    if made <= kept:
        return rows[:made].copy()
    return np.roll(rows, -(made % kept), axis=0)


def _is_number(var: Variable) -> bool:
    return isinstance(var.type, TensorType) and var.type.ndim == 0


def _is_array(var: Variable) -> bool:
    return isinstance(var.type, TensorType) and var.type.ndim > 0


def _is_float(var: Variable) -> bool:
    """Return whether programs compute with the value of an input as a Python float."""
    return _is_number(var) and var.type.dtype == "float64"


class _LoopSource:
    """The source of a loop, and how values go into it and come out.

    Parameters
    ----------
    op
        The loop.
    fgraph
        A copy of its inner graph.
    plan
        The schedule of that.
    """

    def __init__(self, op: Scan, fgraph: FunctionGraph, plan: Schedule) -> None:
        self.op = op
        self.plan = plan
        self.step = op.parts(fgraph.inputs)
        self.outputs = op.split_results(fgraph.outputs[: len(op.outputs)])
        self.symbols = SymbolTable()

    # -- values --------------------------------------------------------------------------------

    def arguments(self, steps: int, outer: LoopParts) -> list[Any]:
        """Return the arguments of the generated function behind the number of steps."""
        return [
            *(
                _rows(v, x, steps)
                for v, x in zip(self.step.sequences, outer.sequences, strict=True)
            ),
            *(self._own_value(v, x) for v, x in zip(self.step.states, outer.states, strict=True)),
            *(_local_value(v, x) for v, x in zip(self.step.fixed, outer.fixed, strict=True)),
        ]

    def _own_value(self, state: Variable, value: Any) -> Any:
        """Return a first state as the lines of a step take it; if they overwrite it, a copy."""
        if self.op.overwrites_states and _is_array(state):
            return np.array(value, order="C")
        return _local_value(state, value)

    def results(self, steps: int, found: list[Any]) -> list[Any]:
        """Return the outputs of the node from what the generated function returns."""
        made = found[0]
        states = [
            np.array(x, v.type.numpy_dtype) if isinstance(v.type, TensorType) else copy_value(x)
            for v, x in zip(self.step.states, found[1:], strict=False)
        ]
        rows = [
            self._collected(v, kept, x, made, steps)
            for v, kept, x in zip(
                self.outputs.rows, self.op.kept, found[1 + len(states) :], strict=True
            )
        ]
        return [*states, *rows, *([np.asarray(made, "int64")] if self.op.has_condition else [])]

    def _collected(self, row: Any, kept: int | None, found: Any, made: int, steps: int) -> Any:
        if row.type.ndim == 0:
            return np.array(found if kept is None else found[-kept:], row.type.numpy_dtype)
        return in_order(found, kept, made, steps)

    # -- source --------------------------------------------------------------------------------

    def program(self) -> Program:
        """Return the generated function."""
        symbols = self.symbols
        inputs = [*self.step.sequences, *self.step.states, *self.step.fixed]
        names = {v: symbols.name_of(v) for v in inputs}
        for var in inputs:
            self._note_layout(var)
        rows = [names[v] for v in self.step.sequences]
        arguments = [*(f"s{i}" for i in range(len(rows))), *list(names.values())[len(rows) :]]
        source = [f"def loop(n, {', '.join(arguments)}):" if arguments else "def loop(n):"]
        source += [f" y{j} = []" for j in range(self.op.n_rows)]
        source += [
            f" h{i} = {names[v]}.shape" for i, v in enumerate(self.step.states) if _is_array(v)
        ]
        source.append(_header(rows))

        def end() -> list[str]:
            lines = self._end_of_step()
            returned = [names[v] for v in self.step.states]
            returned += [f"y{j}" for j in range(self.op.n_rows)]
            return [*lines, f" return [{', '.join(['t + 1', *returned])}]"]

        loop, lines = _defined(source, self.plan, range(len(self.plan.nodes)), end, symbols, " ")
        return Program(loop, {loop.__code__: lines}, symbols, (), self.plan.reads)

    def _note_layout(self, var: Variable) -> None:
        """Note what `_rows` and `_local_value` make of an input."""
        if _is_float(var):
            self.symbols.floats.add(var)
        elif _is_number(var):
            self.symbols.scalars.add(var)
        elif _is_array(var):
            self.symbols.forward.add(var)
            self.symbols.ordered.add(var)

    def _end_of_step(self) -> list[str]:
        """Return the lines that collect rows, hand on the states and test the condition."""
        lines = []
        for i, (old, new) in enumerate(zip(self.step.states, self.outputs.states, strict=True)):
            lines += self._shape_check(i, old, new)
        for j, (row, kept) in enumerate(zip(self.outputs.rows, self.op.kept, strict=True)):
            lines += self._collecting(j, row, kept)
        pairs = [
            (self.symbols.name_of(old), self._handed_on(new, i in self.op.copied_states))
            for i, (old, new) in enumerate(zip(self.step.states, self.outputs.states, strict=True))
        ]
        moved = [(old, new) for old, new in pairs if old != new]
        if moved:
            lines.append(
                f"{', '.join(old for old, _ in moved)} = {', '.join(new for _, new in moved)}"
            )
        lines += [f"if {self.symbols.name_of(stop)}: break" for stop in self.outputs.stop]
        return [f"  {line}" for line in lines or ["pass"]]

    def _shape_check(self, i: int, old: Variable, new: Variable) -> list[str]:
        if not _is_array(old):
            return []
        lengths = self.symbols.lengths
        if lengths.of(old) == lengths.of(new):
            return []
        error = self.symbols.bind("k", wrong_state)
        op = self.symbols.bind("c", self.op)
        name = self.symbols.name_of(new)
        return [f"if {name}.shape != h{i}: {error}({op}, {i}, h{i}, {name}.shape)"]

    def _collecting(self, j: int, row: Any, kept: int | None) -> list[str]:
        if row.type.ndim == 0:
            return [f"y{j}.append({self.symbols.name_of(row)})"]
        name = self.symbols.name_of(row)
        empty = self.symbols.shared_name("f", np.empty)
        dtype = self.symbols.bind("c", row.type.numpy_dtype)
        count = "n" if kept is None else f"min(n, {kept})"
        place = "t" if kept is None else f"t % {kept}"
        lines = [f"if t == 0: y{j} = {empty}(({count}, *{name}.shape), {dtype})"]
        if not self._has_one_shape(row):
            error = self.symbols.bind("k", wrong_row)
            op = self.symbols.bind("c", self.op)
            lines.append(
                f"elif {name}.shape != y{j}.shape[1:]: "
                f"{error}({op}, {j}, y{j}.shape[1:], {name}.shape)"
            )
        return [*lines, f"y{j}[{place}] = {name}"]

    def _has_one_shape(self, row: Variable) -> bool:
        """Return whether each length is known, or that of an input of the step."""
        lengths = self.symbols.lengths
        known = {
            n
            for v in (*self.step.sequences, *self.step.states, *self.step.fixed)
            if isinstance(v.type, TensorType)
            for n in lengths.of(v)
        }
        return all(isinstance(n, int) or n in known for n in lengths.of(row))

    def _handed_on(self, new: Variable, shared: bool) -> str:
        """Return the expression for a new state as the lines of the next step take it.

        Parameters
        ----------
        shared
            Whether its storage may be that of something else.
        """
        symbols = self.symbols
        name = symbols.name_of(new)
        if _is_float(new):
            return name if new in symbols.floats else f"float({name})"
        if _is_number(new):
            return name if new in symbols.scalars else f"{name}[()]"
        if _is_array(new) and shared:
            return f"{name}.copy()"
        if _is_array(new) and not (new in symbols.ordered and new in symbols.forward):
            return f"{symbols.shared_name('f', np.ascontiguousarray)}({name})"
        return name


def _header(rows: Sequence[str]) -> str:
    """Return the line that begins the loop."""
    if not rows:
        return " for t in range(n):"
    if len(rows) == 1:
        return f" for t, {rows[0]} in enumerate(s0):"
    sequences = ", ".join(f"s{i}" for i in range(len(rows)))
    return f" for t, ({', '.join(rows)}) in enumerate(zip({sequences})):"


def _rows(row: Variable, sequence: Any, steps: int) -> Any:
    """Return what gives the rows of a sequence, as the lines of a step take them."""
    used = sequence[:steps]
    if _is_float(row):
        return used.tolist()
    if used.ndim > 1 and not used[0].flags.c_contiguous:
        return np.ascontiguousarray(used)
    return used


def _local_value(var: Variable, value: Any) -> Any:
    """Return a value as the lines of a step take it."""
    if _is_float(var):
        return float(value)
    if _is_number(var):
        return value[()]
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else copy_value(value)


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
    numbers = [i for i, v in enumerate(inputs) if _is_float(v)]
    symbols.floats.update([inputs[i] for i in numbers])
    if len(plan.nodes) <= CHUNK_NODES:
        return _single_function(plan, inputs, outputs, numbers, symbols)
    return _chunked_functions(plan, inputs, outputs, numbers, symbols)


Lines = list[Apply | None]
"""The node of each line of a function, by its number."""


def _defined(
    head: Sequence[str],
    plan: Schedule,
    part: Iterable[int],
    end: Callable[[], Sequence[str]],
    symbols: SymbolTable,
    indent: str = "",
) -> tuple[Any, Lines]:
    """Return a function that computes a part of a schedule, and the nodes of its lines.

    Parameters
    ----------
    head
        The lines before those of the nodes; the first one names the function.
    part
        The positions of the nodes.
    end
        Returns the lines behind those of the nodes, when these are known.
    indent
        What stands before the lines of nodes, besides a space.
    """
    source = list(head)
    of_lines: Lines = [None] * (len(source) + 1)
    for i in part:
        lines = _node_lines(plan, i, symbols)
        source += [f"{indent}{line}" for line in lines]
        of_lines += [plan.nodes[i]] * len(lines)
    last = end()
    name = head[0].removeprefix("def ").partition("(")[0]
    return define("\n".join([*source, *last]), name, symbols), [*of_lines, *[None] * len(last)]


def _single_function(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    numbers: Sequence[int],
    symbols: SymbolTable,
) -> Program:
    names = ", ".join(symbols.name_of(v) for v in inputs)
    head = [f"def program({names}):", f" {'; '.join(symbols.conversions(inputs)) or 'pass'}"]

    def end() -> list[str]:
        return [f" return [{', '.join(symbols.array_name(v) for v in outputs)}]"]

    compute, lines = _defined(head, plan, range(len(plan.nodes)), end, symbols)
    return Program(compute, {compute.__code__: lines}, symbols, numbers, plan.reads)


def _chunked_functions(
    plan: Schedule,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    numbers: Sequence[int],
    symbols: SymbolTable,
) -> Program:
    """Return a program of several functions.

    Each takes a list of values, and returns those that others need. It clears the list, so that it
    frees what no other one needs as soon as it has read that.
    """
    last_use = {**plan.last_use, **dict.fromkeys(outputs, len(plan.nodes))}
    known = set(inputs)
    lines: dict[CodeType, Lines] = {}
    functions = []
    for start in range(0, len(plan.nodes), CHUNK_NODES):
        nodes = plan.nodes[start : start + CHUNK_NODES]
        after = start + len(nodes)
        read = [v for v in dict.fromkeys(v for n in nodes for v in plan.reads(n)) if v in known]
        gone = [v for v in read if last_use[v] < after]
        kept = [v for node in nodes for v in node.outputs if last_use[v] >= after]
        names = "".join(f"{symbols.name_of(v)}, " for v in read)
        unpacking = [f"{names}= x", "x.clear()", *symbols.conversions(read)] if read else ["pass"]
        head = ["def chunk(x):", f" {'; '.join(unpacking)}"]
        end = [f" return [{', '.join(map(symbols.name_of, kept))}]"]
        function, of_lines = _defined(head, plan, range(start, after), end.copy, symbols)
        lines[function.__code__] = of_lines
        functions.append((function, read, gone, kept))
        known.update(kept)
    constants: dict[Variable, Any] = {v: v.data for v in outputs if isinstance(v, Constant)}
    are_numbers = [v in symbols.floats or v in symbols.scalars for v in outputs]

    def run(*values: Any) -> list[Any]:
        frame: dict[Variable, Any] = {**constants, **dict(zip(inputs, values, strict=True))}
        for function, read, gone, kept in functions:
            given = [frame[v] for v in read]
            for v in gone:
                del frame[v]
            frame.update(zip(kept, function(given), strict=True))
        pairs = zip(outputs, are_numbers, strict=True)
        return [np.asarray(frame[v]) if is_number else frame[v] for v, is_number in pairs]

    return Program(run, lines, symbols, numbers, plan.reads)


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
    """Return the line that computes a node by what its op defines."""
    function = symbols.bind("k", _function(plan, node, symbols.storage))
    arguments = ", ".join(symbols.array_name(v) for v in plan.reads(node))
    names = ", ".join(symbols.name_of(v) for v in node.outputs)
    return f"{names} = {function}({arguments})"


def _function(plan: Schedule, node: Apply, storage: KeptStorage | None) -> Callable[..., Any]:
    def of_branch(branch: Branch) -> Runner:
        return generate_program(branch.plan, branch.inputs, branch.outputs, storage).run

    if isinstance(node.op, Scan):
        return unpacked(loop_runner(node), len(node.outputs))
    if node in plan.branches:
        return unpacked(lazy_runner(plan, node, of_branch), len(node.outputs))
    return function_of(node)
