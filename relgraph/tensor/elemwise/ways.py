"""Chooses among several ways to compute the same, by the times that they took.

Which is fastest hangs on the machine, on the other work that it does, on how often each value is
read, and on whether the arrays are in the cache already: no count of bytes and operations says it.
So each is tried on the arguments that a caller has anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

# How often each way is tried before one is chosen.
_TRIALS = 3

# Another way than the first has to take less than this part of its time.
_CLEARLY = 0.95

# After so many times the ways are tried again: other cores may be free now. Then after twice as
# many, up to the most.
_AGAIN, _AGAIN_AT_MOST = 200, 6_400

always: int | None = None
"""The position of the way that is taken whatever it takes, for tests; None to choose."""


class Ways:
    """A choice among ways, of which the first is what would be done if there were no other.

    Several threads may use it at once.

    Parameters
    ----------
    count
        How many ways there are.
    """

    def __init__(self, count: int) -> None:
        self._best: list[float | None] = [None] * count
        self._to_try = self._trials()
        self._chosen = 0
        self._left = self._period = _AGAIN
        self._lock = Lock()

    def _trials(self) -> list[int]:
        return [*range(len(self._best))] * _TRIALS

    def next(self) -> int:
        """Return the position of the way that is to be taken now."""
        if always is not None:
            return range(len(self._best))[always]
        with self._lock:
            return self._to_try[-1] if self._to_try else self._chosen

    def prefers_first(self) -> bool:
        """Return whether the first way is to be taken, and its time need not be noted."""
        if always is not None:
            return self.next() == 0
        with self._lock:
            if self._to_try or self._chosen != 0:
                return False
            self._count_down()
            return True

    def note(self, way: int, seconds: float) -> None:
        """Note the time that a way took, for one of the elements or all of an equal number."""
        with self._lock:
            trying = self._to_try
            if not trying:
                self._count_down()
                return
            if trying[-1] == way:
                trying.pop()
            known = self._best[way]
            self._best[way] = seconds if known is None else min(known, seconds)
            if not trying:
                self._chosen = _fastest(self._best)

    def _count_down(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._period = self._left = min(2 * self._period, _AGAIN_AT_MOST)
            self._best = [None] * len(self._best)
            self._to_try = self._trials()


def _fastest(times: Sequence[float | None]) -> int:
    """Return the position of the least time, or of the first if no other one is clearly less."""
    first, *others = [float("inf") if t is None else t for t in times]
    least = min(others, default=first)
    return 1 + others.index(least) if least < _CLEARLY * first else 0
