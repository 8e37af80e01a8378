"""Runs a `Composite` on arrays: small ones as one block, large ones by several."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from relgraph.scalar.composite import Composite
from relgraph.settings import config
from relgraph.tensor.elemwise.blocks import (
    Array,
    Block,
    added_pairwise,
    block_length,
    cut,
    run_blocks,
    runs_by_columns,
    runs_by_rows,
    whole_length,
)
from relgraph.tensor.elemwise.composite_source import CompositeSource, Pattern
from relgraph.tensor.elemwise.new_arrays import new_array
from relgraph.tensor.elemwise.ways import Ways
from relgraph.tensor.memory_layout import forward

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
        self._arguments = [f"i{i}" for i in range(len(self.patterns))]

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
    def plain(self) -> Callable[..., Any]:
        """Takes arrays that may lie in memory each in another order; returns the outputs."""
        returned = f"return [{', '.join(self.source.results)}]"
        return self._define("plain", self._arguments, [*self.source.plain, returned])

    @cached_property
    def block(self) -> Block:
        source = self.source
        held: list[int | None] = [None] * len(source.registers)
        for j, register in enumerate(source.held):
            if register is not None:
                held[register] = j
        arguments = [*self._arguments]
        arguments += [f"r{i}" for i in range(len(held))]
        returned = "".join(f"{text}, " for text in source.partial_results)
        length = block_length(self.bytes_per_element)
        function = self._define("block", arguments, [*source.block, f"return ({returned})"])
        return Block(function, length, source.registers, held, source.steady)

    def _define(
        self, name: str, arguments: Sequence[str], body: Sequence[str]
    ) -> Callable[..., Any]:
        text = "\n ".join([f"def {name}({', '.join(arguments)}):", *body])
        namespace = dict(self.source.namespace)
        exec(compile(text, f"<relgraph {name} of a Composite>", "exec"), namespace)
        function: Callable[..., Any] = namespace[name]
        return function

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
            # Of arrays of rank 0, ufuncs make numbers.
            return [np.asarray(x) for x in self.plain(*inputs)]
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
            return list(self.plain(*inputs))
        transposed = [t if t is None else t.T for t in targets]
        results = self._run([x.T for x in inputs], shape[::-1], transposed)
        return [x.T for x in results]

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
