"""Searches for instances of a rule: instantiates its pattern until the law rewrites the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.kanren.search.match_checks import (
    built_variables,
    computed_among,
    dtypes_admitted,
    fitted,
)
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.traversal import graph_inputs, io_toposort, vars_between
from relgraph.testing.draw.parameters import Parameters
from relgraph.testing.instances.arguments.state import CannotInstantiate, InstantiatedPattern
from relgraph.testing.instances.cells import Cell, cells_among
from relgraph.testing.instances.directions import Direction
from relgraph.testing.instances.input_values import bytes_needed, decode_values
from relgraph.testing.instances.instance import (
    Instance,
    InvalidRewrite,
    checked_instance,
    transformed,
)
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.instances.retyped import alone, reshaped, retyped, with_axes
from relgraph.testing.judge.evaluation import Values, array_of
from relgraph.testing.judge.rewrite_pair import EvaluationError, RewritePair

# At most 3 instances, or a fifth of those wanted, may have the same numbers for the guarded logic
# variables; after 10 attempts for each instance wanted, any number of them may.
_MAX_SAME_NUMBERS = 3
_SAME_NUMBERS_DIVISOR = 5
_ATTEMPTS_FOR_OTHER_NUMBERS = 10
# For how many instances of a rule the law's answer is compared with that of the plain relation.
_COMPARED_WITH_PLAIN_RUN = 3


class InstanceSearch:
    """Searches for instances of one rule, and learns from one try to the next what fits.

    Parameters
    ----------
    direction
        The direction of the law that the rule belongs to.
    rule
        The rule.
    random
        The source of randomness.
    parameters
        Functions that draw parameters of ops, besides `PARAMETERS`.

    Attributes
    ----------
    instances
        The instances found; no two are equal graphs with inputs of equal shapes.
    refusals
        How often each reason ruled out a graph.
    attempts
        How many graphs were tried.
    """

    def __init__(
        self,
        direction: Direction,
        rule: Rule,
        random: Random,
        parameters: Parameters | None = None,
    ) -> None:
        self.direction, self.rule = direction, rule
        self.instances: list[Instance] = []
        self.refusals: Counter[str] = Counter()
        self.attempts = 0
        self._instantiator = PatternInstantiator(rule, random, direction.mixed, parameters)
        self._by_graph: dict[Any, Instance] = {}

    def find(self, count: int, max_failures: int = 600) -> None:
        """Find up to `count` different instances.

        Parameters
        ----------
        count
            How many instances are wanted.
        max_failures
            After how many attempts the search ends if there is no instance yet.

        Raises
        ------
        InvalidRewrite
            See `checked_instance`; also if the law raises an error.
        """
        frequency: Counter[Any] = Counter()
        max_same = max(_MAX_SAME_NUMBERS, count // _SAME_NUMBERS_DIVISOR)
        for attempt in range(40 * count + 400):
            if len(self.instances) >= count or (attempt >= max_failures and not self.instances):
                break
            found = self._attempt()
            numbers = self._instantiator.guarded_numbers()
            if (
                isinstance(found, _Match)
                and frequency[numbers] >= max_same
                and attempt < _ATTEMPTS_FOR_OTHER_NUMBERS * count
            ):
                found = "the wish for other numbers"
            self._instantiator.choices.record_outcome(success=isinstance(found, _Match))
            self.attempts += 1
            if isinstance(found, str):
                self.refusals[found] += 1
            elif self._key(found) not in self._by_graph:
                self._instance(found)
                frequency[numbers] += bool(numbers)

    def find_in(self, cell: Cell, turn: int) -> Instance | str:
        """Try once to find an instance in a cell of the plan; return why there is none.

        Parameters
        ----------
        cell
            The cell. The instance has a graph of its dtype and shape, but may not be in the cell
            all the same.
        turn
            See `Cell.shapes`.

        Raises
        ------
        InvalidRewrite
            See `find`.
        """
        instantiator = self._instantiator
        instantiator.cell, instantiator.turn = cell, turn
        found = self._attempt()
        instantiator.cell = None
        if isinstance(found, str):
            instantiator.choices.forget_outcome()
            return found
        instance = self._instance(found)
        instantiator.choices.record_outcome(success=cell in instance.free_cells)
        return instance

    def find_like(
        self, known: Instance, source: Cell, cell: Cell, turn: int, only: Variable | None
    ) -> Instance | str:
        """Try the graph of a known instance in another dtype; return why it is no instance.

        Parameters
        ----------
        known, source
            The instance, and a cell that it is in.
        cell, turn
            A cell of another kind, and which of its dtypes is taken.
        only
            The input that alone gets another dtype, or None for all inputs and constants.

        Raises
        ------
        InvalidRewrite
            See `find`.
        """
        try:
            dtype = cell.dtypes[turn % len(cell.dtypes)]
            found = self._match(retyped(known.graph, source.dtypes, dtype, only))
        except CannotInstantiate as why:
            return str(why)
        return found if isinstance(found, str) else self._instance(found)

    def rebuilt(
        self, known: Instance, change: Callable[[InstantiatedPattern], InstantiatedPattern]
    ) -> Instance | None:
        """Return the instance of what a change makes of the graph of a known one, or None.

        It does not count among `instances`.

        Raises
        ------
        InvalidRewrite
            See `find`.
        """
        try:
            found = self._match(change(known.graph))
        except CannotInstantiate:
            return None
        if isinstance(found, str):
            return None
        return checked_instance(self.direction, self.rule, found.graph, found.new, False)

    def over(self, shape: tuple[int, ...], known: Instance) -> list[Instance]:
        """Return a known instance over inputs of a shape, if its ops work element by element.

        Numbers are of rank 0 if the law admits that; else they have as many axes as the inputs.

        Raises
        ------
        InvalidRewrite
            See `find`.
        """
        for number in (alone, with_axes):
            found = self.rebuilt(known, partial(reshaped, shape=shape, number=number))
            if found is not None:
                return [found]
        return []

    def _attempt(self) -> _Match | str:
        """Return a graph that the law rewrites, or why what was drawn is none."""
        try:
            graph = self._instantiator.instantiate()
        except CannotInstantiate as why:
            return str(why)
        return self._match(graph)

    def _match(self, graph: InstantiatedPattern) -> _Match | str:
        new = _rewritten(self.direction, graph)
        if new is None:
            return _why_refused(self.rule, graph)
        values = _values_in(graph)
        return values if isinstance(values, str) else _Match(graph, new, values)

    @staticmethod
    def _key(found: _Match) -> Any:
        return fingerprint(found.graph.root), tuple([spec.shape for spec in found.graph.inputs])

    def _instance(self, found: _Match) -> Instance:
        """Return the instance of a graph, which is made and checked if there is none yet."""
        key = self._key(found)
        instance = self._by_graph.get(key)
        if instance is None:
            compare = len(self.instances) < _COMPARED_WITH_PLAIN_RUN
            instance = checked_instance(self.direction, self.rule, found.graph, found.new, compare)
            _note_cells(instance, found.values)
            self._by_graph[key] = instance
            self.instances.append(instance)
        return instance


OTHER_TYPE = "the dtypes of its right side"
BY_CHANCE = "its pattern or a computed value"
"""Why a law does not match a graph whose types it admits: with other values it might."""


@dataclass
class _Match:
    """A graph, what a law puts in its place, and the values of its variables for some inputs."""

    graph: InstantiatedPattern
    new: Variable
    values: Values


def _note_cells(instance: Instance, values: Values) -> None:
    """Note the cells of the plan that what the logic variables stand for is in."""
    graph = instance.graph
    tensors = [v for v in graph.tensors if v in values] or [graph.root]
    unrestricted = {spec.var for spec in graph.inputs if spec.allowed is None}
    free = [v for v in tensors if not unrestricted.isdisjoint(graph_inputs([v]))]
    instance.cells = cells_among([array_of(values[v]) for v in tensors])
    instance.free_cells = cells_among([array_of(values[v]) for v in free])
    if len(instance.cells) == 1 and len(set(free)) == len(tensors):
        (instance.wholly,) = instance.cells


def _rewritten(direction: Direction, graph: InstantiatedPattern) -> Variable | None:
    """Return what the law puts in the place of a graph's root; None if it does not match."""
    inputs = [spec.var for spec in graph.inputs]
    try:
        return transformed(direction.rewriter, graph.root)
    except Exception as error:
        if isinstance(_values_in(graph), str):
            return None  # The graph itself is not valid.
        why = f"it raises {type(error).__name__}: {error}"
        raise InvalidRewrite(why, direction.name, inputs, graph.root, None) from error


