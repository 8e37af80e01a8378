"""Cuts a schedule into segments: as few as there can be, each of nodes that are compiled together.

A segment stands in the schedule as one node. Its line in the program calls the compiled function;
arrays that do not lie in memory in C order are copied for it. Where it does not take the values,
since they do not fit together, the nodes of the segment run by the first tier, which also raises
the errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.loops.scan_op import Scan
from relgraph.vm.lines.fused import performed_line
from relgraph.vm.lines.symbol_table import SymbolTable
from relgraph.vm.lines.table import InlinedOp
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import Schedule, schedule_of_nodes
from relgraph.vm.tier.compiled_loops import CompiledLoop
from relgraph.vm.tier.compiler import Compiled
from relgraph.vm.tier.lowering import Lowering, external
from relgraph.vm.tier.machine_code import MachineCode
from relgraph.vm.tier.operations import operations
from relgraph.vm.tier.parts import Length
from relgraph.vm.tier.taken_apart import MOST_IN_SEGMENT, taken_apart

LEAST_OPERATIONS, MOST_OPERATIONS = 2, 2000
"""A segment of fewer operations is left to NumPy, and so is what is more in all."""


class Segment(InlinedOp):
    """Nodes that are compiled as one function.

    Parameters
    ----------
    nodes
        The nodes, in order.
    inputs, outputs
        What they read from elsewhere, and what others read of them.
    exact
        Whether the bits have to be those of the nodes' own `perform`.
    """

    __props__ = None

    def __init__(
        self,
        nodes: Sequence[Apply],
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        exact: bool,
    ) -> None:
        self.nodes = list(nodes)
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.lowering = Lowering(nodes, inputs, outputs, exact)
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
        plan = schedule_of_nodes(self.nodes, self.inputs, self.outputs)
        return generate_program(plan, self.inputs, self.outputs)

    @cached_property
    def _of_plain(self) -> Any:
        """What calls the compiled function on arrays in C order."""
        outputs = [v.type.make_variable() for v in self.outputs]
        node = Apply(self, self.inputs, outputs)
        return generate_program(
            schedule_of_nodes([node], self.inputs, outputs), self.inputs, outputs
        )

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        plain = [np.asarray(x, order="C") for x in inputs]
        in_order = all(x is y for x, y in zip(plain, inputs, strict=True))
        found = self._program(*inputs) if in_order else self._of_plain(*plain)
        for cell, value in zip(output_storage, found, strict=True):
            cell[0] = value

    def lines(self, node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str]:
        return segment_lines(node, symbols)


def segment_lines(node: Apply, symbols: SymbolTable) -> list[str]:
    """Return the lines of a `Segment`: arrays for the results, and the call that fills them."""
    op: Segment = node.op
    code, lowering = op.code, op.lowering
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
    outs = dict(zip(op.outputs, node.outputs, strict=True))
    of_value = {lowering.values[v]: out for v, out in outs.items() if v.type.ndim}

    def length(n: Length | None) -> str:
        if n is None:
            return "1"
        i, axis = n
        return str(axis) if i < 0 else f"{symbols.name_of(node.inputs[i])}.shape[{axis}]"

    def new_array(name: str, lengths: Sequence[Length | None], dtype: str) -> str:
        shape = "".join(f"{length(n)}, " for n in lengths)
        return f"{name} = {empty}(({shape}), {symbols.bind('d', np.dtype(dtype))})"

    scratch = []
    for value in code.stored:
        out = of_value[value]
        name = symbols.name_of(out)
        lines.append(new_array(name, lowering.shape(_old(op, node, out)), value.dtype))
        arguments.append(name)
    for old in code.arrays_of_one:
        name = symbols.name_of(outs[old])
        lines.append(new_array(name, lowering.shape(old), old.type.dtype))
        arguments.append(name)
    made = []
    for k, (dtype, values) in enumerate(code.numbers.items()):
        lines.append(f"n{k} = {empty}({len(values)}, {symbols.bind('d', np.dtype(dtype))})")
        arguments.append(f"n{k}")
        scratch.append(f"n{k}")
        made += _numbers(k, dtype, [outs[v] for v in _outputs_of(op, dtype)], symbols)
    function = symbols.bind("k", op.compiled.call)
    lines.append(f"if {function}({', '.join(arguments)}) is None:")
    lines += [f" {line}" for line in made] or [" pass"]
    for out in node.outputs:
        if out.type.ndim:
            symbols.define_fresh(out, ordered=False)
    lines += ["else:", performed_line(node, symbols)]
    lines.append(f"del {', '.join(scratch)}" if scratch else "pass")
    return lines


def _old(op: Segment, node: Apply, out: Variable) -> Variable:
    return op.outputs[node.outputs.index(out)]


def _outputs_of(op: Segment, dtype: str) -> list[Variable]:
    return [v for v in op.outputs if not v.type.ndim and v.type.dtype == dtype]


def _numbers(k: int, dtype: str, outs: Sequence[Variable], symbols: SymbolTable) -> list[str]:
    """Return the lines that take numbers out of the array that they were put into."""
    names = [symbols.name_of(v) for v in outs]
    if dtype == "float64":
        symbols.floats.update(outs)
        return [f"{', '.join(names)}, = n{k}.tolist()"]
    symbols.scalars.update(outs)
    return [f"{', '.join(names)}, = n{k}"]


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
    ) -> None:
        self.exact = exact
        self.check = check
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
        made: Counter[int] = Counter()
        for node in nodes:
            found = [at.get(v, (-1, False)) for v in node.inputs]
            count = operations(node, self.exact)
            if count is not None and made.total() + count <= MOST_OPERATIONS:
                place = max([least, *(p if inside else p + 1 for p, inside in found)])
                while made[place] and made[place] + count > MOST_IN_SEGMENT:
                    place += 1
                made[place] += count
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
        readers: dict[Variable, list[Apply]] = {}
        for node in nodes:
            for v in node.inputs:
                readers.setdefault(v, []).append(node)
        places = sorted({*self._compiled.values(), *self._behind.values()})
        for place in places:
            inside = [n for n in nodes if self._compiled.get(n) == place]
            if inside:
                self._segment(inside, readers)
            self._others([n for n in nodes if self._behind.get(n) == place])

    def _segment(self, nodes: list[Apply], readers: dict[Variable, list[Apply]]) -> None:
        count = sum(operations(node, self.exact) or 0 for node in nodes)
        if count < LEAST_OPERATIONS:
            self._others(nodes)
            return
        own, results = set(nodes), set(self.outputs)
        wanted = {
            v
            for node in nodes
            for v in node.outputs
            if v in results or any(reader not in own for reader in readers.get(v, ()))
        }
        views = []
        for node in reversed(nodes):  # a view that others read is made from what it views
            if type(node.op) is DimShuffle and node.outputs[0] in wanted:
                wanted.discard(node.outputs[0])
                if not isinstance(node.inputs[0], Constant):
                    wanted.add(node.inputs[0])
                views.append(node)
        outputs = [v for node in nodes for v in node.outputs if v in wanted]
        if outputs:
            inputs = external(nodes)
            self.check()
            segment = Segment(nodes, inputs, outputs, self.exact)
            self.segments.append(segment)
            given = [self._new.get(v, v) for v in inputs]
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
