"""Runs fused elementwise nodes: as lines of a program, or by blocks on several threads.

Arrays that fit in the cache together are computed by the lines of the nodes that were fused. The
same lines are the body of a function of blocks, whose results are written to parts of the outputs.
Of inputs whose memory orders differ the results are computed as by separate nodes, because their
order depends on these.

Which form is fastest depends on the machine, its other work, how often each value is read, and
whether the arrays are in the cache. So `Ways` times each on the arguments that a caller has anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.scalar.composite import Composite
from relgraph.scalar.type import is_complex
from relgraph.settings import config
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise import Elemwise, elementwise
from relgraph.tensor.memory import (
    Array,
    added_pairwise,
    block_length,
    cut,
    forward,
    new_array,
    run_blocks,
    runs_by_columns,
    runs_by_rows,
    steady,
    whole_length,
)
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import (
    Axis,
    SymbolTable,
    axes_of,
    define,
    length_conditions,
    length_text,
)
from relgraph.vm.elementwise import (
    elementwise_lines,
    is_plain_ufunc,
    performed_line,
    reduction_lines,
)
from relgraph.vm.schedule import Schedule, schedule_of_nodes

Pattern = tuple[bool, ...]
"""For each axis, whether a value broadcasts along it."""


# How often each way is tried before one is chosen.
_TRIALS = 3

# Another way than the first has to take less than this part of its time.
_CLEARLY = 0.95

# After so many times the ways are tried again: other cores may be free now. Then after twice as
# many, up to the most.
_AGAIN, _AGAIN_AT_MOST = 200, 6_400


class Ways:
    """A choice among ways, of which the first is what would be done if there were no other.

    Several threads may use it at once.

    Parameters
    ----------
    count
        How many ways there are.
    """

    def __init__(self, count: int) -> None:
        self._best: list[float | None] = [None] * count
        self._to_try = self._trials()
        self._chosen = 0
        self._left = self._period = _AGAIN
        self._lock = Lock()

    def _trials(self) -> list[int]:
        return [*range(len(self._best))] * _TRIALS

    def next(self) -> int:
        """Return the position of the way that is to be taken now."""
        with self._lock:
            return self._to_try[-1] if self._to_try else self._chosen

    def prefers_first(self) -> bool:
        """Return whether the first way is to be taken, and its time need not be noted."""
        with self._lock:
            if self._to_try or self._chosen != 0:
                return False
            self._count_down()
            return True

    def note(self, way: int, seconds: float) -> None:
        """Note the time that a way took, for one of the elements or all of an equal number."""
        with self._lock:
            trying = self._to_try
            if not trying:
                self._count_down()
                return
            if trying[-1] == way:
                trying.pop()
            known = self._best[way]
            self._best[way] = seconds if known is None else min(known, seconds)
            if not trying:
                self._chosen = _fastest(self._best)

    def _count_down(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._period = self._left = min(2 * self._period, _AGAIN_AT_MOST)
            self._best = [None] * len(self._best)
            self._to_try = self._trials()


def _fastest(times: Sequence[float | None]) -> int:
    """Return the position of the least time, or of the first if no other one is clearly less."""
    first, *others = [float("inf") if t is None else t for t in times]
    least = min(others, default=first)
    return 1 + others.index(least) if least < _CLEARLY * first else 0


# As a whole, values that only the kernel reads may take so many bytes.
MOST_SCRATCH_BYTES = 512 * 1024 * 1024


class _Choice(NamedTuple):
    """The choice among computing as a whole, by blocks, and by blocks on several threads.

    Attributes
    ----------
    threads
        For each way the number of threads; 0 as a whole.
    """

    ways: Ways
    threads: Sequence[int]


class CompositeKernel:
    """A function of arrays for a fused op whose inputs broadcast in some way.

    Its source is made when it is first called.

    Parameters
    ----------
    op
        A FusedElemwise or FusedReduction, or another Elemwise of a Composite.
    patterns
        For each input, along which axes it broadcasts. All have the same rank.
    """

    def __init__(self, op: Any, patterns: Sequence[Pattern]) -> None:
        self.op = op
        self.patterns = patterns
        self.pattern = tuple(map(all, zip(*patterns, strict=True)))
        elemwise: Elemwise = getattr(op, "elemwise", op)
        composite: Any = elemwise.scalar_op
        self.composite: Composite = composite
        self.reductions: Sequence[Any] = getattr(op, "reductions", [None] * op.nout)
        # An output that is an input is read when all others have been written.
        indirect = any(v in composite.inputs for v in composite.outputs)
        self.overwritten = {} if indirect else dict(elemwise.inplace_pattern)
        self._choices: dict[tuple[int, int], _Choice] = {}

    @cached_property
    def node(self) -> Apply:
        """A node of the op."""
        pairs = zip(self.composite.inputs, self.patterns, strict=True)
        types = [TensorType(v.type.dtype, [1 if b else None for b in p]) for v, p in pairs]
        made: Apply = self.op.make_node(*[t.make_variable() for t in types])
        return made

    @cached_property
    def unfused(self) -> tuple[Schedule, list[Any]]:
        """The schedule of the nodes that were fused, and their results."""
        nodes, outputs = unfused(self.op, self.node.inputs, _folds)
        return schedule_of_nodes(nodes, self.node.inputs, outputs), outputs

    @cached_property
    def reduces_all(self) -> bool:
        """Whether what is reduced has all axes, so that a reduction of blocks counts each element
        once."""
        pairs = zip(self.unfused[1], self.reductions, strict=True)
        read = [out.owner and out.owner.inputs[0].type for out, op in pairs if op is not None]
        return all(t is not None and t.broadcastable == self.pattern for t in read)

    @cached_property
    def bytes_per_element(self) -> int:
        """The bytes of all arrays that a block needs, for each of its elements."""
        return _bytes_per_element(self.unfused[0], self.pattern)

    @cached_property
    def block_length(self) -> int:
        """The greatest number of elements of a block."""
        return block_length(self.bytes_per_element)

    @cached_property
    def block(self) -> Callable[..., tuple[Any, ...]]:
        """Takes the inputs, and for each output the array that it is written to, None if it is
        reduced; returns what is reduced."""
        places: dict[Variable, str] = {}
        for _ in range(2):  # the second time it is known which calls write to what others have made
            symbols = SymbolTable(places=places)
            source = self._source(symbols)
            places = self._places(symbols.overwritten)
        block: Callable[..., tuple[Any, ...]] = define("\n ".join(source), "block", symbols)
        return block

    def _source(self, symbols: SymbolTable) -> list[str]:
        """Return the lines of the function of blocks."""
        symbols.forward.update(self.node.inputs)
        symbols.namespace["copyto"] = np.copyto
        length_conditions(self.node, symbols)  # they hold where the kernel is called
        plan, outputs = self.unfused
        # blocks may have one axis, and a number with more would give them back theirs
        for v in (v for node in plan.nodes for v in node.inputs if isinstance(v, Constant)):
            symbols.of_variable[v] = symbols.bind("c", v.data.reshape(()))
        names = [symbols.name_of(v) for v in self.node.inputs]
        targets = [f"r{j}" for j in range(len(outputs))]
        lines = [f"def block({', '.join([*names, *targets])}):", *_lines_of_plan(plan, symbols)]
        returned = ""
        for target, out, op in zip(targets, outputs, self.reductions, strict=True):
            name = symbols.name_of(out)
            if op is not None:
                returned += f"{name}, "
            else:
                lines.append(f"if {name} is not {target}: copyto({target}, {name})")
        return [*lines, f"return ({returned})"]

    def _places(self, overwritten: Mapping[Variable, Variable]) -> dict[Variable, str]:
        """Return the arrays that results are written to: those of outputs, as early as may be.

        Parameters
        ----------
        overwritten
            For results the one over which it is written.
        """
        plan, outputs = self.unfused
        at = {v: i for i, node in enumerate(plan.nodes) for v in node.outputs}
        places: dict[Variable, str] = {}
        for j, out in enumerate(outputs):
            chain = [out]
            while chain[-1] in overwritten:
                chain.append(overwritten[chain[-1]])
            target = self.node.inputs[self.overwritten[j]] if j in self.overwritten else None
            last = -1 if target is None else plan.last_use[target]
            free = [v for v in chain if v in at and at[v] >= last and _may_write(v.owner, target)]
            if free and self.reductions[j] is None:
                places.setdefault(free[-1], f"r{j}")
        return places

    def run(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs.

        Parameters
        ----------
        inputs
            Arrays that broadcast to `shape`.
        targets
            For each output the input that it overwrites, or None. Not all need be heeded: the
            result is another array then.
        """
        if not shape or not self.reduces_all:
            return self.op.separately(inputs, shape)  # type: ignore[no-any-return]
        if not self.overwritten or _overlap(inputs, [t for t in targets if t is not None]):
            targets = [None] * len(targets)
        if all(map(runs_by_rows, inputs)):
            return self._run(inputs, shape, targets)
        by_columns = all(x.size == 1 or (x.shape == shape and runs_by_columns(x)) for x in inputs)
        # What is reduced is added up by rows.
        if not by_columns or any(self.reductions):
            return self.op.separately(inputs, shape)  # type: ignore[no-any-return]
        transposed = [t if t is None else t.T for t in targets]
        results = self._run([x.T for x in inputs], shape[::-1], transposed)
        return [x.T for x in results]

    def _run(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs for inputs that lie in memory row by row."""
        size = math.prod(shape)
        if size <= whole_length(self.bytes_per_element):
            return self._run_whole(inputs, shape, targets)
        choice = self._choice_for(size)
        way = choice.ways.next()
        threads = choice.threads[way]
        started = perf_counter()
        if threads == 0:
            results = self._run_whole(inputs, shape, targets)
        else:
            results = self._run_blocks(inputs, shape, targets, threads)
        choice.ways.note(way, (perf_counter() - started) / size)
        return results

    def _choice_for(self, size: int) -> _Choice:
        """Return the choice for about so many elements."""
        most = config.threads
        key = (size.bit_length(), most)
        choice = self._choices.get(key)
        if choice is None:
            threads = [1, most] if most > 1 and size > self.block_length else [1]
            if size * self.bytes_per_element <= MOST_SCRATCH_BYTES:
                threads.insert(0, 0)
            choice = self._choices[key] = _Choice(Ways(len(threads)), threads)
        return choice

    def prefers_whole(self, size: int) -> bool:
        """Return whether arrays of `size` elements, more than `limit`, are best computed as a whole
        by calls that the caller makes."""
        choice = self._choice_for(size)
        return choice.threads[0] == 0 and choice.ways.prefers_first()

    def _run_whole(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs, computed as one block."""
        arrays = [
            (np.empty(shape, v.type.numpy_dtype) if t is None else t) if op is None else None
            for v, t, op in zip(self.composite.outputs, targets, self.reductions, strict=True)
        ]
        found = iter(self.block(*map(forward, inputs), *arrays))
        return [np.asarray(next(found)) if x is None else x for x in arrays]

    def _run_blocks(
        self,
        inputs: Sequence[Array],
        shape: tuple[int, ...],
        targets: Sequence[Array | None],
        threads: int,
    ) -> list[Any]:
        """Return the outputs, computed by blocks of inputs that lie in memory row by row."""
        results: list[Any] = [
            new_array(shape, out.type.numpy_dtype) if t is None and op is None else t
            for out, t, op in zip(self.composite.outputs, targets, self.reductions, strict=True)
        ]
        outputs = results
        flat = all(x.size == 1 or (x.shape == shape and x.flags.c_contiguous) for x in inputs)
        if flat:
            inputs = [x.reshape(-1) for x in inputs]
            outputs = [x if x is None else x.reshape(-1) for x in results]
            shape = (math.prod(shape),)
        length = self.block_length
        ufuncs = [None if op is None else op.ufunc for op in self.reductions]
        pairwise = flat and np.add in ufuncs
        parts = run_blocks(self.block, inputs, outputs, cut(shape, length, pairwise), threads)
        positions = (j for j, ufunc in enumerate(ufuncs) if ufunc is not None)
        for j, found in zip(positions, zip(*parts, strict=True), strict=False):
            ufunc: Any = ufuncs[j]
            if ufunc is np.add and pairwise:
                results[j] = np.asarray(added_pairwise(iter(found), shape[0], length))
            else:
                results[j] = np.asarray(ufunc.reduce(np.array(found)))
        return results


def _overlap(inputs: Sequence[Array], targets: Sequence[Array]) -> bool:
    """Return whether a target, which is an input, may share memory with another input."""
    return any(sum(np.may_share_memory(t, x) for x in inputs) > 1 for t in targets)


def _may_write(node: Apply | None, target: Variable | None) -> bool:
    """Return whether a node may write its result over an input that nothing reads later.

    A product of complex numbers that is written over one of them is rounded otherwise.
    """
    if node is None or target is None or target not in node.inputs:
        return True
    return not is_complex(target.type.dtype) and len(node.inputs) <= 2


def kernel_of(node: Apply) -> CompositeKernel:
    """Return the kernel of a fused node: one for nodes of one op whose inputs broadcast alike."""
    op: Any = node.op
    patterns = tuple([v.type.broadcastable for v in node.inputs])
    kernel: CompositeKernel | None = op.kernels.get(patterns)
    if kernel is None:
        kernel = op.kernels[patterns] = CompositeKernel(op, patterns)
    return kernel


def fused_function(node: Apply) -> Callable[..., Any]:
    """Return a function that computes the output of a fused node, or a list of several."""
    op: Any = node.op
    kernel = kernel_of(node)
    elemwise: Elemwise = getattr(op, "elemwise", op)

    def compute(*values: Any) -> Any:
        shape = elemwise.checked_shape(node, values)
        if 0 in shape:
            return op.compute(node, *values)
        targets = elemwise.targets(values)
        return elemwise.written(kernel.run(values, shape, targets), targets)

    return compute


# -- lines ---------------------------------------------------------------------------------------


Dead = Collection[Variable]


def elementwise_node_lines(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of an `Elemwise`, fused or not."""
    fused = isinstance(node.op.scalar_op, Composite)
    return (fused_lines if fused else elementwise_lines)(node, symbols, dead)


def fused_lines(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a fused node.

    Where its values all have one shape, those of the nodes that were fused compute small arrays.
    They are one of the ways among which the kernel finds the fastest for larger ones.
    """
    by_kernel = partial(performed_line, node, symbols, fused_function(node))
    full = tuple(map(all, zip(*[v.type.broadcastable for v in node.inputs], strict=True)))
    nodes, outputs = unfused(node.op, node.inputs, _folds)
    computed = {v for inner in nodes for v in inner.outputs}
    if not full or len(computed.intersection(outputs)) < len(outputs):
        return [by_kernel()]
    if any(v.type.ndim and v.type.broadcastable != full for v in computed):
        return [by_kernel()]
    plan = schedule_of_nodes(nodes, node.inputs, outputs)
    _write_over_declared(node, plan, outputs, symbols)
    groups = list(node.op.required_lengths(node, axes_of(node.inputs)))
    read = _read_in_order(nodes, node, symbols)
    kept = {node.inputs[i] for targets in node.op.destroy_map.values() for i in targets}
    if any(v in kept or isinstance(v, Constant) for v in read):
        return [by_kernel()]
    lines = []
    for v in read:
        name, copy = symbols.name_of(v), symbols.shared_name("f", forward)
        lines.append(f"if not {name}.flags.c_contiguous: {name} = {copy}({name})")
        symbols.forward.add(v)
    conditions = [
        *_size_conditions(node, groups, _bytes_per_element(plan, full), symbols),
        *length_conditions(node, symbols),
    ]
    for out, result in zip(node.outputs, outputs, strict=True):
        symbols.of_variable[result] = symbols.name_of(out)
    small = _lines_of_plan(plan, symbols, dead)
    _define_results(node, outputs, groups, symbols)
    if not conditions:
        return [*lines, *small]
    # what follows the lines, as the deletion of dead values, is for both ways
    return [
        *lines,
        f"if {' and '.join(conditions)}:",
        *(f" {line}" for line in small),
        "else:",
        f" {by_kernel()}",
        "pass",
    ]


def unfused(
    op: Any, inputs: Sequence[Variable], folds: Callable[[Apply], bool] = lambda node: False
) -> tuple[list[Apply], list[Any]]:
    """Return nodes that compute what a fused op does, in order, and their results.

    Parameters
    ----------
    op
        A FusedElemwise or FusedReduction, or another Elemwise of a Composite.
    inputs
        Its inputs.
    folds
        Says of a node whether it may take its inputs one after another.
    """
    composite = getattr(op, "elemwise", op).scalar_op
    known: dict[Variable, Variable] = dict(zip(composite.inputs, inputs, strict=True))
    computed: set[Variable] = set()
    for inner in composite.nodes:
        read = [
            constant(np.asarray(v.data)) if isinstance(v, Constant) else known[v]
            for v in inner.inputs
        ]
        # a sum takes each term as soon as it is there, so that few arrays are needed at once
        # once there is one that is no number: numbers alone have not the axes of the others
        start = next((k for k, v in enumerate(inner.inputs) if not isinstance(v, Constant)), 0)
        terms = [k for k, v in enumerate(inner.inputs) if k > max(1, start) and v in computed]
        ends = [*(terms if folds(inner) else ()), len(read)]
        made = Elemwise(inner.op).make_node(*read[: ends[0]])
        for first, last in pairwise(ends):
            made = Elemwise(inner.op).make_node(*made.outputs, *read[first:last])
        known.update(zip(inner.outputs, made.outputs, strict=True))
        computed.update(inner.outputs)
    outputs: list[Any] = [known.get(v, v) for v in composite.outputs]
    for j, reduction in enumerate(getattr(op, "reductions", ())):
        if reduction is not None and isinstance(outputs[j].type, TensorType):
            outputs[j] = reduction.make_node(outputs[j]).outputs[0]
    return io_toposort(inputs, outputs), outputs


def _folds(node: Apply) -> bool:
    (dtype, *others) = dict.fromkeys(v.type.dtype for v in node.inputs)
    return not others and is_plain_ufunc(node.op, (dtype,) * len(node.inputs), dtype)


def _write_over_declared(
    node: Apply, plan: Schedule, outputs: Sequence[Variable], symbols: SymbolTable
) -> None:
    """Let nodes overwrite the inputs that `node` may overwrite, where nothing reads these later."""
    for j, (i,) in node.op.destroy_map.items():
        target, last = node.inputs[i], outputs[j].owner
        others = [v for v in node.inputs if v is not target]
        apart = all(v in symbols.unshared or isinstance(v, Constant) for v in others)
        read_last = target in last.inputs and plan.nodes[plan.last_use[target]] is last
        if apart and read_last and last.inputs.count(target) == 1:
            last.op = Elemwise(last.op.scalar_op, {0: last.inputs.index(target)})


def _read_in_order(nodes: Sequence[Apply], node: Apply, symbols: SymbolTable) -> list[Variable]:
    """Return the inputs that may run backward and are read by ufuncs that round otherwise then."""
    read: dict[Variable, None] = {}
    for inner in nodes:
        ufunc = inner.op.ufunc if isinstance(inner.op, CAReduce) else inner.op.scalar_op.ufunc
        if steady(ufunc, [v.type.dtype for v in inner.inputs]) is not ufunc:
            read.update((v, None) for v in inner.inputs if v in node.inputs)
    return [
        v
        for v in read
        if v not in symbols.forward and not (isinstance(v, Constant) and v.data.flags.c_contiguous)
    ]


def _lines_of_plan(plan: Schedule, symbols: SymbolTable, dead: Dead = ()) -> list[str]:
    """Return the lines of nodes that were fused; they may overwrite what is given and dead."""
    made = {v for node in plan.nodes for v in node.outputs}
    lines = []
    for node, gone in zip(plan.nodes, plan.dead_after, strict=True):
        free = frozenset([v for v in gone if v in made or v in dead])
        by_op = reduction_lines if isinstance(node.op, CAReduce) else elementwise_lines
        lines += by_op(node, symbols, free) or [
            performed_line(node, symbols, _computed_alone(node))
        ]
        deleted = [symbols.name_of(v) for v in gone if v in made]
        if deleted:
            lines[-1] += f"; del {', '.join(deleted)}"
    return lines


def _computed_alone(node: Apply) -> Callable[..., Any]:
    """Return a function that computes an elementwise node for arrays of any rank."""
    op, dtypes = node.op.scalar_op, [v.type.numpy_dtype for v in node.outputs]

    def compute(*values: Any) -> Any:
        shape = np.broadcast_shapes(*[x.shape for x in values])
        found = elementwise(op, values, dtypes, shape)
        return found if len(found) > 1 else found[0]

    return compute


def _define_results(
    node: Apply, outputs: Sequence[Variable], groups: Sequence[Sequence[Axis]], symbols: SymbolTable
) -> None:
    """Note what is known of the results, whichever way they are computed."""
    ordered = all(v in symbols.ordered and _has_all_axes(v, groups) for v in node.inputs)
    for j, (out, inner) in enumerate(zip(node.outputs, outputs, strict=True)):
        if not out.type.ndim:
            symbols.define_alike(out, inner)
        elif j not in node.op.destroy_map:
            symbols.define_fresh(out, ordered)


def _has_all_axes(var: Variable, groups: Sequence[Sequence[Axis]]) -> bool:
    """Return whether a tensor has all axes along which something does not broadcast."""
    return bool(var.type.broadcastable.count(False) == len(groups))


def _bytes_per_element(plan: Schedule, full: tuple[bool, ...]) -> int:
    """Return the most bytes that arrays of the full shape take at a time, for each element."""

    def size(variables: Collection[Variable]) -> int:
        whole = [v for v in variables if v.type.broadcastable == full]
        return sum(v.type.numpy_dtype.itemsize for v in whole)

    given = {v for node in plan.nodes for v in node.inputs if v.owner not in plan.nodes}
    live = most = 0
    for node, gone in zip(plan.nodes, plan.dead_after, strict=True):
        live += size(node.outputs) - size([v for v in gone if v not in given])
        most = max(most, live)
    return size(given) + most


def _size_conditions(
    node: Apply, groups: Sequence[Sequence[Axis]], bytes_per_element: int, symbols: SymbolTable
) -> list[str]:
    """Return the condition that arrays are small, or such that the kernel knows no faster way; and
    not empty if an extreme is taken."""
    limit = whole_length(bytes_per_element)
    known = [n for n in (symbols.lengths.at(group[0]) for group in groups) if isinstance(n, int)]
    reductions = getattr(node.op, "reductions", ())
    least = any(op is not None and op.ufunc.identity is None for op in reductions)
    if len(known) == len(groups) and least <= math.prod(known) <= limit:
        return []
    largest = next((v for v in node.inputs if _has_all_axes(v, groups)), None)
    if largest is None:
        size = " * ".join(length_text(group[0], symbols) for group in groups) or "1"
    else:
        size = f"{symbols.name_of(largest)}.size"
    prefers = symbols.bind("k", kernel_of(node).prefers_whole)
    return [f"({'0 < ' if least else ''}{size} <= {limit} or {prefers}({size}))"]
