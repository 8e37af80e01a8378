"""Runs a `Composite` on arrays by generated Python source, one NumPy call a line.

The source works on a part of the arrays, a block. The values are kept in *registers*, arrays that
are reused once their value is dead. The registers are arguments, and those of the outputs are the
same part of the results. Of inputs whose memory orders differ the results are computed as by
separate nodes, because their order depends on these.

Which form is fastest depends on the machine, its other work, how often each value is read, and
whether the arrays are in the cache. So `Ways` times each on the arguments that a caller has anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import memoized
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import Cast
from relgraph.scalar.logic import Identity, Second
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.settings import config
from relgraph.tensor.memory import (
    Array,
    Block,
    added_pairwise,
    block_length,
    cut,
    forward,
    in_order,
    new_array,
    run_blocks,
    runs_by_columns,
    runs_by_rows,
    steady,
    whole_length,
)

Pattern = tuple[bool, ...]
"""For each axis, whether a value broadcasts along it."""

# The position of the input of which the output is a copy.
_COPIES: dict[type[ScalarOp], int] = {Identity: 0, Second: 1, Cast: 0}

_AFTER_ALL = 1 << 60


def reduced(reduce: Callable[..., Any], x: Any) -> Any:
    """Return an array reduced over all axes by the method of a ufunc, as an array of rank 0."""
    return np.asarray(reduce(in_order(x), axis=None))


def array_function(op: ScalarOp, dtypes: Sequence[np.dtype[Any]]) -> Callable[..., Any]:
    """Return a function of arrays for an op that has no ufunc, or none that gives its dtype."""

    def compute(*values: Any) -> Any:
        made = op.impl(*[forward(x) for x in values])
        if len(dtypes) > 1:
            return [np.asarray(x, d) for x, d in zip(made, dtypes, strict=True)]
        return np.asarray(made, dtypes[0])

    return compute


def elementwise(
    op: ScalarOp,
    inputs: Sequence[Any],
    dtypes: Sequence[np.dtype[Any]],
    shape: tuple[int, ...],
    target: Any = None,
) -> list[Any]:
    """Return the results of a scalar op on each element, of some dtypes and a shape.

    Parameters
    ----------
    target
        The array that the result is written to, where a ufunc computes it; None for a new one.
    """
    ufunc = op.ufunc
    folds = len(inputs) > 2 and isinstance(op, FoldOp)
    if isinstance(ufunc, np.ufunc) and (folds or len(inputs) == ufunc.nin):
        compute = steady(ufunc, [x.dtype for x in inputs])
        if folds:
            # The last input may be the array that is overwritten: it is read last.
            first = compute(inputs[0], inputs[1], dtype=dtypes[0])
            for x in inputs[2:-1]:
                first = compute(first, x, dtype=dtypes[0])
            inputs = (first, inputs[-1])
        if target is not None:
            return [compute(*inputs, out=target)]
        results = [compute(*inputs)]
    else:
        made = op.impl(*[forward(x) for x in inputs])
        results = [made] if op.nout == 1 else made
    arrays = [np.asarray(r, dtype=d) for r, d in zip(results, dtypes, strict=True)]
    # An op that ignores an input does not broadcast its result to the shape of that input.
    return [a if a.shape == shape else copied(a, shape) for a in arrays]


def copied(x: Any, shape: tuple[int, ...]) -> Any:
    """Return a new array in C order to which an array is broadcast."""
    return np.array(np.broadcast_to(x, shape), order="C")


def ufunc_of(node: Apply) -> np.ufunc | None:
    """Return the ufunc that computes a node, or folds its inputs from the left; None if none does.

    It gives the output with its dtype.
    """
    op: Any = node.op
    if isinstance(op, Composite) or len(node.outputs) > 1:
        return None
    dtypes = tuple([v.type.numpy_dtype for v in node.inputs])
    return _ufunc_for(op, dtypes, node.outputs[0].type.numpy_dtype)


@memoized(500)
def _ufunc_for(op: Any, dtypes: tuple[Any, ...], wanted: np.dtype[Any]) -> np.ufunc | None:
    ufunc = op.ufunc
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return None
    if len(dtypes) != ufunc.nin:
        folds = isinstance(op, FoldOp) and len(dtypes) > 2 and type(op).impl is FoldOp.impl
        return ufunc if folds and wanted.kind != "c" else None
    return ufunc if ufunc.resolve_dtypes((*dtypes, None))[-1] == wanted else None


class Step(NamedTuple):
    """A part of the computation: a node, or some of the calls of one that folds its inputs.

    Attributes
    ----------
    node
        The node.
    first, last
        It takes the inputs from `first` on, up to `last`. What it has made of those before is there
        if there are any.
    """

    node: Apply
    first: int
    last: int


def steps_of(op: Composite, folds: Callable[[Apply], bool]) -> list[Step]:
    """Return in which order a Composite is computed: a sum takes each term as soon as it is there,
    so that few arrays are needed at once.

    Parameters
    ----------
    folds
        Says of a node whether it may take its inputs one after another.
    """
    nodes, entered = set(op.nodes), set[Apply]()
    found: list[Step] = []
    stack: list[list[Any]] = []

    def enter(v: Variable) -> bool:
        node = v.owner
        if node is None or node not in nodes or node in entered:
            return False
        entered.add(node)
        stack.append([node, 0, 0])
        return True

    for out in op.outputs:
        enter(out)
        while stack:
            top = stack[-1]
            node, read, taken = top
            if read == len(node.inputs):
                found.append(Step(node, taken, read))
                stack.pop()
                continue
            top[1] += 1
            if enter(node.inputs[read]) and read > max(taken, 1) and folds(node):
                found.append(Step(node, taken, read))
                top[2] = read
    return found


class CompositeSource:
    """The source for a Composite whose inputs broadcast in some way.

    Parameters
    ----------
    op
        The Composite.
    patterns
        For each input, along which axes it broadcasts.
    reduce
        For each output the ufunc by which it is reduced over all axes; None if it is not.
    overwritten
        From the position of an output to that of the input over which it is written.

    Attributes
    ----------
    registers
        The dtype of each register.
    held
        For each output its register; None if it is reduced.
    lines
        The lines, without that which returns something.
    results
        For each output that is reduced the expression for its value.
    namespace
        What the lines refer to.
    steady
        Whether the values do not depend on the memory layout of the inputs.
    """

    def __init__(
        self,
        op: Composite,
        patterns: Sequence[Pattern],
        reduce: Sequence[np.ufunc | None],
        overwritten: Mapping[int, int],
    ) -> None:
        self.op = op
        self.pattern = tuple(map(all, zip(*patterns, strict=True)))
        self.overwritten = overwritten
        self.registers: list[np.dtype[Any]] = []
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {"copyto": np.copyto, "reduced": reduced}
        self.steady = True
        self._names: dict[Variable, str] = {v: f"i{i}" for i, v in enumerate(op.inputs)}
        self._patterns: dict[Variable, Pattern] = dict(zip(op.inputs, patterns, strict=True))
        self._register_of: dict[Variable, int] = {}
        self._free: dict[np.dtype[Any], list[int]] = {}
        self._written_over: set[int] = set()
        for node in op.nodes:
            pattern = self._pattern_of(node.inputs)
            self._patterns.update((v, pattern) for v in node.outputs)
        steps = steps_of(op, self._is_ufunc)
        self._last_use = {
            v: k for k, step in enumerate(steps) for v in step.node.inputs[step.first : step.last]
        }
        self._last_use.update((v, _AFTER_ALL) for v in op.outputs)
        for k, step in enumerate(steps):
            self._add(k, step)
        self.held: list[int | None] = []
        self.results: list[str] = []
        self._return(reduce)

    def bind(self, prefix: str, value: Any) -> str:
        """Give an object a name in the namespace, and return the name."""
        name = f"{prefix}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def _name(self, var: Variable) -> str:
        if var not in self._names:
            assert isinstance(var, Constant)
            self._names[var] = self.bind("c", np.asarray(var.data))
        return self._names[var]

    def _pattern_of(self, variables: Sequence[Variable]) -> Pattern:
        number = (True,) * len(self.pattern)
        axes = zip(*[self._patterns.get(v, number) for v in variables], strict=True)
        return tuple(all(axis) for axis in axes)

    def _is_ufunc(self, node: Apply) -> bool:
        """Return whether a node is computed by calls of a ufunc into registers."""
        return ufunc_of(node) is not None and self._patterns[node.outputs[0]] == self.pattern

    def _add(self, k: int, step: Step) -> None:
        """Add the lines of step `k`."""
        node = step.node
        ufunc = ufunc_of(node)
        copied = _COPIES.get(type(node.op))
        dtypes = [v.type.dtype for v in node.inputs]
        if copied is None and (ufunc is None or steady(ufunc, dtypes) is not ufunc):
            self.steady = False
        if copied is not None and self._patterns[node.outputs[0]] == self.pattern:
            self._add_copy(k, node, copied)
        elif self._is_ufunc(node):
            self._add_ufunc(k, step, ufunc)
        else:
            self._add_call(k, node)
        for v in set(node.inputs[step.first : step.last]):
            if self._last_use[v] == k and v in self._register_of:
                self._release(self._register_of.pop(v))

    def _release(self, register: int) -> None:
        self._free.setdefault(self.registers[register], []).append(register)

    def _add_call(self, k: int, node: Apply) -> None:
        """Add a line that makes new arrays."""
        names = [self._name(v) for v in node.inputs]
        function = array_function(node.op, [v.type.numpy_dtype for v in node.outputs])
        for j, v in enumerate(node.outputs):
            self._names[v] = f"t{k}_{j}"
        targets = ", ".join(self._names[v] for v in node.outputs)
        self.lines.append(f"{targets} = {self.bind('f', function)}({', '.join(names)})")

    def _add_copy(self, k: int, node: Apply, copied: int) -> None:
        name = self._name(node.inputs[copied])
        self.lines.append(f"copyto(r{self._register_for(k, node)}, {name}, 'unsafe')")

    def _add_ufunc(self, k: int, step: Step, ufunc: Any) -> None:
        node, begun = step.node, step.first > 0
        names = [self._name(v) for v in node.inputs[: step.last]]
        (out,) = node.outputs
        result = self._names[out] if begun else f"r{self._register_for(k, node)}"
        dtypes = [v.type.numpy_dtype for v in node.inputs]
        function = self.bind("u", ufunc)
        dtype = out.type.numpy_dtype
        mixed = len(dtypes) > ufunc.nin and any(d != dtype for d in dtypes)
        last = f", dtype={self.bind('d', dtype)}" if mixed else ""
        for i in range(step.first if begun else ufunc.nin - 1, step.last):
            given = [result, names[i]] if begun else names[: i + 1]
            self.lines.append(f"{function}({', '.join(given)}, out={result}{last})")
            begun = True

    def _register_for(self, k: int, node: Apply) -> int:
        """Return the register for the output of node `k`."""
        (out,) = node.outputs
        dtype = out.type.numpy_dtype
        register = self._overwriting_register(k, node) if out in self.op.outputs else None
        if register is None and dtype.kind != "c":
            # A product of complex numbers that is written over one of them is rounded otherwise.
            register = self._dying_register(k, node, dtype)
        if register is None:
            free = self._free.get(dtype)
            register = free.pop() if free else self._new_register(dtype)
        self._names[out] = f"r{register}"
        self._register_of[out] = register
        return register

    def _new_register(self, dtype: np.dtype[Any]) -> int:
        self.registers.append(dtype)
        return len(self.registers) - 1

    def _dying_register(self, k: int, node: Apply, dtype: np.dtype[Any]) -> int | None:
        """Return the register of an input that node `k` is the last to read, or None."""
        for v in node.inputs[:2]:
            if (
                v in self._register_of
                and self._last_use[v] == k
                and v not in node.inputs[2:]
                and self.registers[self._register_of[v]] == dtype
            ):
                return self._register_of.pop(v)
        return None

    def _overwriting_register(self, k: int, node: Apply) -> int | None:
        """Return a register of its own for an output that is written over an input that is dead."""
        (out,) = node.outputs
        for j, i in self.overwritten.items():
            target = self.op.inputs[i]
            if self.op.outputs[j] is not out or self._last_use.get(target, -1) > k:
                continue
            if target in node.inputs and (out.type.numpy_dtype.kind == "c" or node.inputs[2:]):
                continue
            self._written_over.add(j)
            return self._new_register(out.type.numpy_dtype)
        return None

    def _return(self, reduce: Sequence[np.ufunc | None]) -> None:
        """Give each output an array of its own, or reduce it."""
        own: set[int] = set()
        for j, (out, ufunc) in enumerate(zip(self.op.outputs, reduce, strict=True)):
            name = self._name(out)
            register = self._register_of.get(out)
            if ufunc is not None:
                if register is None:
                    name = f"r{self._copied_output(out, name)}"
                self.held.append(None)
                self.results.append(f"reduced({self.bind('p', ufunc.reduce)}, {name})")
                continue
            misplaced = j in self.overwritten and j not in self._written_over
            if register is None or register in own or misplaced:
                register = self._copied_output(out, name)
            own.add(register)
            self.held.append(register)

    def _copied_output(self, out: Variable, name: str) -> int:
        """Return a new register to which the last lines copy an output."""
        register = self._new_register(out.type.numpy_dtype)
        self.lines.append(f"copyto(r{register}, {name})")
        return register


# How often each way is tried before one is chosen.
_TRIALS = 3

# Another way than the first has to take less than this part of its time.
_CLEARLY = 0.95

# After so many times the ways are tried again: other cores may be free now. Then after twice as
# many, up to the most.
_AGAIN, _AGAIN_AT_MOST = 200, 6_400

always: int | None = None
"""The position of the way that is taken whatever it takes, for tests; None to choose."""


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
        if always is not None:
            return range(len(self._best))[always]
        with self._lock:
            return self._to_try[-1] if self._to_try else self._chosen

    def prefers_first(self) -> bool:
        """Return whether the first way is to be taken, and its time need not be noted."""
        if always is not None:
            return self.next() == 0
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
    """A function of arrays for a Composite whose inputs broadcast in some way.

    Its source is made when it is first called.

    Parameters
    ----------
    op
        The Composite.
    patterns
        For each input, along which axes it broadcasts. All have the same rank.
    reduce
        For each output the ufunc by which it is reduced over all axes; None if it is not.
    overwritten
        From the position of an output to that of the input over which it is written.
    """

    def __init__(
        self,
        op: Composite,
        patterns: Sequence[Pattern],
        reduce: Sequence[np.ufunc | None],
        overwritten: Mapping[int, int],
    ) -> None:
        self.op = op
        self.patterns = tuple(patterns)
        self.reduce = tuple(reduce)
        self.pattern = tuple(map(all, zip(*self.patterns, strict=True)))
        # An output that is an input is read when all others have been written.
        indirect = bool(overwritten) and any(v in op.inputs for v in op.outputs)
        self.overwritten = {} if indirect else dict(overwritten)
        self._choices: dict[tuple[int, int], _Choice] = {}

    @cached_property
    def source(self) -> CompositeSource:
        return CompositeSource(self.op, self.patterns, self.reduce, self.overwritten)

    @cached_property
    def bytes_per_element(self) -> int:
        """The bytes of all arrays that a block needs, for each of its elements."""
        sizes = [
            v.type.numpy_dtype.itemsize
            for v, pattern in zip(self.op.inputs, self.patterns, strict=True)
            if pattern == self.pattern
        ]
        return int(sum(sizes) + sum(d.itemsize for d in self.source.registers))

    @cached_property
    def limit(self) -> int:
        """The number of elements up to which arrays are computed as a whole."""
        return whole_length(self.bytes_per_element)

    @cached_property
    def block(self) -> Block:
        source = self.source
        held: list[int | None] = [None] * len(source.registers)
        for j, register in enumerate(source.held):
            if register is not None:
                held[register] = j
        arguments = [f"i{i}" for i in range(len(self.patterns))]
        arguments += [f"r{i}" for i in range(len(held))]
        returned = "".join(f"{text}, " for text in source.results)
        lines = [f"def block({', '.join(arguments)}):", *source.lines, f"return ({returned})"]
        namespace = dict(source.namespace)
        exec(compile("\n ".join(lines), "<relgraph block of a Composite>", "exec"), namespace)
        length = block_length(self.bytes_per_element)
        return Block(namespace["block"], length, source.registers, held, source.steady)

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
        if not shape:
            return self._run_nodes(inputs, shape)
        if self.overwritten and _overlap(inputs, [t for t in targets if t is not None]):
            plain = CompositeKernel(self.op, self.patterns, self.reduce, {})
            return plain.run(inputs, shape, targets)
        if not self.overwritten:
            targets = [None] * len(targets)
        if all(map(runs_by_rows, inputs)):
            return self._run(inputs, shape, targets)
        by_columns = all(x.size == 1 or (x.shape == shape and runs_by_columns(x)) for x in inputs)
        # What is reduced is added up by rows.
        if not by_columns or any(self.reduce):
            return self._run_nodes(inputs, shape)
        transposed = [t if t is None else t.T for t in targets]
        results = self._run([x.T for x in inputs], shape[::-1], transposed)
        return [x.T for x in results]

    def _run_nodes(self, inputs: Sequence[Array], shape: tuple[int, ...]) -> list[Any]:
        """Return the outputs, computed as by separate nodes."""
        known: dict[Variable, Any] = dict(zip(self.op.inputs, inputs, strict=True))
        for node in self.op.nodes:
            given = [known[v] if v in known else np.asarray(v.data) for v in node.inputs]
            dtypes = [v.type.numpy_dtype for v in node.outputs]
            own_shape = np.broadcast_shapes(*[x.shape for x in given])
            known.update(
                zip(node.outputs, elementwise(node.op, given, dtypes, own_shape), strict=True)
            )
        results: list[Any] = []
        outputs: Sequence[Any] = self.op.outputs
        for out, ufunc in zip(outputs, self.reduce, strict=True):
            x = known[out] if out in known else np.asarray(out.data)
            if x.shape != shape or any(x is other for other in (*inputs, *results)):
                x = copied(x, shape)
            results.append(x if ufunc is None else reduced(ufunc.reduce, x))
        return results

    def _run(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs for inputs that lie in memory row by row."""
        size = math.prod(shape)
        if size <= self.limit:
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
            threads = [1, most] if most > 1 and size > self.block.length else [1]
            if size * sum(d.itemsize for d in self.source.registers) <= MOST_SCRATCH_BYTES:
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
        if not self.source.steady:
            inputs = [forward(x) for x in inputs]
        registers = [
            np.empty(shape, dtype) if j is None or targets[j] is None else targets[j]
            for dtype, j in zip(self.source.registers, self.block.held, strict=True)
        ]
        reduced = iter(self.block.function(*inputs, *registers))
        return [next(reduced) if r is None else registers[r] for r in self.source.held]

    def _run_blocks(
        self,
        inputs: Sequence[Array],
        shape: tuple[int, ...],
        targets: Sequence[Array | None],
        threads: int,
    ) -> list[Any]:
        """Return the outputs, computed by blocks of inputs that lie in memory row by row."""
        results: list[Any] = [
            new_array(shape, out.type.numpy_dtype) if t is None and ufunc is None else t
            for out, t, ufunc in zip(self.op.outputs, targets, self.reduce, strict=True)
        ]
        outputs = results
        flat = all(x.size == 1 or (x.shape == shape and x.flags.c_contiguous) for x in inputs)
        if flat:
            inputs = [x.reshape(-1) for x in inputs]
            outputs = [x if x is None else x.reshape(-1) for x in results]
            shape = (math.prod(shape),)
        length = self.block.length
        pairwise = flat and np.add in self.reduce
        parts = run_blocks(self.block, inputs, outputs, cut(shape, length, pairwise), threads)
        reduced = (j for j, ufunc in enumerate(self.reduce) if ufunc is not None)
        for j, found in zip(reduced, zip(*parts, strict=True), strict=False):
            ufunc: Any = self.reduce[j]
            if ufunc is np.add and pairwise:
                results[j] = np.asarray(added_pairwise(iter(found), shape[0], length))
            else:
                results[j] = np.asarray(ufunc.reduce(np.array(found)))
        return results


def _overlap(inputs: Sequence[Array], targets: Sequence[Array]) -> bool:
    """Return whether a target may share memory with an input other than itself."""
    for target in targets:
        others = list(inputs)
        others.pop(next(i for i, x in enumerate(others) if x is target))
        if any(np.may_share_memory(target, x) for x in others):
            return True
    return False
