"""Examples of a law: instances with values for their inputs, drawn at random and compared."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from relgraph.testing.check_result import Counterexample
from relgraph.testing.instances.input_values import ValueCoverage, bytes_needed, decode_values
from relgraph.testing.instances.instance import Instance
from relgraph.testing.judge.error_bounds import is_rounding_alone
from relgraph.testing.judge.law_comparison import OLD_SIDE_FINITE, Comparison, Difference
from relgraph.testing.judge.rewrite_pair import EvaluationError, RewritePair

# How often as many examples as are wanted are drawn at most.
_MAX_ROUNDS = 8
# For each class the stronger ones, strongest first.
_STRONGER = {
    "exact": (),
    "rounding": ("exact",),
    "stable": ("exact", "rounding"),
    "finite": ("exact", "rounding"),
    "domain": ("exact", "rounding", "finite"),
}


class LawViolation(Exception):
    """An example for which a law does not keep what its soundness class claims."""

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.why)
        self.counterexample = counterexample


@dataclass
class ExampleStatistics:
    """Statistics of the examples drawn so far.

    Attributes
    ----------
    examples
        The number of examples.
    evaluated, nonempty, falsifiable
        The indices of the instances that examples were drawn of; of those whose result had any
        elements; of those about which the class made a claim that could have been false.
    drawn
        All examples: the index of an instance and the bytes of its values.
    stronger_classes
        The stronger soundness classes that hold for all examples.
    domain_needed
        Whether the sides differed, or one raised an error, for an example outside of the domain.
    coverage
        The numbers that were values of inputs.
    failed
        Whether an example failed; then a smaller one is looked for, and nothing is counted.
    """

    examples: int = 0
    falsifiable: set[int] = field(default_factory=set)
    nonempty: set[int] = field(default_factory=set)
    evaluated: set[int] = field(default_factory=set)
    drawn: set[tuple[int, bytes]] = field(default_factory=set)
    stronger_classes: list[str] = field(default_factory=list)
    domain_needed: bool = False
    coverage: ValueCoverage = field(default_factory=ValueCoverage)
    failed: bool = False

    def is_tested(self, indices: Collection[int]) -> bool:
        """Return whether an example of one of some instances could have failed.

        Where all their results were empty, the dtype and the shape could have been wrong.
        """
        only_empty = self.nonempty.isdisjoint(indices) and not self.evaluated.isdisjoint(indices)
        return only_empty or not self.falsifiable.isdisjoint(indices)


class ExampleRun:
    """Draws and compares examples of a law.

    Parameters
    ----------
    name, algebra, sound
        The name of the law, the law as text, and the soundness class to check.
    seed
        The seed of what is drawn.

    Attributes
    ----------
    instances
        The instances; the check adds those of each direction, smallest first.
    statistics
        The statistics of the examples drawn so far.
    last
        The index of the instance of the last example, and the data of its values.
    """

    def __init__(self, name: str, algebra: str, sound: str, seed: int) -> None:
        self.name, self.algebra, self.sound = name, algebra, sound
        self.seed = seed
        self.instances: list[Instance] = []
        self.statistics = ExampleStatistics(stronger_classes=list(_STRONGER[sound]))
        self.last = (0, b"")

    def counterexample(
        self, why: str, direction: str, inputs: Any, old: Any, new: Any, **details: Any
    ) -> Counterexample:
        """Return a counterexample to the law; for the parameters see `Counterexample`."""
        return Counterexample(
            self.name, self.algebra, self.sound, direction, why, inputs, old, new, **details
        )

    def draw(self, indices: Sequence[int], examples: int) -> None:
        """Draw and compare examples of some instances.

        Parameters
        ----------
        indices
            The indices of the instances.
        examples
            How many examples to draw; for a law with a domain that is not shown to be needed,
            there are more.

        Raises
        ------
        LawViolation
            If one fails.
        """
        statistics = self.statistics
        random = Random(f"{self.seed} {statistics.examples}")
        sizes = {i: bytes_needed(self.instances[i].inputs) for i in indices}
        target, rounds = statistics.examples + examples, 1
        # some examples come again, and some can't be evaluated
        for _ in range(_MAX_ROUNDS * examples):
            if statistics.examples >= target:
                undecided = self.sound == "domain" and not statistics.domain_needed
                if not undecided or rounds == _MAX_ROUNDS:
                    return
                target, rounds = target + examples, rounds + 1
            index = random.choice(indices)
            self.examine(index, random.randbytes(sizes[index]))

    def examine(self, index: int, data: bytes) -> bool:
        """Compare the sides of one example, and count it unless one has failed before.

        Parameters
        ----------
        index
            The index of an instance.
        data
            The values of its inputs, for `decode_values`.

        Returns
        -------
        compared
            Whether the old side can be evaluated, so that there was something to compare.

        Raises
        ------
        LawViolation
            If the example fails.
        """
        statistics, instance = self.statistics, self.instances[index]
        self.last = index, data
        data = data[: bytes_needed(instance.inputs)]
        if not statistics.failed:
            if (index, data) in statistics.drawn:
                return True
            statistics.drawn.add((index, data))
        coverage = None if statistics.failed else statistics.coverage
        values = decode_values(data, instance.inputs, coverage)
        comparison = self._compare(instance, instance.pair, values, self.sound)
        if comparison is None:
            return False
        if comparison.old.size:
            statistics.nonempty.add(index)
        known = index in statistics.falsifiable
        if not known and comparison.in_domain and comparison.is_falsifiable(self.sound):
            statistics.falsifiable.add(index)
        statistics.examples += not statistics.failed
        statistics.evaluated.add(index)
        if instance.round_trip is not None:
            # The inverse may bind other parts of a sum or product, so the domain does not apply.
            sound = "finite" if self.sound == "domain" else self.sound
            self._compare(instance, instance.round_trip, values, sound, "there and back: ")
        return True

    def _compare(
        self,
        instance: Instance,
        pair: RewritePair,
        values: Sequence[Any],
        sound: str,
        prefix: str = "",
    ) -> Comparison | None:
        """Compare the sides of a pair; return None if the old one can't be evaluated.

        Raises
        ------
        LawViolation
            If they differ more than a soundness class allows.
        """
        try:
            evaluated = pair.run(values)
        except EvaluationError as error:
            if not error.in_new:
                # The new side may be defined where the old one is not: only outside of the domain.
                self.statistics.domain_needed |= instance.in_domain is not None
                return None
            old_values = _old_values(pair, values)
            if instance.in_domain is not None and not instance.in_domain(old_values):
                self.statistics.domain_needed = True
                return None
            nodes = pair.nodes_of(pair.old)
            # where a matrix is singular but for rounding, it is an accident which side refuses it
            if error.singular and is_rounding_alone(nodes, old_values, pair.old):
                return None
            difference = Difference(f"{prefix}it raises {error}")
            raise self._violation(instance, pair, values, difference, None) from error
        comparison = Comparison(pair, evaluated)
        if instance.in_domain is not None and not instance.in_domain(evaluated):
            comparison.in_domain = False
            differs = comparison.difference(OLD_SIDE_FINITE) is not None
            self.statistics.domain_needed |= differs
            return comparison
        found = comparison.difference(sound)
        if found is not None:
            found = Difference(prefix + found.why, found.where)
            raise self._violation(instance, pair, values, found, comparison)
        self._drop_refuted_classes(comparison)
        return comparison

    def _drop_refuted_classes(self, comparison: Comparison) -> None:
        statistics = self.statistics
        if comparison.identical or not statistics.stronger_classes:
            return
        statistics.stronger_classes = [
            s for s in statistics.stronger_classes if comparison.difference(s) is None
        ]

    def _violation(
        self,
        instance: Instance,
        pair: RewritePair,
        values: Sequence[Any],
        difference: Difference,
        comparison: Comparison | None,
    ) -> LawViolation:
        self.statistics.failed = True
        if comparison is None:
            old_only = RewritePair(pair.inputs, pair.old, pair.old, ())
            old_value = old_only.run(values)[pair.old]
        else:
            old_value = comparison.old
        return LawViolation(
            self.counterexample(
                difference.why,
                instance.direction,
                pair.inputs,
                pair.old,
                pair.new,
                values=list(values),
                old_value=old_value,
                new_value=None if comparison is None else comparison.new,
                where=difference.where,
            )
        )


def _old_values(pair: RewritePair, values: Sequence[Any]) -> Any:
    """Return the values of the variables of the old side, which can be evaluated."""
    return RewritePair(pair.inputs, pair.old, pair.old, ()).run(values)
