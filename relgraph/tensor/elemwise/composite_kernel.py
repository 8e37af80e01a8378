"""Runs a `Composite` on arrays: small ones by one call after another, large ones by blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np

from relgraph.scalar.composite import Composite
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
from relgraph.tensor.memory_layout import forward


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
        self._codes: dict[str, CodeType] = {}
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
    def straight(self) -> Callable[..., Any]:
        """Takes whole arrays, and returns the list of the outputs."""
        return self._define("straight", self._arguments, self._body(self.source.straight, "[{}]"))

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The same for arrays that lie in memory each in another order."""
        return self._define("plain", self._arguments, self._body(self.source.plain, "[{}]"))

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
        return Block(function, length, source.registers, held, source.steady, source.nanoseconds)

    def _define(
        self, name: str, arguments: Sequence[str], body: Sequence[str], **bound: Any
    ) -> Callable[..., Any]:
        """Return the function with this body; `bound` is what it refers to besides."""
        code = self._codes.get(name)
        if code is None:
            text = "\n ".join([f"def {name}({', '.join(arguments)}):", *body])
            code = self._codes[name] = compile(text, f"<relgraph {name} of a Composite>", "exec")
        namespace = {**self.source.namespace, **bound}
        exec(code, namespace)
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
        size = math.prod(shape)
        if not shape:
            # Of arrays of rank 0, ufuncs make numbers.
            return [np.asarray(x) for x in self.plain(*inputs)]
        if self.overwritten and _overlap(inputs, [t for t in targets if t is not None]):
            plain = CompositeKernel(self.op, self.patterns, self.reduce, {})
            return plain.run(inputs, shape, targets)
        by_columns = not all(map(runs_by_rows, inputs))
        if by_columns and not all(
            x.size == 1 or (x.shape == shape and runs_by_columns(x)) for x in inputs
        ):
            return list(self.plain(*inputs))
        if size > self.limit and not (by_columns and any(self.reduce)):
            if not self.overwritten:
                targets = [None] * len(targets)
            if not by_columns:
                return self._run_blocks(inputs, shape, targets)
            transposed = [t if t is None else t.T for t in targets]
            results = self._run_blocks([x.T for x in inputs], shape[::-1], transposed)
            return [x.T for x in results]
        if not self.source.steady:
            inputs = [forward(x) for x in inputs]
        if self.overwritten:
            return self._run_whole(inputs, shape, targets)
        return list(self.straight(*inputs))

    def _body(self, lines: Sequence[str], returned: str) -> list[str]:
        return [*lines, "return " + returned.format(", ".join(self.source.results))]

    def _run_whole(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs, computed as one block."""
        registers = [
            np.empty(shape, dtype) if j is None or targets[j] is None else targets[j]
            for dtype, j in zip(self.source.registers, self.block.held, strict=True)
        ]
        self.block.function(*inputs, *registers)
        return [None if r is None else registers[r] for r in self.source.held]

    def _run_blocks(
        self, inputs: Sequence[Array], shape: tuple[int, ...], targets: Sequence[Array | None]
    ) -> list[Any]:
        """Return the outputs, computed by blocks of inputs that lie in memory row by row."""
        results: list[Any] = [
            np.empty(shape, out.type.numpy_dtype) if t is None and ufunc is None else t
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
        parts = run_blocks(self.block, inputs, outputs, cut(shape, length, pairwise))
        reduced = (j for j, ufunc in enumerate(self.reduce) if ufunc is not None)
        for j, found in zip(reduced, zip(*parts, strict=True), strict=False):
            ufunc: Any = self.reduce[j]
            if ufunc is np.add and pairwise:
                results[j] = np.asarray(added_pairwise(iter(found), shape[0], length))
            else:
                results[j] = np.asarray(ufunc.reduce(np.array(found)))
        return results

    def function(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of the inputs that returns the output, or the tuple of the outputs.

        Parameters
        ----------
        fallback
            Such a function for inputs whose shapes do not broadcast as the patterns say, or that
            have no elements of which to take an extreme.
        """
        arguments = self._arguments
        given = ", ".join(arguments)
        full = [a for a, p in zip(arguments, self.patterns, strict=True) if p == self.pattern]
        one = len(self.reduce) == 1

        def large(*inputs: Any) -> Any:
            results = self.run(inputs, _shape_of(inputs), [None] * len(self.reduce))
            return results[0] if one else results

        def overwriting(*inputs: Any) -> Any:
            targets: list[Any] = [None] * len(self.reduce)
            for j, i in self.overwritten.items():
                targets[j] = inputs[i]
            results = self.run(inputs, _shape_of(inputs), targets)
            return results[0] if one else results

        condition = " and ".join(self._conditions(arguments))
        body = [f"if not ({condition}): return fallback({given})"] if condition else []
        if any(ufunc is not None and ufunc.identity is None for ufunc in self.reduce):
            empty = " or ".join(f"{a}.size == 0" for a in arguments)
            body.append(f"if {empty}: return fallback({given})")
        if self.overwritten or not full:
            return self._define(
                "composite",
                arguments,
                [*body, f"return large({given})"],
                fallback=fallback,
                large=overwriting,
            )
        body.append(f"if {full[0]}.size > {self.limit}: return large({given})")
        # In more dimensions the layout of the results depends on it too.
        decisive = arguments if len(self.pattern) > 1 else sorted(self.source.read_unsteadily)
        if decisive:
            contiguous = " and ".join(f"{a}.flags.c_contiguous" for a in decisive)
            body.append(f"if not ({contiguous}): return large({given})")
        body += self._body(self.source.straight, "{}" if one else "({})")
        return self._define("composite", arguments, body, fallback=fallback, large=large)

    def _conditions(self, arguments: Sequence[str]) -> list[str]:
        """Return the conditions for the shapes of the inputs to broadcast as the patterns say."""
        found = []
        pairs = list(zip(arguments, self.patterns, strict=True))
        full = [a for a, p in pairs if p == self.pattern]
        if len(full) > 1:
            found.append(" == ".join(f"{a}.shape" for a in full))
        for axis, broadcasts in enumerate(self.pattern):
            partial = [a for a, p in pairs if p != self.pattern and not p[axis]]
            names = [*full[:1], *partial]
            if not broadcasts and partial and len(names) > 1:
                found.append(" == ".join(f"{a}.shape[{axis}]" for a in names))
        return found


def _shape_of(inputs: Sequence[Array]) -> tuple[int, ...]:
    """Return the shape to which arrays of one rank broadcast that are known to."""
    lengths = zip(*[x.shape for x in inputs], strict=True)
    return tuple([next((n for n in axis if n != 1), 1) for axis in lengths])


def _overlap(inputs: Sequence[Array], targets: Sequence[Array]) -> bool:
    """Return whether a target may share memory with an input other than itself."""
    for target in targets:
        others = list(inputs)
        others.pop(next(i for i, x in enumerate(others) if x is target))
        if any(np.may_share_memory(target, x) for x in others):
            return True
    return False


__all__ = ["CompositeKernel"]
