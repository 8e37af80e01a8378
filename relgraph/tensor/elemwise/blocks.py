"""Cuts large arrays into blocks that fit in the cache, and runs a function on one after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from relgraph.tensor.elemwise.workers import Scratch, Storage, run_tasks
from relgraph.tensor.memory_layout import forward

Array = np.ndarray[Any, Any]

# All arrays of one block together have about this many bytes, a part of a core's second cache.
BLOCK_BYTES = 1536 * 1024

# Up to this many bytes, all arrays together, arrays of full length stay in a core's second cache,
# and blocks only cost calls.
WHOLE_BYTES = 1024 * 1024

# Shorter blocks cost more in calls than the cache saves; longer ones save no more calls.
_SHORTEST, _LONGEST = 4096, 49152

# Blocks of elements side by side begin at a multiple of this, so that each lane of a vector loop
# gets what it gets on the whole array.
_STEP = 1024

# NumPy adds up pairwise: it halves an array until this many elements are left, or fewer.
_PAIRWISE = 8

_scratch = Scratch()


def block_length(bytes_per_element: int) -> int:
    """Return the number of elements of a block, given the bytes of all its arrays per element."""
    length = BLOCK_BYTES // max(bytes_per_element, 1) // _STEP * _STEP
    return min(max(length, _SHORTEST), _LONGEST)


def whole_length(bytes_per_element: int) -> int:
    """Return the number of elements up to which arrays are computed as a whole, without a look."""
    return max(WHOLE_BYTES // max(bytes_per_element, 1), _SHORTEST)


class Block(NamedTuple):
    """What computes a block, and what it is given.

    Attributes
    ----------
    function
        Takes the inputs and the registers, and returns the partial results, a tuple.
    length
        The greatest number of elements of a block.
    registers
        The dtype of each register.
    held
        For each register the position of the output that it holds; None for scratch.
    steady
        Whether the function gives the same for inputs that run backward or stand still.
    """

    function: Callable[..., tuple[Any, ...]]
    length: int
    registers: Sequence[np.dtype[Any]]
    held: Sequence[int | None]
    steady: bool


def _strides_in_order(x: Array) -> list[int]:
    """Return the strides of the axes along which an array goes on, without their signs."""
    return [abs(s) for s, n in zip(x.strides, x.shape, strict=True) if n > 1 and s != 0]


def runs_by_rows(x: Array) -> bool:
    """Return whether the axes of an array follow each other in memory, the last one the closest."""
    if x.flags.c_contiguous:
        return True
    strides = _strides_in_order(x)
    return all(a >= b for a, b in pairwise(strides))


def runs_by_columns(x: Array) -> bool:
    """Return whether the axes of an array follow each other in memory, the first the closest.

    Of arrays that run backward or stand still, NumPy lays out results otherwise.
    """
    strides = [s for s, n in zip(x.strides, x.shape, strict=True) if n > 1]
    return min(strides, default=1) > 0 and all(a <= b for a, b in pairwise(strides))


class Cut(NamedTuple):
    """How a shape is cut: at each index of the leading axes, along the next one.

    Attributes
    ----------
    leading
        The lengths of the leading axes.
    bounds
        The first position of each block along the next axis, and the one after its last.
    rest
        The lengths of the remaining axes, which are not cut.
    """

    leading: tuple[int, ...]
    bounds: list[tuple[int, int]]
    rest: tuple[int, ...]


def cut(shape: tuple[int, ...], length: int, halved: bool) -> Cut:
    """Return how a shape is cut into blocks of at most `length` elements.

    Parameters
    ----------
    halved
        Whether an axis is halved as NumPy does to add up its elements; for shapes of rank 1.
    """
    k, inner = len(shape) - 1, 1
    while k > 0 and inner * shape[k] <= length:
        inner *= shape[k]
        k -= 1
    n = shape[k]
    if halved:
        bounds = list(_halves(0, n, length))
    else:
        rows = max(length // max(inner, 1), 1)
        bounds = [(a, min(a + rows, n)) for a in range(0, n, rows)]
    return Cut(shape[:k], bounds, shape[k + 1 :])


def _halves(start: int, n: int, length: int) -> Iterator[tuple[int, int]]:
    if n <= length:
        yield start, start + n
        return
    half = _half(n)
    yield from _halves(start, half, length)
    yield from _halves(start + half, n - half, length)


def _half(n: int) -> int:
    return n // 2 - n // 2 % _PAIRWISE


def added_pairwise(parts: Iterator[Any], n: int, length: int) -> Any:
    """Return the sum of the sums of the blocks of a pairwise cut, added up as NumPy does."""
    if n <= length:
        return next(parts)
    half = _half(n)
    first = added_pairwise(parts, half, length)
    return np.add(first, added_pairwise(parts, n - half, length))


def run_blocks(
    block: Block,
    inputs: Sequence[Array],
    outputs: Sequence[Array | None],
    plan: Cut,
    threads: int,
) -> list[tuple[Any, ...]]:
    """Compute outputs block by block, and return the partial results of each block.

    Parameters
    ----------
    inputs, outputs
        Arrays of one rank that broadcast, and where to write; None for an output that is reduced.
    plan
        How their shape is cut.
    threads
        On how many threads.
    """
    per_index = len(plan.bounds)
    count = per_index * math.prod(plan.leading)
    longest = max(b - a for a, b in plan.bounds)
    partial: list[tuple[Any, ...]] = [()] * count

    def work(tasks: Iterator[int]) -> None:
        storage = _scratch.take(_scratch_bytes(block, longest, plan.rest))
        registers = _registers(block, storage, longest, plan.rest)
        index, views, targets = -1, inputs, outputs
        with np.errstate(all="ignore"):
            for task in tasks:
                if plan.leading:
                    i, task_there = divmod(task, per_index)
                    if i != index:
                        index, key = i, np.unravel_index(i, plan.leading)
                        views = [_at(x, key) for x in inputs]
                        targets = [x if x is None else _at(x, key) for x in outputs]
                else:
                    task_there = task
                a, b = plan.bounds[task_there]
                partial[task] = block.function(
                    *_parts(block, views, a, b), *_targets(block, registers, targets, a, b)
                )
        _scratch.give_back(storage)

    run_tasks(work, count, threads)
    return partial


def _at(x: Array, index: Sequence[Any]) -> Array:
    """Return the part of an array at an index of the leading axes; those of length 1 broadcast."""
    found: Array = x[tuple([0 if n == 1 else i for i, n in zip(index, x.shape, strict=False)])]
    return found


def _parts(block: Block, inputs: Sequence[Array], a: int, b: int) -> list[Array]:
    """Return the inputs of the block from `a` to `b`."""
    parts = [x if len(x) == 1 else x[a:b] for x in inputs]
    return parts if block.steady else [forward(x) for x in parts]


def _targets(
    block: Block, registers: Sequence[Array | None], outputs: Sequence[Array | None], a: int, b: int
) -> list[Any]:
    """Return the registers of the block from `a` to `b`."""
    found: list[Any] = []
    for register, j in zip(registers, block.held, strict=True):
        target = register if j is None else outputs[j]
        assert target is not None
        found.append(target[a:b] if j is not None else target[: b - a])
    return found


def _scratch_bytes(block: Block, rows: int, rest: tuple[int, ...]) -> int:
    size = rows * math.prod(rest)
    return sum(
        _padded(size * dtype.itemsize)
        for dtype, j in zip(block.registers, block.held, strict=True)
        if j is None
    )


def _padded(size: int) -> int:
    """Return a number of bytes rounded up to whole cache lines."""
    return -(-size // 64) * 64


def _registers(
    block: Block, storage: Storage, rows: int, rest: tuple[int, ...]
) -> list[Array | None]:
    """Return the registers that hold no output, as arrays in some storage."""
    shape = (rows, *rest)
    size = rows * math.prod(rest)
    found: list[Array | None] = []
    offset = 0
    for dtype, j in zip(block.registers, block.held, strict=True):
        if j is not None:
            found.append(None)
            continue
        found.append(np.frombuffer(storage, dtype, size, offset).reshape(shape))
        offset += _padded(size * dtype.itemsize)
    return found
