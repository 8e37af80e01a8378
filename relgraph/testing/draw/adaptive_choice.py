"""Choices that learn: what has led to instances of a law is drawn more often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")


class Choices:
    """Weighted choices of one run, and how each of them has gone.

    Parameters
    ----------
    random
        Where chance comes from.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self._tried: Counter[Hashable] = Counter()
        self._worked: Counter[Hashable] = Counter()
        self._made: list[Hashable] = []

    def pick(self, what: Hashable, options: Sequence[tuple[T, float]]) -> T:
        """Return one of some options with weights; what has worked before weighs more.

        Parameters
        ----------
        what
            Which decision this is.
        """
        weights = [w * self._rate((what, option)) for option, w in options]
        (chosen,) = self.random.choices([option for option, _ in options], weights)
        self._made.append((what, chosen))
        return chosen

    def _rate(self, key: Hashable) -> float:
        return (self._worked[key] + 1) / (self._tried[key] + 2) + 0.02

    def done(self, worked: bool) -> None:
        """Note whether what has been chosen since the last time led to an instance."""
        self._tried.update(self._made)
        if worked:
            self._worked.update(self._made)
        self._made = []

    def chance(self, percent: float) -> bool:
        """Return True in so many of a hundred cases."""
        return self.random.random() * 100 < percent

    def among(self, options: Sequence[Any]) -> Any:
        """Return one of some options, all alike."""
        return self.random.choice(options)
