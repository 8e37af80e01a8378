"""Weighted random choices whose weights adapt: options that led to instances are drawn more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")


class AdaptiveChoices:
    """Random choices, with a record of how often each option led to success.

    Parameters
    ----------
    random
        The source of randomness.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        # by decision and option, how often it was picked and how often that was a success
        self._counts: dict[Hashable, dict[Hashable, tuple[int, int]]] = {}
        self._since_last_outcome: list[tuple[Hashable, Hashable]] = []

    def pick(self, decision: Hashable, options: Sequence[tuple[T, float]]) -> T:
        """Return one of some options; those that succeeded before weigh more.

        Parameters
        ----------
        decision
            Names the decision; outcomes are recorded by decision and option.
        options
            Pairs of an option and its initial weight.
        """
        counts = self._counts.get(decision, {})
        weights = []
        for option, weight in options:
            picked, succeeded = counts.get(option, (0, 0))
            weights.append(weight * ((succeeded + 1) / (picked + 2) + 0.02))
        (chosen,) = self.random.choices([option for option, _ in options], weights)
        self._since_last_outcome.append((decision, chosen))
        return chosen

    def record_outcome(self, success: bool) -> None:
        """Record whether the options picked since the last outcome led to an instance."""
        for decision, option in self._since_last_outcome:
            counts = self._counts.setdefault(decision, {})
            picked, succeeded = counts.get(option, (0, 0))
            counts[option] = (picked + 1, succeeded + success)
        self._since_last_outcome = []

    def forget_outcome(self) -> None:
        """Record nothing of the options picked since the last outcome."""
        self._since_last_outcome = []

    def chance(self, percent: float) -> bool:
        """Return True in `percent` of a hundred calls, on average."""
        return self.random.random() * 100 < percent

    def uniform(self, options: Sequence[Any]) -> Any:
        """Return one of some options, each with the same probability."""
        return self.random.choice(options)
