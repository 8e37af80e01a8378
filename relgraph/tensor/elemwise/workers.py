"""Work that is cut into numbered tasks, done by the calling thread and by helpers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

Storage = np.ndarray[Any, np.dtype[np.uint8]]

Work = Callable[[Iterator[int]], None]
"""Does the tasks that an iterator over their numbers gives; others take from the same iterator."""

_CACHE_LINE = 64

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


class Scratch(threading.local):
    """Storage for the values of one block, kept by each thread from call to call."""

    def __init__(self) -> None:
        self._kept: Storage | None = None

    def take(self, size: int) -> Storage:
        """Return bytes, at least `size` of them, which are the caller's until `give_back`.

        They begin with a cache line.
        """
        kept, self._kept = self._kept, None
        if kept is not None and kept.size >= size:
            return kept
        made = np.empty(size + _CACHE_LINE, np.uint8)
        return made[-made.ctypes.data % _CACHE_LINE :]

    def give_back(self, storage: Storage) -> None:
        """Keep bytes for the next caller."""
        self._kept = storage
