"""Searches for instances of a rule: instantiates its pattern until the law rewrites the graph.

A graph is built anew over other inputs: of another dtype, to ask whether a law that matches it
admits the dtype; or of another shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.explanation import diagnose
from relgraph.graph.kanren.goals import Compute
from relgraph.graph.kanren.rules import Reason, Rule
from relgraph.graph.kanren.terms import variables_of
from relgraph.graph.notation import number_of, same_number
from relgraph.graph.op import structure
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.testing.instances.input_values import InputSpec, filled, values_of
from relgraph.testing.instances.instance import (
    Cell,
    Direction,
    Instance,
    InstantiatedPattern,
    cells_among,
    checked_instance,
    transformed,
)
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.judge.evaluation import EvaluationError, RewritePair, Values, array_of
from relgraph.testing.random_terms import CannotInstantiate, Parameters, made_by


def retyped(
    graph: InstantiatedPattern, dtypes: tuple[str, ...], dtype: str, only: Variable | None = None
) -> InstantiatedPattern:
    """Return the same graph over inputs and constants of another dtype.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    dtypes
        The dtypes that are replaced. Lengths and indices keep theirs.
    dtype
        The new dtype.
    only
        An input or a constant that alone gets it; None for all inputs and constants of `dtypes`.

    Raises
    ------
    CannotInstantiate
        If a constant has no such value, or an op does not take the dtype.
    """
    leaves: list[Any] = [only]
    if only is None:
        constants = [v for v in _constants(graph) if v.type.dtype in dtypes]
        leaves = [*graph.inputs_in(dtypes), *constants]
    return rebuilt(graph, graph.inputs, {v: _retyped(v, dtype) for v in leaves})


def alone(number: Any, shape: tuple[int, ...]) -> Variable:
    """Return a number as a constant of rank 0, whatever shape the inputs have."""
    return at.constant(number)


def with_axes(number: Any, shape: tuple[int, ...]) -> Variable:
    """Return a number as a constant of as many axes as the inputs, all of length 1.

    What an op makes of such numbers stands beside an input as it is, not behind a DimShuffle.
    """
    return at.constant(np.full((1,) * len(shape), number))


def reshaped(
    graph: InstantiatedPattern, shape: tuple[int, ...], number: Any = alone
) -> InstantiatedPattern:
    """Return the same graph over inputs of a shape. Their types know only the rank, unless a
    number becomes an array of that shape.

    The elements of constants that are no numbers are repeated, in another order each time.

    Parameters
    ----------
    graph
        A graph of ops that work element by element.
    shape
        The shape at run time.
    number
        Returns what a number, an array of rank 0, becomes: `alone`, `with_axes`, or another array.

    Raises
    ------
    CannotInstantiate
        If an op is none of those, or the result has another rank.
    """
    known: dict[Variable, Variable] = {}
    specs = []
    # of an array of a number the type has the lengths, which those of inputs then have to have
    static = (None,) * len(shape) if number in (alone, with_axes) else shape
    for spec in graph.inputs:
        var: Any = spec.var
        if not isinstance(var.type, at.TensorType):
            raise CannotInstantiate(f"{var} is a {var.type}, which has no shape")
        known[var] = at.TensorType(var.type.dtype, static)(var.name)
        specs.append(replace(spec, shape=shape))
    random = np.random.default_rng(len(specs))
    leaves: list[Any] = [*graph.leaves, *graph.tensors, *_constants(graph)]
    for v in leaves:
        value = number_of(v)
        if value is not None:
            known[v] = number(np.asarray(value, v.type.dtype), shape)
        elif isinstance(v, Constant):
            if not np.size(v.data):
                raise CannotInstantiate(f"{v} has no elements to be repeated")
            known[v] = at.constant(random.choice(np.ravel(v.data), shape))
    for node in io_toposort(list(known), _variables(graph)):
        known[node.outputs[0]] = _elementwise(node, [known.get(v, v) for v in node.inputs])
    made = rebuilt(graph, specs, known)
    if made.root.type.ndim != len(shape):
        raise CannotInstantiate(f"the result has {made.root.type.ndim} axes")
    return made


def with_length(
    graph: InstantiatedPattern, length: int, other: int, only: Variable | None = None
) -> InstantiatedPattern:
    """Return the same graph where the axes of one length have another one.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    length
        A length of axes of inputs.
    other
        A smaller one. Where a constant has `length`, it keeps its first elements.
    only
        An input that alone gets it; None for all inputs and constants.

    Raises
    ------
    CannotInstantiate
        If an op does not take that.
    """

    def changed(shape: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([other if n == length else n for n in shape])

    known: dict[Variable, Variable] = {}
    specs = []
    for spec in graph.inputs:
        var: Any = spec.var
        if only is not None and var is not only:
            specs.append(spec)
            continue
        if length in spec.shape and not isinstance(var.type, at.TensorType):
            raise CannotInstantiate(f"{var} is a {var.type}, whose axes keep their lengths")
        if length in spec.shape:
            known[var] = at.TensorType(var.type.dtype, changed(var.type.shape))(var.name)
        specs.append(replace(spec, shape=changed(spec.shape)))
    for v in _constants(graph) if only is None else ():
        if length in np.shape(v.data):
            first = tuple([slice(n) for n in changed(np.shape(v.data))])
            known[v] = at.constant(np.asarray(v.data)[first])
    return rebuilt(graph, specs, known)


def with_input(graph: InstantiatedPattern, v: Any, shape: tuple[int, ...]) -> InstantiatedPattern:
    """Return the same graph with a new input in the place of what an op computes.

    Inputs that nothing reads any more are left out.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    v
        A result in it.
    shape
        Its shape at run time.

    Raises
    ------
    CannotInstantiate
        If an op does not take it.
    """
    new = v.type()
    made = rebuilt(graph, [*graph.inputs, InputSpec(new, shape)], {v: new})
    read = set(graph_inputs(_variables(made)))
    return replace(made, inputs=[spec for spec in made.inputs if spec.var in read])


def with_number(graph: InstantiatedPattern, v: Any, number: Any) -> InstantiatedPattern:
    """Return the same graph with another number in all places of a constant.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    v
        A constant in it.
    number
        A number of its dtype.

    Raises
    ------
    CannotInstantiate
        If an op does not take it.
    """
    # what broadcasts a number of rank 0 is another constant
    alike = [u for u in _constants(graph) if u.type.dtype == v.type.dtype]
    known: dict[Variable, Variable] = {
        u: at.constant(np.full_like(u.data, number))
        for u in (v, *alike)
        if u is v or same_number(number_of(v), number_of(u))
    }
    return rebuilt(graph, graph.inputs, known)


def _elementwise(node: Apply, inputs: list[Variable]) -> Any:
    """Return what the op of a node gives of other inputs, if it works element by element."""
    op: Any = node.op
    if isinstance(op, DimShuffle) and list(op.shuffle) == list(range(op.input_ndim)):
        return inputs[0]
    if not isinstance(op, Elemwise) or len(node.outputs) > 1:
        raise CannotInstantiate(f"{op} is not elementwise")
    return op(*inputs)


def _constants(graph: InstantiatedPattern) -> list[Any]:
    return [v for v in graph_inputs(_variables(graph)) if isinstance(v, Constant)]


def _variables(graph: InstantiatedPattern) -> list[Variable]:
    found = (graph.root, *graph.leaves, *graph.tensors)
    return [v for v in found if isinstance(v, Variable)]


def rebuilt(
    graph: InstantiatedPattern, specs: list[InputSpec], known: dict[Variable, Variable]
) -> InstantiatedPattern:
    """Return a graph with other variables in the place of some: inputs, constants or results.

    Parameters
    ----------
    graph
        A graph that was built for a pattern.
    specs
        The inputs that it then has, those that are replaced as they were.
    known
        For each variable that is replaced the other one.

    Raises
    ------
    CannotInstantiate
        If an op does not take them.
    """
    for node in io_toposort([spec.var for spec in graph.inputs], _variables(graph)):
        if any(v in known for v in node.outputs):
            continue
        made = made_by(node.op.make_node, node.op, [known.get(v, v) for v in node.inputs])
        known.update(zip(node.outputs, made.outputs, strict=True))

    def new(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([new(item) for item in value])
        return known.get(value, value) if isinstance(value, Variable) else value

    return InstantiatedPattern(
        new(graph.root),
        [replace(spec, var=new(spec.var)) for spec in specs],
        [new(v) for v in graph.leaves],
        {v: new(value) for v, value in graph.bindings.items()},
        [new(v) for v in graph.tensors],
    )


def _retyped(v: Any, dtype: str) -> Any:
    """Return an input of another dtype, or a constant of the same numbers, rounded if they are
    floats."""
    if not isinstance(v, Constant):
        return at.TensorType(dtype, v.type.shape)(v.name)
    data = np.asarray(v.data)
    if data.dtype.kind == "c" and np.dtype(dtype).kind != "c" and not data.imag.any():
        data = data.real
    with np.errstate(all="ignore"):
        if not np.can_cast(data.dtype, dtype, "same_kind"):
            is_complex = data.dtype.kind == "c"
            if is_complex or not np.array_equal(data.astype(dtype).astype(data.dtype), data):
                raise CannotInstantiate(f"{v} is no {dtype}")
        return at.constant(data.astype(dtype))


_ATTEMPTS_OF_A_START = 150
# For how many instances of a rule the law's answer is compared with that of the plain relation.
_COMPARED_WITH_PLAIN_RUN = 3


Change = Callable[[InstantiatedPattern], InstantiatedPattern]
"""Returns another graph for the same pattern; raises `CannotInstantiate` if there is none."""


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
    unmatched
        One of those that the law does not match although it admits their types; None if it matches
        all.
    """

    def __init__(
        self, direction: Direction, rule: Rule, random: Random, parameters: Parameters | None = None
    ) -> None:
        self.direction, self.rule = direction, rule
        self.instances: list[Instance] = []
        self.refusals: Counter[str] = Counter()
        self.attempts = 0
        self.unmatched: Variable | None = None
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
        LawViolation
            See `checked_instance`; also if the law raises an error.
        """
        for attempt in range(max_failures):
            if self.instances:
                break
            if attempt % _ATTEMPTS_OF_A_START == 0:
                # failures alone count against the options that were picked most, the right ones too
                self._instantiator.choices.forget()
            self._try()
        for _ in range(40 * count + 400 if self.instances else 0):
            if len(self.instances) >= count:
                break
            self._try()

    def _try(self) -> None:
        """Try a random graph, and note the instance that it is, or why it is none."""
        found = self._match(self._instantiator.instantiate)
        self._instantiator.choices.record_outcome(success=isinstance(found, _Match))
        self.attempts += 1
        if isinstance(found, str):
            self.refusals[found] += 1
        else:
            self._instance(found)

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
        LawViolation
            See `find`.
        """
        instantiator = self._instantiator
        instantiator.cell, instantiator.turn = cell, turn
        found = self._match(instantiator.instantiate)
        instantiator.cell = None
        if isinstance(found, str):
            instantiator.choices.forget_outcome()
            return found
        instance = self._instance(found)
        instantiator.choices.record_outcome(success=cell in instance.free_cells)
        return instance

    def find_like(self, known: Instance, change: Change) -> Instance | str:
        """Try what a change makes of the graph of a known instance; return why it is no instance.

        Raises
        ------
        LawViolation
            See `find`.
        """
        found = self._match(partial(change, known.graph))
        return found if isinstance(found, str) else self._instance(found)

    def rebuilt(self, known: Instance, change: Change) -> list[Instance]:
        """Return the instance of what a change makes of the graph of a known one, if it is one.

        It does not count among `instances`.

        Raises
        ------
        LawViolation
            See `find`.
        """
        found = self._match(partial(change, known.graph))
        if isinstance(found, str):
            return []
        return [checked_instance(self.direction, self.rule, found.graph, found.new, False)]

    def over(self, shape: tuple[int, ...], known: Instance) -> list[Instance]:
        """Return a known instance over inputs of a shape, if its ops work element by element.

        Numbers are of rank 0 if the law admits that; else they have as many axes as the inputs.

        Raises
        ------
        LawViolation
            See `find`.
        """
        found = self.rebuilt(known, partial(reshaped, shape=shape))
        return found or self.rebuilt(known, partial(reshaped, shape=shape, number=with_axes))

    def _match(self, make: Callable[[], InstantiatedPattern]) -> _Match | str:
        """Return a graph that the law rewrites; as text why, if it does not rewrite it."""
        try:
            graph = make()
            new = _rewritten(self.direction, graph)
            if new is not None:
                return _Match(graph, new, _values_in(graph))
        except CannotInstantiate as refusal:
            return str(refusal)
        why = _why_refused(self.direction, self.rule, graph)
        # of inputs alone, which are printed with the axes that an op has added
        refused = why.startswith(_CONDITION) and len(graph.inputs) == len(graph.leaves)
        if self.unmatched is None and (why == BY_CHANCE or refused):
            self.unmatched = graph.root
        return why

    def _instance(self, found: _Match) -> Instance:
        """Return the instance of a graph, which is made and checked if there is none yet."""
        specs = found.graph.inputs
        _, _, graph = structure([spec.var for spec in specs], [found.graph.root])
        key = graph, tuple([spec.shape for spec in specs])
        instance = self._by_graph.get(key)
        if instance is None:
            compare = len(self.instances) < _COMPARED_WITH_PLAIN_RUN
            instance = checked_instance(self.direction, self.rule, found.graph, found.new, compare)
            _note_cells(instance, found.values)
            self._by_graph[key] = instance
            self.instances.append(instance)
        return instance