def _why_refused(rule: Rule, graph: InstantiatedPattern) -> str:
    """Return why a law does not match a graph that was built for one of its rules."""
    for condition in rule.conditions:
        if not isinstance(condition, Where):
            continue
        values = [graph.bindings.get(v, v) if isvar(v) else v for v in condition.variables]
        if any(isvar(v) for v in values):
            continue
        try:
            if not condition.predicate(*values):
                return f"the condition {condition}"
        except Exception as error:
            return f"the condition {condition}: {type(error).__name__}"
    leaves = {v for v in graph.leaves if isinstance(v, Variable)}
    matched = [graph.root, *computed_among(vars_between(leaves, [graph.root]), leaves)]
    if not dtypes_admitted(matched, rule.one_dtype, rule.complex):
        return "its dtypes"
    return OTHER_TYPE if _changes_type(rule, graph) else BY_CHANCE


def _changes_type(rule: Rule, graph: InstantiatedPattern) -> bool:
    """Return whether the right side has other dtypes than the left one, or can't be built."""
    try:
        new = build(reify(rule.template, graph.bindings))
    except OpenAnswerError:
        return False
    except (TypeError, ValueError, IndexError, OverflowError):
        return True
    built = [graph.root, *built_variables(graph.leaves, new)]
    if not dtypes_admitted(built, rule.one_dtype, rule.complex):
        return True
    return isinstance(new, Variable) and fitted(new, graph.root) is None


def _values_in(graph: InstantiatedPattern) -> Values | str:
    """Return the values in a graph for some values of its inputs, or why it can't be evaluated."""
    inputs = [spec.var for spec in graph.inputs]
    found: Values = {}
    for byte in (b"\0", b"\1"):
        values = decode_values(byte * bytes_needed(graph.inputs), graph.inputs)
        try:
            found = RewritePair(inputs, graph.root, graph.root, ()).run(values)
        except EvaluationError as error:
            return f"its own evaluation, which raises {str(error).partition(':')[0]}"
    for v in graph.tensors:
        if isinstance(v, Constant):
            found[v] = v.data
    return found


def fingerprint(root: Variable) -> Any:
    """Return a hashable value that is equal for two graphs if they are equal.

    Their structure, the types of their variables and the data of their constants count; which
    input variables they have does not.
    """
    numbers: dict[Variable, int] = {}
    parts: list[Any] = []

    def number(v: Variable) -> int:
        if v not in numbers:
            numbers[v] = len(numbers)
            data = v.data.tobytes() if isinstance(v, Constant) else None
            parts.append((v.type, data))
        return numbers[v]

    for node in io_toposort(list(graph_inputs([root])), [root]):
        inputs = tuple([number(v) for v in node.inputs])
        parts.append((node.op, inputs, tuple([number(v) for v in node.outputs])))
    return tuple(parts)
