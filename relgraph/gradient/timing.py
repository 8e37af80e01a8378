"""The time that all calls of `grad` have taken, for the profiles of functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Stopwatch:
    """A stopwatch that adds up the time of many runs.

    Attributes
    ----------
    seconds
        The total time of all runs; a run inside another one is not counted twice.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Return a context manager whose time is added to the total."""
        if self._running:
            yield
            return
        self._running = True
        start = perf_counter()
        try:
            yield
        finally:
            self._running = False
            self.seconds += perf_counter() - start


grad_stopwatch = Stopwatch()
