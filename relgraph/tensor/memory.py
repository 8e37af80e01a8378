"""Arrays in memory: their layout, large new arrays, blocks that fit in the cache, and threads.

The values of a graph are functions of values: a law may turn a copy into a view, or store the same
matrix by columns. But NumPy and the BLAS round differently for different layouts. So the ops whose
results could differ lay out their inputs first.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# Each element of the result is the correctly rounded one, or no rounding is involved at all.
_ROUNDED_CORRECTLY = frozenset(
    [
        *(np.add, np.subtract, np.multiply, np.true_divide, np.square, np.sqrt, np.reciprocal),
        *(np.negative, np.absolute, np.sign, np.maximum, np.minimum),
        *(np.floor, np.ceil, np.trunc, np.rint, np.isnan, np.isinf),
        *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert),
    ]
)


def in_order(x: Array) -> Array:
    """Return an array of numbers as NumPy lays it out by itself: the last axis without gaps.

    What sums over axes goes through the elements in the order of memory, and the BLAS has a way
    for each layout. Integers are exact in any order, and handed on.
    """
    return x if x.dtype.kind not in "fc" else laid_out(x)


def laid_out(x: Array) -> Array:
    """Return an array, of integers too, as `in_order` does: they may become floats as they lie."""
    return x if x.flags.c_contiguous else x.ravel().reshape(x.shape)


def forward(x: Any) -> Any:
    """Return an array whose axes all run forward in memory.

    On arrays that run backward or stand still NumPy's functions take loops of their own, which
    round otherwise.
    """
    if isinstance(x, np.ndarray) and min(x.strides, default=1) <= 0:
        return x.ravel().reshape(x.shape)
    return x


def _negative(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Return ``-x``, written to `out` if that is given.

    NumPy (2.4 at least) reads what it has overwritten if `out` is `x` and has gaps of 16 bytes, or
    of 64.
    """
    if out is None or out.flags.forc:
        return np.negative(x, out=out, **kwargs)
    out[...] = np.negative(x, **kwargs)
    return out


def steady(ufunc: Callable[..., Any], dtypes: Iterable[Any]) -> Callable[..., Any]:
    """Return a function of arrays as one whose result does not depend on their layout.

    Parameters
    ----------
    ufunc
        A ufunc, or a function of arrays that works element by element.
    dtypes
        Those of its inputs.
    """
    if ufunc in _ROUNDED_CORRECTLY and not any(np.dtype(dtype).kind == "c" for dtype in dtypes):
        return _negative if ufunc is np.negative else ufunc

    def compute(*inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        given = [forward(x) for x in inputs]
        if out is None:
            return ufunc(*given, **kwargs)
        if out.dtype.kind != "c":
            return ufunc(*given, out=out, **kwargs)
        # A product of complex numbers that is written over one of them is rounded otherwise.
        out[...] = ufunc(*given, **kwargs)
        return out

    return compute


# From this size on the system maps the memory of each array anew, and clears it page by page.
LEAST_BYTES = 32 * 1024 * 1024

# What nobody has taken while others were so many times is given back.
_STALE = 32


@dataclass
class _Memory:
    data: Array
    taken: int = 0


def _holders(memory: _Memory) -> int:
    return sys.getrefcount(memory.data)


_NOBODY = _holders(_Memory(np.empty(0, np.uint8)))


class KeptStorage:
    """The memory of large arrays, which is kept and taken again once nobody else holds it.

    Whoever holds an array or a view of it holds its memory: that is never taken. Several threads
    may use one storage.

    Parameters
    ----------
    least_bytes
        Arrays of fewer bytes are new ones.
    """

    def __init__(self, least_bytes: int = LEAST_BYTES) -> None:
        self._least_bytes = least_bytes
        self._kept: list[_Memory] = []
        self._takes = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptStorage, (self._least_bytes,)

    @property
    def nbytes(self) -> int:
        """The bytes that are kept, in use or not."""
        return sum(memory.data.nbytes for memory in self._kept)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Return an array in C order whose elements are not set; small ones are new."""
        dtype = np.dtype(dtype)
        size = math.prod(shape) * dtype.itemsize
        if size < self._least_bytes:
            return np.empty(shape, dtype)
        with self._lock:
            self._takes += 1
            data = self._memory(size).data
            # the view is what holds the memory from here on
            taken: Array = data[:size].view(dtype).reshape(shape)
            return taken

    def like(self, dtype: Any, *inputs: Array) -> Array | None:
        """Return storage for the result of a ufunc of arrays; None where a new array would do.

        That is so unless the result is large and all inputs are in C order and of its shape, or
        of one element, so that a new array would be in that order too.
        """
        full = [x for x in inputs if x.size > 1]
        if not full or full[0].size * np.dtype(dtype).itemsize < self._least_bytes:
            return None
        shape = full[0].shape
        if not all(x.flags.c_contiguous and x.shape == shape for x in full):
            return None
        return self.empty(shape, dtype)

    def free(self) -> None:
        """Give back all memory that nobody holds."""
        with self._lock:
            self._kept = [memory for memory in self._kept if _holders(memory) > _NOBODY]

    def _memory(self, size: int) -> _Memory:
        """Return memory of at least some bytes that nobody holds, and not of more than twice."""
        for memory in self._kept:
            if size <= memory.data.nbytes <= 2 * size and _holders(memory) == _NOBODY:
                break
        else:
            oldest = self._takes - _STALE
            self._kept = [m for m in self._kept if m.taken > oldest or _holders(m) > _NOBODY]
            memory = _Memory(np.empty(size, np.uint8))
            self._kept.append(memory)
        memory.taken = self._takes
        return memory


_storage: ContextVar[KeptStorage | None] = ContextVar("storage", default=None)


@contextmanager
def taken_from(storage: KeptStorage) -> Iterator[None]:
    """Return a context in which `new_array` takes memory from a storage."""
    token = _storage.set(storage)
    try:
        yield
    finally:
        _storage.reset(token)


def new_array(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an array in C order whose elements are not set."""
    storage = _storage.get()
    return np.empty(shape, dtype) if storage is None else storage.empty(shape, dtype)


Work = Callable[[Iterator[int]], None]
"""Does the tasks that an iterator over their numbers gives; others take from the same iterator."""

_lock = threading.Lock()
_executor: ThreadPoolExecutor | None = None
_helpers = 0


def _executor_for(helpers: int) -> ThreadPoolExecutor:
    """Return the executor of the process, with at least that many threads."""
    global _executor, _helpers
    with _lock:
        if _executor is None or helpers > _helpers:
            # The one before ends when the last of its tasks has.
            _executor = ThreadPoolExecutor(helpers, thread_name_prefix="relgraph")
            _helpers = helpers
        return _executor


def _forget_executor() -> None:
    """Forget the executor: after a fork its threads are not there."""
    global _executor, _helpers, _lock
    _executor, _helpers, _lock = None, 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_executor)


