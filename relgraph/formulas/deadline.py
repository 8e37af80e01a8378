"""Time limits that count work, so that what is found does not depend on what else is running."""

from __future__ import annotations

import time

_WAITED = 0.1
"""How much a second counts in which others have the processor: a search finds the same on a busy
machine, but does not go on for ever."""


def worked() -> float:
    """Return seconds, of which only differences mean something: those of this thread's work, and a
    tenth of those in which it waited."""
    return (1 - _WAITED) * time.thread_time() + _WAITED * time.perf_counter()


class Deadline:
    """The end of some seconds of work. The clock of a thread takes long to read, and is read only
    when it may be over.

    Parameters
    ----------
    seconds
        How long it is until then.
    """

    def __init__(self, seconds: float) -> None:
        self._end = worked() + seconds
        self._not_before = time.perf_counter() + seconds

    @property
    def is_over(self) -> bool:
        """Whether so much work was done."""
        now = time.perf_counter()
        if now < self._not_before:
            return False
        self._not_before = now + self.left
        return self._not_before <= now

    @property
    def left(self) -> float:
        """The seconds of work that are left."""
        return self._end - worked()