ITS_DTYPES = "its dtypes"
OTHER_TYPE = "the dtypes of its right side"
BY_CHANCE = "its pattern or a computed value"
"""Why a law does not match a graph whose types it admits: with other values it might."""
_CONDITION = "the condition "

_OF_TYPES = {
    **dict.fromkeys((Reason.DTYPES, Reason.COMPLEX), ITS_DTYPES),
    **dict.fromkeys((Reason.TYPE, Reason.BUILD), OTHER_TYPE),
}


@dataclass
class _Match:
    """A graph, what a law puts in its place, and the values of its variables for some inputs."""

    graph: InstantiatedPattern
    new: Variable
    values: Values


def _note_cells(instance: Instance, values: Values) -> None:
    """Note the cells of the plan that the values of the logic variables are in."""
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
        _values_in(graph)  # a law may raise on a graph that is itself not valid
        why = f"it raises {type(error).__name__}: {error}"
        raise direction.counterexample(why, inputs, graph.root, None) from error


def _why_refused(direction: Direction, rule: Rule, graph: InstantiatedPattern) -> str:
    """Return why a law does not match a graph that was built for one of its rules."""
    rule = getattr(direction.rewriter, "rule", rule)
    failure = None if rule.template is None else diagnose(rule, graph.root).failure
    if failure is None:
        return BY_CHANCE
    if failure.reason is Reason.CONDITION:
        computed = {v for c in rule.conditions if isinstance(c, Compute) for v in c.binds}
        about = variables_of(getattr(failure.wanted, "variables", ()))
        return f"{_CONDITION}{failure.wanted}" if computed.isdisjoint(about) else BY_CHANCE
    return _OF_TYPES.get(failure.reason, BY_CHANCE)


def _values_in(graph: InstantiatedPattern) -> Values:
    """Return the values in a graph for some values of its inputs.

    Raises
    ------
    CannotInstantiate
        If it can't be evaluated.
    """
    inputs = [spec.var for spec in graph.inputs]
    pair = RewritePair(inputs, graph.root, graph.root, ())
    found: Values = {}
    for place in (0, 1):
        values = values_of(graph.inputs, filled(graph.inputs, place))
        try:
            found = pair.run(values)
        except EvaluationError as error:
            kind = str(error).partition(":")[0]
            raise CannotInstantiate(f"its own evaluation, which raises {kind}") from error
    for v in graph.tensors:
        if isinstance(v, Constant):
            found[v] = v.data
    return found
