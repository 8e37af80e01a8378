"""Examples of a law: its instances with values, drawn, evaluated and compared."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from relgraph.testing.draw.samples import Seen, bytes_needed, values_from
from relgraph.testing.instances.instance import Instance
from relgraph.testing.judge.comparison import Comparison, Difference
from relgraph.testing.judge.sides import SideError, Sides
from relgraph.testing.result import Counterexample

# How many instances with values are drawn at a time at most; half as many on average.
_AT_ONCE = 14
_MEAN = 7.5
# How many bytes say which instance.
_INDEX = 2
# How often drawing begins anew, since Hypothesis repeats itself and not all values make sense.
_ROUNDS = 8
# Classes that are stronger than each, strongest first.
_STRONGER = {
    "exact": (),
    "rounding": ("exact",),
    "stable": ("exact", "rounding"),
    "finite": ("exact", "rounding"),
    "domain": ("exact", "rounding", "finite"),
}


class Violation(Exception):
    """An example in which a law does not keep its word."""

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.why)
        self.counterexample = counterexample


@dataclass
class Tally:
    """What the examples have shown.

    Attributes
    ----------
    examples
        How many there were.
    used, filled, told
        Which instances they were of; which of them had any elements, and of which of them the class
        made a claim that could fail.
    tried
        The instances with the bytes of their values.
    holds
        The stronger classes that held in all of them.
    needed
        Whether one outside of a domain differed.
    seen
        The numbers that the inputs held.
    failed
        Whether one failed: what follows is shrinking.
    """

    examples: int = 0
    told: set[int] = field(default_factory=set)
    filled: set[int] = field(default_factory=set)
    used: set[int] = field(default_factory=set)
    tried: set[tuple[int, bytes]] = field(default_factory=set)
    holds: list[str] = field(default_factory=list)
    needed: bool = False
    seen: Seen = field(default_factory=Seen)
    failed: bool = False

    def tells(self, places: Collection[int]) -> bool:
        """Return whether anything that could fail has been said of some instances.

        Where none of them has an element, that is the dtype and the shape.
        """
        return not (
            self.told.isdisjoint(places)
            and (self.used.isdisjoint(places) or not self.filled.isdisjoint(places))
        )


class Examples:
    """Draws examples of the instances of a law.

    Parameters
    ----------
    name, algebra, sound
        What the law is called, says and claims.
    seed
        Where chance begins.
    shrink
        Whether to look for the smallest counterexample.

    Attributes
    ----------
    pool
        The instances, those of each direction smallest first.
    tally
        What the examples have shown.
    """

    def __init__(self, name: str, algebra: str, sound: str, seed: int, shrink: bool) -> None:
        self.name, self.algebra, self.sound = name, algebra, sound
        self.seed, self.shrink = seed, shrink
        self.pool: list[Instance] = []
        self.tally = Tally(holds=list(_STRONGER[sound]))

    def counterexample(
        self, why: str, direction: str, inputs: Any, old: Any, new: Any, **found: Any
    ) -> Counterexample:
        """Return a counterexample to the law."""
        return Counterexample(
            self.name, self.algebra, self.sound, direction, why, inputs, old, new, **found
        )

    def draw(self, indices: Sequence[int], examples: int) -> None:
        """Draw values for instances, given by their places in the pool; raises `Violation`."""
        target = self.tally.examples + examples
        for turn in range(_ROUNDS):
            if self.tally.examples >= target:
                if self.sound != "domain" or self.tally.needed:
                    return
                # to show that the condition is needed may take longer than to show it is enough
                target = self.tally.examples + examples
            self._draw(indices, target, self.seed + turn)

    def _draw(self, indices: Sequence[int], target: int, seed: int) -> None:
        missing = target - self.tally.examples
        size = _INDEX + max(bytes_needed(self.pool[i].slots) for i in indices)

        @seeded(seed)
        @settings(
            max_examples=max(8, math.ceil(missing / _MEAN)),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink] if self.shrink else [Phase.generate],
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            print_blob=False,
        )
        @given(st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=_AT_ONCE))
        def examine(drawn: list[bytes]) -> None:
            for blob in drawn:
                if self.tally.examples >= target and not self.tally.failed:
                    return
                index = indices[int.from_bytes(blob[:_INDEX]) % len(indices)]
                self._judge(index, self.pool[index], blob[_INDEX:])

        examine()

    def _judge(self, index: int, instance: Instance, blob: bytes) -> None:
        tally = self.tally
        blob = blob[: bytes_needed(instance.slots)]
        if not tally.failed:
            if (index, blob) in tally.tried:
                return
            tally.tried.add((index, blob))
        values = values_from(blob, instance.slots, None if tally.failed else tally.seen)
        found = self._compared(instance, instance.sides, values, self.sound)
        if found is None:
            return
        if found.old.size:
            tally.filled.add(index)
        if index not in tally.told and found.admitted and found.claims(self.sound):
            tally.told.add(index)
        tally.examples += not tally.failed
        tally.used.add(index)
        if instance.back is not None:
            # The way back may take terms apart in another way, of which the domain says nothing.
            sound = "finite" if self.sound == "domain" else self.sound
            self._compared(instance, instance.back, values, sound, "there and back: ")

    def _compared(
        self,
        instance: Instance,
        sides: Sides,
        values: Sequence[Any],
        sound: str,
        prefix: str = "",
    ) -> Comparison | None:
        try:
            known = sides.run(values)
        except SideError as error:
            if not error.new:
                # what the old side refuses to compute, the new one may only outside of the domain
                self.tally.needed |= instance.domain is not None
                return None
            raise self._violation(
                instance, sides, values, Difference(f"{prefix}it raises {error}"), None
            ) from error
        comparison = Comparison(sides, known)
        if instance.domain is not None and not instance.domain(known):
            comparison.admitted = False
            self.tally.needed |= comparison.difference("beyond") is not None
            return comparison
        difference = comparison.difference(sound)
        if difference is not None:
            difference = Difference(prefix + difference.why, difference.where)
            raise self._violation(instance, sides, values, difference, comparison)
        self._learn(comparison)
        return comparison

    def _learn(self, comparison: Comparison) -> None:
        tally = self.tally
        if comparison.identical or not tally.holds:
            return
        tally.holds = [s for s in tally.holds if comparison.difference(s) is None]

    def _violation(
        self,
        instance: Instance,
        sides: Sides,
        values: Sequence[Any],
        difference: Difference,
        comparison: Comparison | None,
    ) -> Violation:
        self.tally.failed = True
        if comparison is None:
            alone = Sides(sides.inputs, sides.old, sides.old, ())
            old_value = alone.run(values)[sides.old]
        else:
            old_value = comparison.old
        return Violation(
            self.counterexample(
                difference.why,
                instance.direction,
                sides.inputs,
                sides.old,
                sides.new,
                values=list(values),
                old_value=old_value,
                new_value=None if comparison is None else comparison.new,
                where=difference.where,
            )
        )
