"""Examples of a law: instances with values for their inputs, drawn at random and compared.

One that fails is made smaller: the fewest elements, then the simplest numbers. The graph is built
anew with shorter axes, inputs where it had ops, and plain numbers as constants, as long as the law
matches what comes of it and is wrong for some values of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant
from relgraph.testing.check_result import Coverage
from relgraph.testing.instances.input_values import (
    PLAIN,
    Elements,
    Given,
    drawn_of_range,
    drawn_values,
    edges_among,
    filled,
    values_of,
)
from relgraph.testing.instances.instance import (
    Instance,
    InstantiatedPattern,
    LawViolation,
)
from relgraph.testing.instances.instance_search import (
    Change,
    InstanceSearch,
    reshaped,
    retyped,
    with_input,
    with_length,
    with_number,
)
from relgraph.testing.judge.claims import unclaimed_elements
from relgraph.testing.judge.evaluation import EvaluationError, RewritePair, Side, same_bits
from relgraph.testing.judge.law_comparison import OLD_SIDE_FINITE, Comparison
from relgraph.testing.judge.rounding import is_rounding_alone
from relgraph.testing.random_arrays import Array, number_pool
from relgraph.testing.random_terms import CannotInstantiate

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


@dataclass
class ExampleRun:
    """Draws and compares examples of a law, and counts them.

    Parameters
    ----------
    sound
        The soundness class to check.
    seed
        The seed of what is drawn.

    Attributes
    ----------
    instances
        The instances; the check adds those of each direction, smallest first.
    examples
        The number of examples so far.
    evaluated, nonempty, falsifiable
        The instances that examples were drawn of; those whose result had any elements; those about
        which the class made a claim that could have been false.
    drawn
        All examples: an instance, and the bytes and the layouts of its values.
    last
        The last one of them, or None.
    stronger_classes
        The stronger soundness classes that hold for all examples.
    domain_needed
        Whether the sides differed, or one raised an error, for an example outside of the domain.
    elements
        The elements of inputs that may have any values, by their dtypes.
    failed
        Whether an example failed; then a smaller one is looked for, and nothing is counted.
    coverage
        What of the plan was compared, and what not.
    """

    sound: str
    seed: int
    instances: list[Instance] = field(default_factory=list)
    examples: int = 0
    falsifiable: set[Instance] = field(default_factory=set)
    nonempty: set[Instance] = field(default_factory=set)
    evaluated: set[Instance] = field(default_factory=set)
    drawn: set[Any] = field(default_factory=set)
    last: tuple[Instance, Given] | None = None
    stronger_classes: list[str] = field(default_factory=list)
    domain_needed: bool = False
    elements: dict[Any, list[Array]] = field(default_factory=dict)
    failed: bool = False
    coverage: Coverage = field(default_factory=Coverage)

    def __post_init__(self) -> None:
        self.stronger_classes += _STRONGER[self.sound]

    def is_tested(self, instances: Collection[Instance]) -> bool:
        """Return whether an example of one of some instances could have failed.

        Where all their results were empty, the dtype and the shape could have been wrong.
        """
        only_empty = self.nonempty.isdisjoint(instances)
        only_empty &= not self.evaluated.isdisjoint(instances)
        return only_empty or not self.falsifiable.isdisjoint(instances)

    def draw(self, instances: Sequence[Instance], examples: int) -> None:
        """Draw and compare examples of some instances.

        Parameters
        ----------
        instances
            The instances.
        examples
            How many examples to draw; for a law with a domain that is not shown to be needed,
            there are more.

        Raises
        ------
        LawViolation
            If one fails.
        """
        random = Random(f"{self.seed} {self.examples}")
        target, rounds = self.examples + examples, 1
        # some examples come again, and some can't be evaluated
        for _ in range(_MAX_ROUNDS * examples):
            if self.examples >= target:
                undecided = self.sound == "domain" and not self.domain_needed
                if not undecided or rounds == _MAX_ROUNDS:
                    return
                target, rounds = target + examples, rounds + 1
            instance = random.choice(instances)
            self.examine(instance, drawn_values(instance.inputs, random))

    def edge_values(self) -> set[tuple[str, bytes]]:
        """Return the edge values that inputs had, as pairs of a dtype and the bytes of a number."""
        return {
            (dtype.name, number.tobytes())
            for dtype, parts in self.elements.items()
            for number in edges_among(np.concatenate(parts))
        }

    def examine(self, instance: Instance, given: Given) -> bool:
        """Compare the sides of one example, and count it unless one has failed before.

        Parameters
        ----------
        instance
            The instance.
        given
            The elements of its inputs.

        Returns
        -------
        compared
            Whether the old side can be evaluated, so that there was something to compare.

        Raises
        ------
        LawViolation
            If the example fails.
        """
        self.last = instance, given
        if not self.failed:
            example = (instance, *[(e.numbers.tobytes(), e.layout) for e in given])
            if example in self.drawn:
                return True
            self.drawn.add(example)
            for spec, of_input in zip(instance.inputs, given, strict=True):
                if spec.allowed is None:
                    numbers = np.ravel(of_input.numbers)
                    self.elements.setdefault(numbers.dtype, []).append(numbers)
        values = values_of(instance.inputs, given)
        comparison = self._compare(instance, instance.pair, values, self.sound)
        if comparison is None:
            return False
        if comparison.old.size:
            self.nonempty.add(instance)
        known = instance in self.falsifiable
        if not known and comparison.in_domain and comparison.is_falsifiable(self.sound):
            self.falsifiable.add(instance)
        self.examples += not self.failed
        self.evaluated.add(instance)
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
                self.domain_needed |= instance.in_domain is not None
                return None
            old_values = pair.run_old(values)
            if instance.in_domain is not None and not instance.in_domain(old_values):
                self.domain_needed = True
                return None
            side = Side(pair.nodes_of(pair.old), old_values, pair.old)
            # where a matrix is singular but for rounding, it is an accident which side refuses it,
            # and beside nan a factor may be singular of which the product is not refused
            nothing = sound == "finite" and unclaimed_elements(side, sound).all()
            if error.singular and (nothing or is_rounding_alone(side)):
                return None
            why, old_value = f"{prefix}it raises {error}", old_values[pair.old]
            raise self._violation(instance, pair, values, why, old_value=old_value) from error
        comparison = Comparison(pair, evaluated)
        if instance.in_domain is not None and not instance.in_domain(evaluated):
            comparison.in_domain = False
            self.domain_needed |= comparison.difference(OLD_SIDE_FINITE) is not None
            return comparison
        found = comparison.difference(sound)
        if found is not None:
            details = {"old_value": comparison.old, "new_value": comparison.new}
            why = prefix + found.why
            raise self._violation(instance, pair, values, why, where=found.where, **details)
        stronger = self.stronger_classes
        self.stronger_classes = [s for s in stronger if comparison.difference(s) is None]
        return comparison

    def _violation(
        self, instance: Instance, pair: RewritePair, values: Sequence[Any], why: str, **details: Any
    ) -> LawViolation:
        """Return the error that an example fails; for the details see `Counterexample`."""
        self.failed = True
        sides = pair.inputs, pair.old, pair.new
        return instance.direction.counterexample(why, *sides, values=list(values), **details)


# How many values are drawn for each graph that might fail, and how many graphs are tried.
_DRAWS = 24
_MOST_GRAPHS = 60
# How many of the simple numbers are the simplest.
_SIMPLEST = 8
# Dtypes that need no explanation.
_USUAL = ("float64", "int64")
# How many examples are compared with other numbers.
_MOST_NUMBERS = 2_000


def smaller(
    run: ExampleRun,
    violation: LawViolation,
    instances: Iterable[Instance],
    searches: Sequence[InstanceSearch],
) -> LawViolation:
    """Return the violation of an example with less to read, if there is one.

    Parameters
    ----------
    run
        The examples, of which the last one has failed.
    violation
        What it raised. That of a rewrite which is wrong whatever the values are stays.
    instances
        The instances that were drawn, smallest first.
    searches
        The searches that they are from.
    """
    if run.last is None or violation.counterexample.values is None:
        return violation
    reduction = _Reduction(run, violation, *run.last)
    reduction.choose(instances)
    reduction.simplify_graph(searches)
    reduction.simplify_numbers()
    return reduction.violation


@dataclass
class _Reduction:
    """The smallest example so far: its violation, its instance, and the elements of its inputs."""

    run: ExampleRun
    violation: LawViolation
    instance: Instance
    given: Given

    def __post_init__(self) -> None:
        self.random = Random(self.run.seed)

    def fails(self, instance: Instance, given: Given) -> bool:
        """Keep an example if it fails too, and return whether it does."""
        try:
            self.run.examine(instance, given)
        except LawViolation as found:
            self.violation, self.instance, self.given = found, instance, given
            return True
        return False

    def choose(self, instances: Iterable[Instance]) -> None:
        """Take the smallest instance that fails for some of a few values."""
        most = self.instance.reading_size
        for instance in instances:
            if instance.reading_size >= most:
                return
            if any(self.fails(instance, given) for given in self._drawn(instance)):
                return

    def simplify_graph(self, searches: Sequence[InstanceSearch]) -> None:
        """Build the graph anew with less to read, until nothing less fails."""
        left = _MOST_GRAPHS
        tried: set[Any] = set()
        search = next((s for s in searches if s.rule is self.instance.rule), None)
        while search is not None:
            for what, change in _changes(self.instance):
                if left and (what, self.instance) not in tried:
                    left -= 1
                    tried.add((what, self.instance))
                    if self._fails_with(search, change):
                        break
            else:
                return

    def _fails_with(self, search: InstanceSearch, change: Change) -> bool:
        known = self.instance
        try:
            rebuilt = search.rebuilt(known, change)
        except LawViolation:
            return False
        for made in rebuilt:
            if _measure(made) < _measure(known):
                examples = [self._carried(made), *self._drawn(made)]
                return any(self.fails(made, given) for given in examples)
        return False

    def _drawn(self, instance: Instance) -> Iterator[Given]:
        for _ in range(_DRAWS if instance.inputs else 1):
            yield drawn_values(instance.inputs, self.random)

    def _carried(self, made: Instance) -> Given:
        """Return the elements of the example for a smaller instance: of an input of another shape
        the element that the wrong one is computed from, as far as its place is known, and those
        after it."""
        where = self.violation.counterexample.where or ()
        carried = [*filled(made.inputs)]
        for i, (of_input, new) in enumerate(zip(self.given, carried, strict=False)):
            numbers, axes = of_input.numbers, of_input.numbers.ndim
            if numbers.shape != new.numbers.shape and numbers.size and len(where) >= axes > 0:
                last = where[len(where) - axes :]
                place = np.ravel_multi_index(last, numbers.shape, mode="wrap")
                numbers = np.roll(numbers, -int(place))
            with np.errstate(all="ignore"):
                kept = np.resize(numbers, new.numbers.shape).astype(new.numbers.dtype)
            carried[i] = Elements(kept, of_input.layout)
        return carried

    def simplify_numbers(self) -> None:
        """Put simpler numbers in the place of all, then of each, as long as the example fails."""
        inputs = self.instance.inputs
        # two that have to be equal can't be changed one by one
        simple = (drawn_of_range(inputs, "ordinary", self.random, _SIMPLEST) for _ in range(_DRAWS))
        any(self.fails(self.instance, given) for given in simple)
        left = _MOST_NUMBERS
        for i, spec in enumerate(inputs):
            table = spec.numbers("ordinary")[:_SIMPLEST]
            self._fails_with_input(i, self.given[i]._replace(layout=PLAIN))
            for place in range(self.given[i].numbers.size):
                for number in _simpler(self.given[i].numbers.flat[place], table)[:left]:
                    left -= 1
                    simpler = np.array(self.given[i].numbers)
                    simpler.flat[place] = number
                    if self._fails_with_input(i, self.given[i]._replace(numbers=simpler)):
                        break

    def _fails_with_input(self, place: int, changed: Elements) -> bool:
        given = [*self.given]
        given[place] = changed
        return self.fails(self.instance, given)


def _simpler(number: Any, table: Array) -> Array:
    """Return which of some numbers, the simplest first, stand before a number."""
    same = np.flatnonzero(same_bits(table, np.asarray(number, table.dtype)))
    return table[: same[0]] if len(same) else table


def _measure(instance: Instance) -> tuple[int, ...]:
    """Return how much there is to read, how many axes the inputs have, how many of them a dtype
    that needs a reason, and how far the constants are from being simple."""
    constants = [v for v in instance.graph.tensors if isinstance(v, Constant)]
    odd = sum(not isinstance(v, Constant) and v.dtype not in _USUAL for v in _tensors(instance))
    axes = sum(len(spec.shape) for spec in instance.inputs)
    return instance.reading_size, axes, odd, sum(len(_simpler_constants(v)) for v in constants)


def _tensors(instance: Instance) -> list[Any]:
    """Return the inputs and constants that may have another dtype."""
    return [*(s.var for s in instance.inputs if s.allowed is None), *instance.graph.tensors]


def _simpler_constants(constant: Any) -> Array:
    """Return the numbers that are simpler than that of a constant."""
    table = number_pool(constant.type.dtype, "ordinary")[:_SIMPLEST]
    value = np.unique(constant.data)
    return _simpler(value[0], table) if len(value) == 1 else table


def _changes(instance: Instance) -> Iterator[tuple[str, Change]]:
    """Yield what may be changed in the graph of an instance, and the change, most telling first."""
    graph = instance.graph
    dtypes = {str(v.dtype) for v in _tensors(instance) if hasattr(v, "dtype")}
    for usual in _USUAL if dtypes.isdisjoint(_USUAL) else ():
        yield usual, partial(retyped, dtypes=tuple(dtypes), dtype=usual)
    yield "a number", partial(reshaped, shape=())
    yield "a vector", partial(reshaped, shape=(1,))
    for v in dict.fromkeys(graph.tensors):
        if v.owner is not None:
            yield f"input for {v}", partial(_as_input, instance, v)
    lengths = {n for spec in graph.inputs for n in spec.shape}
    lengths |= {n for v in graph.tensors if isinstance(v, Constant) for n in np.shape(v.data)}
    for length in sorted(lengths, reverse=True):
        for other in range(1, min(length, 4)):
            yield f"{other} for {length}", partial(with_length, length=length, other=other)
    for v in graph.tensors:
        if isinstance(v, Constant):
            for number in _simpler_constants(v):
                yield f"{number} for {v}", partial(with_number, v=v, number=number)


def _as_input(instance: Instance, v: Any, graph: InstantiatedPattern) -> InstantiatedPattern:
    """Return a graph with an input in the place of what an op computes."""
    try:
        shape = instance.shape_of(v)
    except EvaluationError as why:
        raise CannotInstantiate(str(why)) from why
    if shape is None:
        raise CannotInstantiate(f"the graph has no {v}")
    return with_input(graph, v, shape)
