"""Runs the plan of a check: compares both sides in each cell, on ordinary and on edge values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from relgraph.testing.check_result import Coverage
from relgraph.testing.instances.cells import AMONG_OTHERS, EXTENTS, KINDS, Cell
from relgraph.testing.instances.examples import ExampleRun
from relgraph.testing.instances.instance import Instance
from relgraph.testing.instances.instance_search import BY_CHANCE
from relgraph.testing.judge.rewrite_pair import is_elementwise
from relgraph.testing.plan.boundaries import near_boundaries, neighbours
from relgraph.testing.plan.branch_points import at_points, points_by_branch
from relgraph.testing.plan.edge_sweep import (
    alone,
    ascending,
    edges_meeting,
    few,
    layouts,
    meetings,
    one_edge,
    positive,
    random_values,
    sweep,
    two_edges,
)
from relgraph.testing.plan.planned_instances import Branching, PlannedInstances

# How many sets of values hold the edge values of a kind at most.
_MOST_SETS = 40

# How many other graphs are tried in a cell where the old side can be computed for no values.
_OTHERS = 4

# How many graphs of a kind are given values in other memory layouts.
_LAID_OUT = 2

# In how many memory layouts there are values of long arrays.
_LONG_LAYOUTS = 12

# In how many memory layouts there are values of short products.
_PRODUCT_LAYOUTS = 5

# How many sets of values there are on long vectors.
_LONG_SETS = 4
# How often so many are added for a kind.
_TRIES_FOR_A_CLAIM = 3

EXAMPLES_FOR_A_CLAIM = 24
"""How many examples are added for a rule or a kind if no example of it could have failed."""

NO_CLAIM = "in no example the class makes a claim on a finite value"


@dataclass
class PlannedExamples:
    """Compares both sides of a law in the cells of its plan.

    Parameters
    ----------
    run
        The comparison of examples, which has all instances of the plan.
    planned
        The instances of the cells.
    random
        The source of randomness.
    prefix
        Stands before the names of the cells: the direction, and the rule if there are several.
    sets
        How many sets of values hold edge values in a second shape, and half of how many memory
        layouts are tried with ordinary values.
    """

    run: ExampleRun
    planned: PlannedInstances
    random: Random
    prefix: str
    sets: int
    _covered: list[str] = field(default_factory=list)
    _not_covered: dict[str, str] = field(default_factory=dict)
    _examples: int = 0

    def compare(self) -> Coverage:
        """Compare examples of all cells, and return what they cover.

        Raises
        ------
        LawViolation
            If one fails.
        """
        indices = {id(instance): i for i, instance in enumerate(self.run.instances)}
        found = {cell: indices[id(v)] for cell, v in self.planned.found.items()}
        turn = 0
        for cell, index in found.items():
            turn += 2
            # the op of one graph may not be defined for what is tried: of a singular matrix, say
            compared = any(
                self._compare_in_cell(i, turn) for i in (index, *self._others(cell, index))
            )
            self._note(str(cell), compared, "the old side can be computed for no values tried")
        for kind in KINDS:
            of_kind = {cell: i for cell, i in found.items() if cell.kind == kind}
            if of_kind:
                self._compare_edges(kind, of_kind)
            # beside others a kind may be where it decides nothing: `0 / (b / y)`
            if any(_is_alone(cell, self.run.instances[i]) for cell, i in of_kind.items()):
                self._require_claim(kind, of_kind)
        self._compare_what_was_built_anew(turn)
        missing = self._missing(found)
        return Coverage(tuple(self._covered), *missing, self._not_covered, self._examples)

    def _compare_in_cell(self, index: int, turn: int) -> bool:
        """Compare the sides of an instance for a few values; return whether one was compared."""
        inputs = self.run.instances[index].inputs
        compared = [self._compare(index, data) for data in few(inputs, self.random, turn)]
        if not any(compared):
            # an op may be defined for positive numbers alone
            compared = [self._compare(index, data) for data in positive(inputs, self.random)]
        return any(compared) or self._compare(index, ascending(inputs))

    def _others(self, cell: Cell, known: int) -> list[int]:
        """Return some instances of the same rule in a cell."""
        instances = self.run.instances
        rule = instances[known].rule
        alike = [i for i, v in enumerate(instances) if v.rule is rule and cell in v.free_cells]
        return [i for i in alike if i != known][:_OTHERS]

    def _compare_what_was_built_anew(self, turn: int) -> None:
        """Compare examples of the instances that are graphs of others over other variables."""
        planned = self.planned
        for branching in planned.branching:
            self._compare_decisions(branching)
        for instance in planned.meeting:
            self._compare_meetings(instance, ())
        for instance in planned.long:
            self._compare_all(instance, layouts(instance.inputs, self.random, _LONG_LAYOUTS))
        for instance in planned.of_products:
            self._compare_all(instance, layouts(instance.inputs, self.random, _PRODUCT_LAYOUTS))
        for instance in planned.variants:
            self._compare_all(instance, few(instance.inputs, self.random, turn))
        for instances, sets in ((planned.numbered, 1), (planned.computed, _MOST_SETS)):
            for instance in instances:
                inputs = instance.inputs
                examples = [*few(inputs, self.random, turn), *sweep(inputs, self.random, sets)]
                self._compare_all(instance, examples)

    def _compare(self, index: int, data: bytes) -> bool:
        before = self.run.statistics.examples
        compared = self.run.examine(index, data)
        self._examples += self.run.statistics.examples - before
        return compared

    def _note(self, name: str, covered: bool, why: str) -> None:
        if covered:
            self._covered.append(self.prefix + name)
        else:
            self._not_covered[self.prefix + name] = why

    def _compare_edges(self, kind: str, found: Mapping[Cell, int]) -> None:
        """Compare the sides on all edge values of a kind, and in all memory layouts."""
        largest = sorted(
            (i for c, i in found.items() if not c.extent.startswith("length")),
            key=lambda i: -self._elements(self.run.instances[i]),
        )
        if not largest or not self._elements(self.run.instances[largest[0]]):
            return
        home, *others = dict.fromkeys(largest)
        inputs = self.run.instances[home].inputs
        compared = [
            self._compare(home, data) for data in list(sweep(inputs, self.random, _MOST_SETS))
        ]
        has_domain = self.run.instances[home].in_domain is not None
        if has_domain or not all(compared):
            # an op, or the law, is not defined for some values: of those it is defined for, each
            compared += [self._compare(home, data) for _input, data in alone(inputs)]
        plainest = self._plainest(found.get(Cell(kind, "rank 2"), home))
        if kind in ("float64", "complex") and not is_elementwise(self.run.instances[home].pair):
            for index in dict.fromkeys([plainest[0], self._broadest(kind, home)]):
                inputs = self.run.instances[index].inputs
                for data in [*one_edge(inputs, self.random), *two_edges(inputs, self.random)]:
                    self._compare(index, data)
        for index in plainest:
            inputs, most = self.run.instances[index].inputs, 2 * self.sets
            for data in layouts(inputs, self.random, most, positive=has_domain):
                self._compare(index, data)
        for index in others:
            for data in sweep(self.run.instances[index].inputs, self.random, self.sets):
                self._compare(index, data)
        self._note(f"{kind}, edge values", any(compared), "the old side can be computed for none")

    def _plainest(self, known: int) -> list[int]:
        """Return the instances of the rule and cell of a known one that have the most inputs where
        its logic variables stand: what an op computes has few layouts, and so have matrices of
        some structure."""
        instance = self.run.instances[known]
        alike = [
            i
            for i, other in enumerate(self.run.instances)
            if other.rule is instance.rule
            and (other.wholly or other.free_cells) == (instance.wholly or instance.free_cells)
        ]
        return sorted(alike, key=lambda i: _restrictions(self.run.instances[i]))[:_LAID_OUT]

    def _broadest(self, kind: str, known: int) -> int:
        """Return the instance of the rule of a known one, and of a kind, that has the most inputs
        where its logic variables stand, and among them arrays."""
        instances, rule = self.run.instances, self.run.instances[known].rule
        alike = [
            i
            for i, v in enumerate(instances)
            if v.rule is rule and {c.kind for c in v.cells} == {kind} and self._elements(v) > 2
        ]
        return min(alike, key=lambda i: _restrictions(instances[i]), default=known)

    def _compare_decisions(self, branching: Branching) -> None:
        """Compare the sides where a law decides between branches.

        On long vectors, near the boundaries of the branches, and at points of each branch as
        numbers and matrices too.
        """
        inputs = branching.long.inputs
        values = list(random_values(inputs, self.random, _LONG_SETS))
        met = [*meetings(inputs, self.random, _LONG_SETS), *values]
        self._compare_meetings(branching.long, met)
        for instance, data in near_boundaries(branching.long, values, self.random):
            self._compare_all(instance, [data])
        points = points_by_branch(branching.long, values)
        for instance in branching.others:
            self._compare_all(instance, at_points(points, instance.inputs))

    def _compare_meetings(self, long: Instance, others: Iterable[bytes]) -> None:
        """Compare the sides on long vectors where edge values of all inputs meet, and others."""
        examples = [*edges_meeting(long.inputs, self.random, _LONG_SETS), *others]
        self._compare_all(long, examples)
        beside = neighbours(long, self.random)
        if beside is not None:
            self._compare_all(beside[0], [beside[1]])

    def _compare_all(self, instance: Instance, values: Iterable[bytes]) -> None:
        index = len(self.run.instances)
        self.run.instances.append(instance)
        for data in values:
            self._compare(index, data)

    def _require_claim(self, kind: str, found: Mapping[Cell, int]) -> None:
        """Note a kind for which the class makes no claim on any example; draw more for it first,
        and then for other graphs of it: the constants of one may be in no domain."""
        statistics, indices = self.run.statistics, list(found.values())
        for turn in range(_TRIES_FOR_A_CLAIM):
            if statistics.is_tested(indices):
                return
            self.run.draw(indices, EXAMPLES_FOR_A_CLAIM)
            if turn == 0:
                more = (i for cell, known in found.items() for i in self._others(cell, known))
                indices = list(dict.fromkeys([*indices, *more]))
        # these classes claim something on nan and infinities too
        total = self.run.sound in ("exact", "rounding", "stable")
        compared = total and not statistics.nonempty.isdisjoint(indices)
        if not statistics.is_tested(indices) and not compared:
            self._not_covered[f"{self.prefix}{kind}"] = NO_CLAIM

    @staticmethod
    def _elements(instance: Instance) -> int:
        return sum(spec.size for spec in instance.inputs if spec.allowed is None)

    def _missing(self, found: Mapping[Cell, int]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the cells that are not admitted, and those that were not found, and why."""
        not_admitted: dict[str, str] = {}
        not_found: dict[str, str] = {}
        kinds, extents = {c.kind for c in found}, {c.extent for c in found}
        for cell in (Cell(kind, extent) for kind in KINDS for extent in EXTENTS):
            if cell in found:
                continue
            refusals = self.planned.refusals.get(cell, Counter())
            suggested = cell.kind in kinds and cell.extent in extents and refusals[BY_CHANCE]
            most = ", ".join(f"{why} ({n} times)" for why, n in refusals.most_common(2))
            where = not_found if suggested else not_admitted
            where[f"{self.prefix}{cell}"] = most or "nothing of its kind is admitted"
        return not_admitted, not_found


def _is_alone(cell: Cell, instance: Instance) -> bool:
    """Return whether all tensors of an instance are in a cell, constants too."""
    return cell.extent != AMONG_OTHERS and instance.cells == {cell}


def _restrictions(instance: Instance) -> tuple[int, int]:
    """Return how many tensors of an instance can't have any elements in any place, and less than 0
    by how many inputs can."""
    any_elements = [spec for spec in instance.inputs if spec.structure is None and spec.size]
    return len(instance.graph.tensors) - len(any_elements), -len(any_elements)
