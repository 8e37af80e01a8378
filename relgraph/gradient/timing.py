"""How long gradients have taken, for the profiles of functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """A stopwatch that is started and stopped many times.

    Attributes
    ----------
    seconds
        The sum of all runs; a run inside another one is not counted twice.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Return a context whose time is added to the sum."""
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


grad_clock = Clock()
