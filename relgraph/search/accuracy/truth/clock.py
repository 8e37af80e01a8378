"""What limits of time are measured by."""

from __future__ import annotations

import time

_WAITED = 0.1
"""How much a second counts in which others have the processor: a search finds the same on a busy
machine, but does not go on for ever."""


def worked() -> float:
    """Return seconds, of which only differences mean something: those of this thread's work, and a
    tenth of those in which it waited."""
    return (1 - _WAITED) * time.thread_time() + _WAITED * time.perf_counter()