def run_tasks(work: Work, count: int, threads: int) -> None:
    """Do `count` tasks on up to `threads` threads.

    The calling thread takes part. It waits for helpers that have begun, and not for those that
    found no time: what they would have done it has done itself.

    Raises
    ------
    Exception
        What a task raises.
    """
    # `next` on a range iterator is one step for all threads.
    tasks = iter(range(count))
    if threads <= 1 or count <= 1:
        work(tasks)
        return
    helpers = min(threads, count) - 1
    executor = _executor_for(helpers)
    futures: list[Future[None]] = [executor.submit(work, tasks) for _ in range(helpers)]
    try:
        work(tasks)
    finally:
        begun = [future for future in futures if not future.cancel()]
        errors = [error for future in begun if (error := future.exception()) is not None]
    if errors:
        raise errors[0]


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


def block_length(bytes_per_element: int) -> int:
    """Return the number of elements of a block, given the bytes of all its arrays per element."""
    length = BLOCK_BYTES // max(bytes_per_element, 1) // _STEP * _STEP
    return min(max(length, _SHORTEST), _LONGEST)


def whole_length(bytes_per_element: int) -> int:
    """Return the number of elements up to which arrays are computed as a whole, without a look."""
    return max(WHOLE_BYTES // max(bytes_per_element, 1), _SHORTEST)


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
    block: Callable[..., tuple[Any, ...]],
    inputs: Sequence[Array],
    outputs: Sequence[Array | None],
    plan: Cut,
    threads: int,
) -> list[tuple[Any, ...]]:
    """Compute outputs block by block, and return what the function of blocks returns for each.

    Parameters
    ----------
    block
        Takes the inputs, of which none runs backward or stands still, and the outputs.
    inputs, outputs
        Arrays of one rank that broadcast, and where to write; None for an output that is reduced.
    plan
        How their shape is cut.
    threads
        On how many threads.
    """
    per_index = len(plan.bounds)
    count = per_index * math.prod(plan.leading)
    partial: list[tuple[Any, ...]] = [()] * count

    def work(tasks: Iterator[int]) -> None:
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
                parts = [forward(x if len(x) == 1 else x[a:b]) for x in views]
                partial[task] = block(*parts, *[x if x is None else x[a:b] for x in targets])

    run_tasks(work, count, threads)
    return partial


def _at(x: Array, index: Sequence[Any]) -> Array:
    """Return the part of an array at an index of the leading axes; those of length 1 broadcast."""
    found: Array = x[tuple([0 if n == 1 else i for i, n in zip(index, x.shape, strict=False)])]
    return found
