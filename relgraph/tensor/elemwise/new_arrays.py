"""Where elementwise ops take the memory of large results from: new, or of arrays that were kept."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

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
