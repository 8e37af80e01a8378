"""Cuts a schedule into segments: as few as there can be, each of nodes that are compiled together.

A segment stands in the schedule as one node. Its line in the program calls the compiled function;
arrays that do not lie in memory in C order are copied for it. Where it does not take the values,
since they do not fit together, the nodes of the segment run by the first tier, which also raises
the errors. A loop whose step is compiled is a function of its own: the code of a step, in a loop
over the rows of sequences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op, Storage
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.loops.scan_op import Scan, StepResults, number_of_steps
from relgraph.tensor.shapes import SpecifyShape
from relgraph.tensor.subtensor import Subtensor
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import AxisLength, Length, Program, SymbolTable
from relgraph.vm.elementwise import performed_line
from relgraph.vm.program import generate_program, in_order
from relgraph.vm.schedule import Schedule, schedule_of_nodes
from relgraph.vm.tier.compiler import DATA, Compiled
from relgraph.vm.tier.lowering import Lowering, external
from relgraph.vm.tier.machine_code import MachineCode
from relgraph.vm.tier.operations import MOST_IN_SEGMENT, effort, operations, taken_apart
from relgraph.vm.tier.scalar_code import MEMORY, convert, itemsize


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

    def _axis(self, length: AxisLength) -> tuple[int, int]:
        i, axis, _ = length
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
        end = code.name()
        with code.loop(steps, end=end) as k:
            made = code.make(f"add i64 {k}, 1")
            code.add(f"store i64 {made}, ptr {data[0]}, align 1")
            self._read_rows(k, data[1:first], sizes)
            self._compute()
            self._collect(k, steps, sizes)
            self._hand_on(sizes)
            self._leave_if_done(end)
        self._relock(token)
        self._free(scratch)
        self._return_if_failed()
        self._return("None")

    def _value(self, var: Variable) -> Any:
        return self.lowering.values[var]

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


def _program_of(
    nodes: Sequence[Apply], inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Program:
    return generate_program(schedule_of_nodes(nodes, inputs, outputs), inputs, outputs)


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
        # of variables of its own, as a node may read one variable twice
        node = self.op.make_node(*[v.type() for v in self.node.inputs])
        return _program_of([node], node.inputs, node.outputs)

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
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
        def length(n: Length) -> int:
            if not isinstance(n, AxisLength):
                assert isinstance(n, int)
                return n
            i, axis, more = n
            return max(int(given[i].shape[axis + (i < self.op.n_sequences)]) + more, 0)

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


VIEWS = (DimShuffle, Subtensor, SpecifyShape)
"""The ops whose results NumPy makes without a copy."""

LEAST_OPERATIONS, MOST_OPERATIONS = 2, 2000
"""A segment of fewer operations is left to NumPy, and so is what is more in all."""


class Segment(Op):
    """Nodes that are compiled as one function.

    Parameters
    ----------
    nodes
        The nodes, in order.
    inputs, outputs
        What they read from elsewhere, and what others read of them.
    exact
        Whether the bits have to be those of the nodes' own `perform`.
    shapes
        Shapes that some of the inputs usually have.
    """

    __props__ = None

    def __init__(
        self,
        nodes: Sequence[Apply],
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        exact: bool,
        shapes: Mapping[Variable, Sequence[int]],
    ) -> None:
        self.nodes = list(nodes)
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.lowering = Lowering(nodes, inputs, outputs, exact, shapes=shapes)
        self.code = MachineCode(self.lowering)
        self.compiled = Compiled(self.code.text())

    def __str__(self) -> str:
        lowering = self.lowering
        nests = lowering.nests.values()
        count = sum(len(steps) for steps in lowering.straight.values())
        count += sum(len(nest.steps) + len(nest.reductions) for nest in nests)
        plural = "s" * (len(self.nodes) != 1)
        return f"Compiled{{{count} operations of {len(self.nodes)} node{plural}}}"

    @cached_property
    def _program(self) -> Any:
        return _program_of(self.nodes, self.inputs, self.outputs)

    @cached_property
    def _of_plain(self) -> Any:
        """What calls the compiled function on arrays in C order."""
        outputs = [v.type.make_variable() for v in self.outputs]
        return _program_of([Apply(self, self.inputs, outputs)], self.inputs, outputs)

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        plain = [np.asarray(x, order="C") for x in inputs]
        in_order = all(x is y for x, y in zip(plain, inputs, strict=True))
        found = self._program(*inputs) if in_order else self._of_plain(*plain)
        for cell, value in zip(output_storage, found, strict=True):
            cell[0] = value

    def program_lines(
        self, node: Apply, symbols: SymbolTable, dead: Collection[Variable]
    ) -> list[str]:
        """Return the lines of a node: arrays for the results, and the call that fills them."""
        code, lowering = self.code, self.lowering
        lines: list[str] = []
        arguments = []
        for var in node.inputs:
            if var.type.ndim:
                arguments.append(symbols.array_name(var))
            elif var.type.dtype == "float64":
                arguments.append(symbols.float_name(var, lines))
            else:
                arguments.append(symbols.scalar_name(var, lines))
        symbols.may_warn = True
        empty = symbols.shared_name("f", np.empty)
        outs = dict(zip(self.outputs, node.outputs, strict=True))
        of_value = {lowering.values[v]: v for v in self.outputs if v.type.ndim}

        def length(n: Length) -> str:
            if not isinstance(n, AxisLength):
                return str(n)
            i, axis, more = n
            found = f"{symbols.name_of(node.inputs[i])}.shape[{axis}]"
            # the call leaves arrays that are too short to NumPy
            return f"max({found}{more:+}, 0)" if more else found

        def new_array(name: str, lengths: Sequence[Length], dtype: str) -> str:
            shape = "".join(f"{length(n)}, " for n in lengths)
            return f"{name} = {empty}(({shape}), {symbols.bind('d', np.dtype(dtype))})"

        scratch = []
        for old in (*(of_value[value] for value in code.stored), *code.arrays_of_one):
            name = symbols.name_of(outs[old])
            lines.append(new_array(name, lowering.shape(old), old.type.dtype))
            arguments.append(name)
        made = []
        for k, (dtype, values) in enumerate(code.numbers.items()):
            lines.append(f"n{k} = {empty}({len(values)}, {symbols.bind('d', np.dtype(dtype))})")
            arguments.append(f"n{k}")
            scratch.append(f"n{k}")
            of_dtype = [v for v in self.outputs if not v.type.ndim and v.type.dtype == dtype]
            made += _numbers(k, dtype, [outs[v] for v in of_dtype], symbols)
        function = symbols.bind("k", self.compiled.call)
        lines.append(f"if {function}({', '.join(arguments)}) is None:")
        lines += [f" {line}" for line in made] or [" pass"]
        for out in node.outputs:
            if out.type.ndim:
                symbols.define_fresh(out, ordered=False)
        lines += ["else:", f" {performed_line(node, symbols)}"]
        lines.append(f"del {', '.join(scratch)}" if scratch else "pass")
        return lines


def _numbers(k: int, dtype: str, outs: Sequence[Variable], symbols: SymbolTable) -> list[str]:
    """Return the lines that take numbers out of the array that they were put into."""
    names = [symbols.name_of(v) for v in outs]
    if dtype == "float64":
        symbols.floats.update(outs)
        return [f"{', '.join(names)}, = n{k}.tolist()"]
    symbols.scalars.update(outs)
    return [f"{', '.join(names)}, = n{k}"]


def _by_rows(var: Variable) -> Variable:
    """Return a constant whose array lies in C order: another one would be copied in each call."""
    if not isinstance(var, Constant) or var.data.flags.c_contiguous:
        return var
    return type(var)(var.type, np.array(var.data, order="C"))


class Cut:
    """A schedule of which segments are one node each.

    Parameters
    ----------
    plan
        The schedule.
    inputs, outputs
        Those of its graph.
    exact
        Whether the bits have to be those that it has.
    check
        Called before each segment is compiled; what it raises ends the work.
    shapes
        Shapes that some of the inputs usually have.

    Attributes
    ----------
    plan, inputs, outputs
        The new schedule, and the variables that it reads and computes.
    segments
        The segments and loops that are compiled.
    """

    def __init__(
        self,
        plan: Schedule,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        exact: bool,
        check: Callable[[], None] = lambda: None,
        shapes: Mapping[Variable, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        self.exact = exact
        self.check = check
        self.shapes = shapes
        self.segments: list[Segment | CompiledLoop] = []
        nodes, new = taken_apart(plan.nodes, exact)
        self.inputs = list(inputs)
        self.outputs = [new.get(v, v) for v in outputs]
        self._new: dict[Variable, Variable] = {}
        self._assign(nodes)
        self._write(nodes)
        self.outputs = [self._new.get(v, v) for v in self.outputs]
        self.plan = schedule_of_nodes(self.nodes, self.inputs, self.outputs)

    def _assign(self, nodes: Sequence[Apply]) -> None:
        """Note for each node in the how manyth segment it is, or behind which one it comes.

        What a node overwrites has been read by all nodes before it, and by none after it.
        """
        self._compiled: dict[Apply, int] = {}
        self._behind: dict[Apply, int] = {}
        at: dict[Variable, tuple[int, bool]] = {}
        least, last = 0, -1
        made: dict[int, float] = defaultdict(float)
        total = 0.0
        for node in nodes:
            found = [at.get(v, (-1, False)) for v in node.inputs]
            count = effort(node, self.exact)
            if count is not None and total + count <= MOST_OPERATIONS:
                place = max([least, *(p if inside else p + 1 for p, inside in found)])
                while made[place] and made[place] + count > MOST_IN_SEGMENT:
                    place += 1
                made[place] += count
                total += count
                self._compiled[node] = place
                at.update((v, (place, True)) for v in node.outputs)
            else:
                place = max([least - 1, *(p for p, _ in found)])
                if node.op.destroy_map:
                    place = max(place, last)
                    least = place + 1
                self._behind[node] = place
                at.update((v, (place, False)) for v in node.outputs)
            last = max(last, place)

    def _write(self, nodes: Sequence[Apply]) -> None:
        """Put the nodes in order, segments as one of them each."""
        self.nodes: list[Apply] = []
        places = sorted({*self._compiled.values(), *self._behind.values()})
        inside = {place: [n for n in nodes if self._compiled.get(n) == place] for place in places}
        for place, own in inside.items():
            if sum(operations(n, self.exact) or 0 for n in own) < LEAST_OPERATIONS:
                self._behind.update((n, place) for n in own)
                inside[place] = []
        outside = set(self.outputs)
        for node in self._behind:
            outside.update(node.inputs)
        segments = {place: self._with_views(own) for place, own in inside.items() if own}
        read = {place: set(external(own)) for place, own in segments.items()}
        for place in places:
            if place in segments:
                elsewhere = outside.union(*(vs for p, vs in read.items() if p != place))
                self._segment(segments[place], set(inside[place]), elsewhere)
            self._others([n for n in nodes if self._behind.get(n) == place])

    def _with_views(self, nodes: Sequence[Apply]) -> list[Apply]:
        """Return nodes of a segment, with the views that they read: they are made again."""
        found = dict.fromkeys(nodes)
        missing = [v for node in nodes for v in node.inputs]
        while missing:
            node = missing.pop().owner
            if node in self._compiled and node not in found and type(node.op) in VIEWS:
                found[node] = None
                missing += node.inputs
        return [n for n in self._compiled if n in found]

    def _segment(
        self, nodes: list[Apply], own: Collection[Apply], elsewhere: Collection[Variable]
    ) -> None:
        """Compile nodes together, of which some are its own and the rest views of others."""
        wanted = {v for node in nodes if node in own for v in node.outputs if v in elsewhere}
        views = []
        for node in reversed(nodes):  # a view that others read is made from what it views
            if type(node.op) in VIEWS and node.outputs[0] in wanted:
                wanted.discard(node.outputs[0])
                base = node.inputs[0]
                if not isinstance(base, Constant) and base.owner in own:
                    wanted.add(base)
                views.append(node)
        outputs = [v for node in nodes for v in node.outputs if v in wanted]
        if outputs:
            inputs = external(nodes)
            self.check()
            segment = Segment(nodes, inputs, outputs, self.exact, self.shapes)
            self.segments.append(segment)
            given = [_by_rows(self._new.get(v, v)) for v in inputs]
            made = Apply(segment, given, [v.type.make_variable() for v in outputs])
            self._new.update(zip(outputs, made.outputs, strict=True))
            self.nodes.append(made)
        self._others(views[::-1])

    def _others(self, nodes: Sequence[Apply]) -> None:
        for node in nodes:
            op = self._loop(node) if isinstance(node.op, Scan) else node.op
            given = [self._new.get(v, v) for v in node.inputs]
            made = Apply(op, given, [v.type.make_variable() for v in node.outputs])
            self._new.update(zip(node.outputs, made.outputs, strict=True))
            self.nodes.append(made)

    def _loop(self, node: Apply) -> Op:
        """Return the op of a loop, compiled if it can be."""
        self.check()
        try:
            self.segments.append(CompiledLoop(node, self.exact))
        except NotImplementedError:
            op: Op = node.op
            return op
        return self.segments[-1]
