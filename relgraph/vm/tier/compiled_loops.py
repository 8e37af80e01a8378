"""Loops as one compiled function each: the code of a step, in a loop over the rows of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.loops.running import number_of_steps
from relgraph.tensor.loops.scan_op import Scan, StepResults
from relgraph.tensor.type import TensorType
from relgraph.vm.loops import in_order
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import schedule_of_nodes
from relgraph.vm.tier.compiler import Compiled
from relgraph.vm.tier.lowering import Lowering, external
from relgraph.vm.tier.machine_code import MachineCode
from relgraph.vm.tier.numpy_loops import DATA
from relgraph.vm.tier.operations import operations
from relgraph.vm.tier.parts import Length
from relgraph.vm.tier.scalar_code import MEMORY, convert, itemsize
from relgraph.vm.tier.taken_apart import MOST_IN_SEGMENT, taken_apart


class LoopCode(MachineCode):
    """The text of a function that makes the steps of a loop.

    Its arguments are arrays: the number of steps, in which that of the steps made is left; the
    inputs of the lowering, a sequence with all its rows; the states, in which the last ones are
    left; and the rows that are collected.

    Parameters
    ----------
    op
        The loop.
    results
        What a step computes.
    lowering
        A step.
    """

    def __init__(self, op: Scan, results: StepResults, lowering: Lowering) -> None:
        self.op, self.results = op, results
        super().__init__(lowering)
        self._scratch = [*self.stored, *self._scratch]
        self.stored = []

    def _axis(self, length: Length) -> tuple[int, int]:
        i, axis = length
        return 1 + i, axis + (i < self.op.n_sequences)

    def _write(self) -> None:
        code, op = self.code, self.op
        inputs = self.lowering.inputs
        first = 1 + len(inputs)
        self._take_arguments(first + op.n_states + op.n_rows)
        self._check({}, range(1, first))
        data = [code.load("ptr", code.at(argument, DATA)) for argument in self._arguments]
        self._states, self._rows = data[first : first + op.n_states], data[first + op.n_states :]
        steps = code.load("i64", data[0])
        scratch = self._allocate_scratch()
        self._read_fixed(data[1:first])
        sizes = {v: self.product(self._value(v).axes) for v in (*inputs, *self.lowering.outputs)}
        token = self._unlock(steps)
        self._begin()
        loop = code.open(steps)
        made = code.make(f"add i64 {loop.counter}, 1")
        code.add(f"store i64 {made}, ptr {data[0]}, align 1")
        self._read_rows(loop.counter, data[1:first], sizes)
        self._compute()
        self._collect(loop.counter, steps, sizes)
        self._hand_on(sizes)
        self._leave_if_done(loop.end)
        code.close(loop)
        self._relock(token)
        self._free(scratch)
        self._return_if_failed()
        self._return("None")

    def _value(self, var: Variable) -> Any:
        return self.lowering.values[var]

    def _input(self, var: Variable, where: str) -> None:
        """Note that an input lies somewhere."""
        value = self._value(var)
        if value.axes:
            self.bases[value] = where
        else:
            self.registers[value] = self.code.load_element(value.dtype, where)

    def _read_fixed(self, data: Sequence[str]) -> None:
        behind = self.op.n_sequences + self.op.n_states
        for var, where in zip(self.lowering.inputs[behind:], data[behind:], strict=True):
            self._input(var, where)

    def _row(self, base: str, row: str, var: Any, sizes: dict[Variable, str]) -> str:
        """Return where a row of an array lies."""
        code = self.code
        offset = code.make(f"mul i64 {row}, {sizes[var]}")
        return code.at(base, offset, MEMORY[var.type.dtype])

    def _read_rows(self, step: str, data: Sequence[str], sizes: dict[Variable, str]) -> None:
        """Note where the rows of a step lie, and its states."""
        for var, base in zip(self.op.step.sequences, data, strict=False):
            self._input(var, self._row(base, step, var, sizes))
        for var, where in zip(self.op.step.states, self._states, strict=True):
            self._input(var, where)

    def _collect(self, step: str, steps: str, sizes: dict[Variable, str]) -> None:
        """Copy what is collected to its row."""
        for var, kept, base in zip(self.results.rows, self.op.kept, self._rows, strict=True):
            row = step if kept is None else self.code.make(f"urem i64 {step}, {kept}")
            self._copy(var, self._row(base, row, var, sizes), sizes)

    def _hand_on(self, sizes: dict[Variable, str]) -> None:
        for var, old, where in zip(
            self.results.states, self.op.step.states, self._states, strict=True
        ):
            if var is not old:
                self._copy(var, where, sizes)

    def _copy(self, var: Any, where: str, sizes: dict[Variable, str]) -> None:
        code, value = self.code, self._value(var)
        if not value.axes:
            code.store_element(self.number(value), value.dtype, where)
            return
        size = code.make(f"mul i64 {sizes[var]}, {itemsize(value.dtype)}")
        code.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        source = self.bases[value]
        code.add(f"call void @llvm.memcpy.p0.p0.i64(ptr {where}, ptr {source}, i64 {size}, i1 0)")

    def _leave_if_done(self, end: str) -> None:
        """End the loop if the condition holds, or a routine failed."""
        code = self.code
        done = code.make(f"load i1, ptr {self._failed}")
        for var in self.results.stop:
            value = self._value(var)
            stops = convert(code, self.number(value), value.dtype, "bool")
            done = code.make(f"or i1 {done}, {stops}")
        further = code.name()
        code.add(f"br i1 {done}, label %{end}, label %{further}")
        code.label(further)


class CompiledLoop(Op):
    """A loop that is compiled.

    Where the compiled function does not take the values, the loop runs by the first tier, which
    also raises the errors.

    Parameters
    ----------
    node
        The node of the loop.
    exact
        Whether the bits have to be those of the nodes' own `perform`.

    Raises
    ------
    NotImplementedError
        If something of a step is not compiled.
    """

    __props__ = None

    def __init__(self, node: Apply, exact: bool) -> None:
        self.node = node
        self.op: Scan = node.op
        nodes, self.results = _step(self.op, exact)
        results = self.results
        arrays = [v for v in external(nodes) if isinstance(v, Constant)]
        self._constants = [np.asarray(v.data, order="C") for v in arrays]
        outputs = list(dict.fromkeys([*results.states, *results.rows, *results.stop]))
        states = list(zip(self.op.step.states, results.states, strict=True))
        self.lowering = Lowering(nodes, [*self.op.inputs, *arrays], outputs, exact, states)
        self.compiled = Compiled(LoopCode(self.op, results, self.lowering).text())

    def __str__(self) -> str:
        return f"Compiled{{{self.op} of {len(self.op.nodes)} nodes}}"

    @cached_property
    def _program(self) -> Any:
        node = self.node
        plan = schedule_of_nodes([node], node.inputs, node.outputs)
        return generate_program(plan, node.inputs, node.outputs)

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        steps = number_of_steps(self.op, inputs)
        found = self._run(steps, inputs[1:]) if steps else None
        if found is None:
            found = self._program(*inputs)
        for cell, value in zip(output_storage, found, strict=True):
            cell[0] = value

    def _run(self, steps: int, inputs: Sequence[Any]) -> list[Any] | None:
        op = self.op
        outer = op.parts(inputs)
        given = [
            *(x[:steps] for x in outer.sequences),
            *(*outer.states, *outer.fixed, *self._constants),
        ]
        given = [np.asarray(x, order="C") for x in given]
        states = [np.array(x, order="C") for x in outer.states]
        rows = [
            np.empty(
                (steps if kept is None else min(steps, kept), *self._shape(var, given)),
                var.type.numpy_dtype,
            )
            for var, kept in zip(self.results.rows, op.kept, strict=True)
        ]
        count = np.array(steps)
        if self.compiled.call(count, *given, *states, *rows) is not None:
            return None
        made = int(count)
        rows = [in_order(x, kept, made, steps) for x, kept in zip(rows, op.kept, strict=True)]
        return [*states, *rows, *([count] if op.has_condition else [])]

    def _shape(self, var: Variable, given: Sequence[Any]) -> list[int]:
        def length(n: Length | None) -> int:
            if n is None:
                return 1
            i, axis = n
            found: int = axis if i < 0 else given[i].shape[axis + (i < self.op.n_sequences)]
            return found

        return [length(n) for n in self.lowering.shape(var)]


def _step(op: Scan, exact: bool) -> tuple[list[Apply], StepResults]:
    """Return the nodes of a step as they are compiled, and its results.

    Raises
    ------
    NotImplementedError
        If it is not compiled.
    """
    nodes, new = taken_apart(op.nodes, exact)
    total = 0
    for node in nodes:
        count = operations(node, exact)
        if count is None:
            raise NotImplementedError(f"{node.op} in a loop")
        total += count
    if total > MOST_IN_SEGMENT:
        raise NotImplementedError(f"a step of {total} operations")
    results = op.split_results([new.get(v, v) for v in op.outputs])
    for i, (old, made) in enumerate(zip(op.step.states, results.states, strict=True)):
        if old.type.broadcastable != made.type.broadcastable:
            raise NotImplementedError("a state that broadcasts after a step")
        if made is not old and made in op.step.states and made.type.ndim:
            # it is copied before the state that it is the last value of is written to
            nodes.append(Elemwise(scalar.identity).make_node(made))
            results.states[i] = nodes[-1].outputs[0]
    for var in (*op.inputs, *results.states, *results.rows, *results.stop):
        if not isinstance(var.type, TensorType) or var.type.dtype not in MEMORY:
            raise NotImplementedError(f"a {var.type} in a loop")
        if isinstance(var, Constant) and var.type.ndim:
            raise NotImplementedError("a constant that is collected")
    return nodes, results
