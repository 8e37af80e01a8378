"""The plan of a check: an instance of a law in each cell that the law admits, and both sides
compared there, on ordinary and on edge values.

A variant of an instance is the same graph with another tensor in one place. Only inputs get unusual
memory layouts. If a guard admits no input, because it admits only numbers or what is never
negative, variants have other memory layouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, product
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation import number_of
from relgraph.scalar.type import FLOATS
from relgraph.testing.instances import edge_values
from relgraph.testing.instances.examples import ExampleRun
from relgraph.testing.instances.input_values import Given, InputSpec
from relgraph.testing.instances.instance import (
    AMONG_OTHERS,
    EXTENTS,
    KINDS,
    LONG,
    Cell,
    Instance,
    InstantiatedPattern,
)
from relgraph.testing.instances.instance_search import (
    BY_CHANCE,
    ITS_DTYPES,
    OTHER_TYPE,
    InstanceSearch,
    rebuilt,
    reshaped,
    retyped,
    with_length,
    with_number,
)
from relgraph.testing.judge.evaluation import combines_elements, decisions_in, is_elementwise
from relgraph.testing.random_arrays import edge_numbers
from relgraph.testing.random_terms import CannotInstantiate

# With fewer graphs it is unknown whether a logic variable is ever an input.
_FEW_GRAPHS = 4
# The number of graphs in which an axis gets length 0.
_EMPTIED = 2
# Functions of an input that guards admit in its place, the one with the most values first.
_FUNCTIONS = (at.abs, at.exp)
# A vector that has room for all edge values, and a shape in which arrays have every order of axes.
_ROOM_FOR_EDGES = (32,)
_THREE_AXES = (3, 2, 2)

# Kinds of all inputs but one, with the dtypes that one is given.
_BESIDE = (
    ("float64", ("float32", "float16", "int64", "int8")),
    ("float32", ("float64", "float16", "int64", "int8")),
    ("float16", ("float64", "float32", "int64", "int8")),
    ("signed", ("float64", "float32", "float16")),
    ("bool", ("float64", "float32", "float16")),
)

# How many constants beside float64 are given other dtypes, and which.
_WITH_CONSTANTS = 4
_OF_CONSTANTS = ("float32", "int64", "uint8")

View = Callable[[Any], Any]


def complex_too(search: InstanceSearch) -> Iterator[Instance]:
    """Yield the instances with inputs of float64, and the same graphs of complex numbers."""
    change = partial(retyped, dtypes=KINDS["float64"], dtype="complex128")
    for home in [i for i in search.instances if any(c.kind == "float64" for c in i.free_cells)]:
        yield from [home, *search.rebuilt(home, change)]


def with_inputs_of_others(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances of float64 with one input or constant of another dtype, each one in turn.

    Of a law about several dtypes also instances of other kinds with one input of another one.
    """
    floats = [i for i in search.instances if i.free_cells and _is_of_kind(i, "float64")]
    constants = [(i, v) for i in floats for v in i.graph.tensors if isinstance(v, Constant)]
    # whole numbers first: they have other dtypes
    constants.sort(key=lambda pair: not np.array_equal(pair[1].data, np.trunc(pair[1].data)))
    for home, constant in constants[:_WITH_CONSTANTS]:
        for dtype in _OF_CONSTANTS:
            yield from search.rebuilt(home, partial(retyped, dtypes=(), dtype=dtype, only=constant))
    for kind, others in _BESIDE if search.direction.mixed else _BESIDE[:1]:
        for home in [i for i in _of_kind(search, kind) if len(i.inputs) > 1][:1]:
            for var in home.graph.inputs_in(KINDS[kind]):
                for dtype in others:
                    change = partial(retyped, dtypes=(), dtype=dtype, only=var)
                    yield from search.rebuilt(home, change)


def with_edge_numbers(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances with each edge value for a logic variable that is always a constant.

    If all ops are elementwise, the inputs are vectors with room for all edge values.
    """
    for v in _always(search, _is_constant_or_number):
        for home in _homes_with_constant(search, v)[:1]:
            constant: Any = home.graph.bindings[v]
            for number in edge_numbers(constant.type.dtype):
                change = partial(with_number, v=constant, number=number)
                yield from _with_room(search, search.rebuilt(home, change))


def with_laid_out_numbers(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances with arrays in the place of numbers, for logic variables that are always
    numbers or constants.

    Their axes have every order in memory, or the first one has stride 0. Only elementwise ops have
    such instances.
    """
    bindings = [instance.graph.bindings for instance in search.instances]
    fixed = [v for v in bindings[0] if all(_is_constant_or_number(b[v]) for b in bindings)]
    homes = [
        i
        for i in (_of_kind(search, "float64") or search.instances if fixed else ())
        if all(_is_number(i.graph.bindings[v]) for v in fixed)
    ]
    for home in sorted(homes, key=lambda i: i.computed)[:1]:
        for number in (_by_columns, _in_another_order, _as_rows):
            yield from search.rebuilt(home, partial(reshaped, shape=_THREE_AXES, number=number))


def with_functions(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances with a function of an input in the place of a result that is never an input.

    The inputs are float64. If all ops are elementwise, they are vectors with room for all edge
    values.
    """
    found = _of_results(search, lambda f, shape: [(shape, f)], ("rank 2", "rank 1"), ("length 1",))
    yield from _with_room(search, found)


def with_nothing(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances where the axes of one length have no elements: of all inputs, as beside a
    column of three rows a row may have none, and of each alone, as what is joined may have."""
    homes = sorted(_of_kind(search, "float64"), key=lambda i: -len(_lengths(i)))
    for home in homes[:_EMPTIED]:
        for length in _lengths(home):
            for only in (None, *(spec.var for spec in home.inputs if length in spec.shape)):
                change = partial(with_length, length=length, other=0, only=only)
                yield from search.rebuilt(home, change)


def _lengths(instance: Instance) -> list[int]:
    """Return the lengths of the axes of the inputs that have several elements."""
    return sorted({n for spec in instance.inputs for n in spec.shape if n > 1})


def with_views(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances with a view of a function of an input in the place of a result that is never
    an input: reversed, transposed, with gaps, with a new axis."""
    yield from _of_results(search, _views, ("rank 2",), ("rank 1",))


def _of_results(
    search: InstanceSearch, views: Any, *extents: tuple[str, ...]
) -> Iterator[Instance]:
    """Yield instances with views in the place of a logic variable that is never an input: one graph
    for each group of extents."""
    for v in _always(search, lambda value: value.owner is not None or isinstance(value, Constant)):
        for among in extents:
            floats = [i for extent in among for i in _of_kind(search, "float64", extent)]
            for home in [i for i in floats if i.graph.bindings[v].owner is not None][:1]:
                yield from _with_views_of(search, home, v, views)


def _with_room(search: InstanceSearch, instances: Iterable[Instance]) -> Iterator[Instance]:
    for instance in instances:
        yield from search.over(_ROOM_FOR_EDGES, instance) or [instance]


def _with_views_of(search: InstanceSearch, home: Instance, v: Any, views: Any) -> list[Instance]:
    """Return instances with views of the first function of an input that a law admits there."""
    tensor = home.graph.bindings[v]
    shape = home.shape_of(tensor)
    for function in () if shape is None else _FUNCTIONS:
        changes = [
            partial(_with_view, v=tensor, shape=of_input, view=view)
            for of_input, view in views(function, shape)
        ]
        made = [i for change in changes for i in search.rebuilt(home, change)]
        if made:
            return made
    return []


def _always(search: InstanceSearch, admitted: Callable[[Any], bool]) -> list[Any]:
    """Return the logic variables for tensors whose values are admitted in all instances."""
    bindings = [instance.graph.bindings for instance in search.instances]
    if len(bindings) < _FEW_GRAPHS:
        return []
    return [
        v
        for v in bindings[0]
        if all(isinstance(b.get(v), Variable) and admitted(b[v]) for b in bindings)
    ]


def _is_constant_or_number(value: Any) -> bool:
    return isinstance(value, Constant) or _is_number(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, Variable):
        return number_of(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_kind(search: InstanceSearch, kind: str, extent: str = "") -> list[Instance]:
    """Return the instances that are wholly of a kind, and of an extent if one is given."""
    cells = [(i, i.wholly) for i in search.instances]
    return [i for i, c in cells if c and c.kind == kind and (not extent or c.extent == extent)]


def _is_of_kind(instance: Instance, kind: str) -> bool:
    """Return whether all tensors of an instance are of a kind, constants too."""
    return {cell.kind for cell in instance.cells} == {kind}


def _homes_with_constant(search: InstanceSearch, v: Any) -> list[Instance]:
    """Return the instances where a logic variable is a constant itself: first those of float64,
    and those of inputs where the other variables stand."""
    homes = [i for i in search.instances if isinstance(i.graph.bindings[v], Constant)]
    floats = [i for i in homes if _is_of_kind(i, "float64")]
    return sorted(floats or homes, key=lambda i: (-len(i.inputs), i.computed, -_numbers_apart(i)))


def _numbers_apart(instance: Instance) -> int:
    """Return how many different numbers the constants are: what another one is divided by shall
    not become another one with it."""
    constants = [v for v in instance.graph.tensors if isinstance(v, Constant)]
    return len({v.data.tobytes() for v in constants})


# -- arrays of one number ------------------------------------------------------------------------


def _by_columns(number: Any, shape: tuple[int, ...]) -> Any:
    return at.constant(np.full(shape, number, number.dtype, order="F"))


def _in_another_order(number: Any, shape: tuple[int, ...]) -> Any:
    """Return an array whose axes lie in memory in neither their own order nor the opposite one."""
    first, second, *others = shape
    return at.constant(np.full((second, first, *others), number).swapaxes(0, 1))


def _as_rows(number: Any, shape: tuple[int, ...]) -> Any:
    """Return a part without the first axis, and a new axis in its place, which has the stride 0."""
    return at.constant(np.full(shape[1:], number)).dimshuffle("x", *range(len(shape) - 1))


# -- views ---------------------------------------------------------------------------------------


def _views(function: Any, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], View]]:
    """Yield for each view of a result of a shape the shape of the input it is made of."""
    if not shape:
        return
    backwards = (slice(None, None, -1),) * len(shape)
    yield shape, lambda x: function(x)[backwards]
    yield (*shape[:-1], 2 * shape[-1]), lambda x: function(x)[..., ::2]
    if len(shape) == 2:
        yield shape[::-1], lambda x: function(x).dimshuffle(1, 0)
        yield shape[1:], lambda x: function(x).dimshuffle("x", 0)


def _with_view(
    graph: InstantiatedPattern, v: Any, shape: tuple[int, ...], view: View
) -> InstantiatedPattern:
    """Return a graph with a view of what an op makes of a new input in the place of a variable."""
    new = at.TensorType(v.type.dtype, (None,) * len(shape))("of_view")
    made = view(new)
    if made.type.dtype != v.type.dtype:
        raise CannotInstantiate(f"{made} has another dtype than {v}")
    return rebuilt(graph, [*graph.inputs, InputSpec(new, shape)], {v: made})


# After how many random graphs for a cell it is tried at another rank.
_TRIES_IN_TURN = 4
# How often for a rank or a length that no kind has, of a law that few random graphs match.
_MOST_TRIES = 300
# After how many random graphs that were all refused for their dtypes no more are drawn.
_FOR_DTYPES = 8
# How many graphs known for a rank or length are tried in another dtype, and in how many cells of a
# kind all of them are refused for their types, or random ones tried in vain, before the kind counts
# as not admitted.
_RETYPED = 3
_CELLS_REFUSED = 2
# The shape of the vectors on which a law decides between branches, and how many graphs are tried.
_LONG = (700,)
_RESHAPED = 3
# Of graphs over long arrays: the kinds, how many elements an input has at least, and how many of a
# rule are taken.
_LONG_KINDS = ("float64", "float32", "complex")
_MANY = 200
_MOST_LONG = 4
VARIANTS = (with_inputs_of_others, with_laid_out_numbers, with_nothing, with_views)
# The other shapes in which the same graph is tried.
_OTHER_SHAPES = ((), (8, 8))


class InstancePlanner:
    """Looks for instances in the cells of the plan.

    What the law does not admit is found out by asking it a bounded number of times. Graphs that it
    matches are built anew in another dtype of the plan: where it refuses each of these, an op or a
    guard of its types does. Ranks and lengths come from random graphs. They are tried more often,
    the rarer the graphs that the law matches are.

    Parameters
    ----------
    searches
        The searches for instances of the rules, at least one; the cells are spread over them.
    tries
        How many random graphs are tried for a cell that may be admitted, at most.

    Attributes
    ----------
    found
        An instance for each cell that has one.
    refusals
        For each other cell the reasons why the graphs that were tried are no instances.
    """

    def __init__(self, searches: Sequence[InstanceSearch], tries: int) -> None:
        self.searches, self.tries = searches, tries
        self.found: dict[Cell, Instance] = {}
        self.refusals: dict[Cell, Counter[str]] = {}

    def run(self) -> InstancePlanner:
        """Look for an instance in each cell, and return the planner.

        Raises
        ------
        LawViolation
            See `InstanceSearch.find`.
        """
        for extent in EXTENTS:
            if not any(self._is_suited(Cell(kind, extent)) for kind in KINDS):
                kinds = Counter(cell.kind for v in self._instances() for cell in v.free_cells)
                usual = kinds.most_common(1)[0][0] if kinds else "float64"
                # after so many graphs the law would have matched some
                attempts = sum(search.attempts for search in self.searches)
                least = 3 * attempts // max(len(list(self._instances())), 1)
                tries = max(self.tries, min(_MOST_TRIES, least))
                self._draw(Cell(usual, extent), 0, tries)
        for turn, kind in enumerate(KINDS):
            self._find_kind(kind, turn)
        return self

    def _find_kind(self, kind: str, turn: int) -> None:
        """Look for instances in the cells of a kind, until some cells show that it has none."""
        refused = in_vain = 0
        for cell in [Cell(kind, extent) for extent in EXTENTS]:
            has_some = any(c.kind == kind for c in self.found)
            if refused == _CELLS_REFUSED and not has_some:
                return
            if not self._is_suited(cell):
                self._retype(cell)
            if self._has_best(cell):
                continue
            refusals = self.refusals[cell]
            if refusals and not any(why == BY_CHANCE or " is no " in why for why in refusals):
                # by types alone; a law may be about several ops, of which one graph has one
                refused += refusals.total() >= _RETYPED
                continue
            promising = any(c.extent == cell.extent for v in self._instances() for c in v.cells)
            if promising and (has_some or in_vain < _CELLS_REFUSED):
                self._draw(cell, turn, self.tries)
                in_vain += not self._has_best(cell)

    def _is_suited(self, cell: Cell) -> bool:
        return any(instance.suits(cell) for instance in self._instances())

    def _has_best(self, cell: Cell) -> bool:
        """Note the best instance of a cell; return whether there is one.

        The best is wholly in it. Else it is one with an input in it, or only a constant.
        """
        best = max(
            self._instances(),
            key=lambda i: (i.suits(cell), cell in i.free_cells, cell in i.cells),
            default=None,
        )
        if best is None or cell not in best.cells:
            return False
        self.found[cell] = best
        self.refusals.pop(cell, None)
        return True

    def _instances(self) -> Iterator[Instance]:
        for search in self.searches:
            yield from search.instances

    def _draw(self, cell: Cell, turn: int, tries: int) -> None:
        """Draw graphs for a cell until one suits it, or several are refused for their dtypes."""
        refusals = self.refusals.setdefault(cell, Counter())
        drawn: list[Instance | str] = []
        for attempt, search in zip(range(tries), cycle(self.searches), strict=False):
            # by turns a vector and a matrix of the same lengths
            found = search.find_in(cell, turn + attempt // _TRIES_IN_TURN)
            drawn.append(found)
            if isinstance(found, str):
                refusals[found] += 1
            elif found.suits(cell):
                return
            if attempt == _FOR_DTYPES - 1 and all(map(_is_about_dtypes, drawn)):
                return

    def _retype(self, cell: Cell) -> None:
        """Try the graphs known for an extent in another dtype until one is wholly in a cell.

        All inputs and constants of the dtype get the other one, or to stand beside it one input.
        """
        refusals = self.refusals.setdefault(cell, Counter())
        tries = 0
        for search in self.searches:
            for instance in sorted(search.instances, key=lambda v: v.wholly is None):
                alone = cell.extent != AMONG_OTHERS
                sources = [c for c in instance.free_cells if not alone or c.extent == cell.extent]
                dtypes = KINDS[sources[0].kind] if sources else ()
                inputs = instance.graph.inputs_in(dtypes)
                if len(inputs) < 2 - alone:
                    continue
                only = None if alone else inputs[tries % len(inputs)]
                dtype = KINDS[cell.kind][tries % len(KINDS[cell.kind])]
                change = partial(retyped, dtypes=dtypes, dtype=dtype, only=only)
                found = search.find_like(instance, change)
                tries += 1
                if isinstance(found, str):
                    refusals[found] += 1
                if tries == _RETYPED or (isinstance(found, Instance) and cell in found.cells):
                    return


def _is_about_dtypes(found: Instance | str) -> bool:
    """Return whether a graph was refused for its dtypes, or for a number that its dtype lacks."""
    return isinstance(found, str) and (found in (ITS_DTYPES, OTHER_TYPE) or " is no " in found)


Examples = Iterator[tuple[Instance, Iterable[Given]]]
"""Instances that are graphs of others over other variables, and values for each of them."""


def other_examples(
    searches: Sequence[InstanceSearch], random: Random, turn: int, tries: int, bits: bool
) -> Examples:
    """Yield instances beside those of the cells, and values for each of them.

    These are vectors on which a law decides between branches, or on which edge values of its inputs
    meet; instances with an input of another dtype, with other memory layouts of what is no input,
    and with axes of length 0 beside longer ones; graphs with each edge value where a logic variable
    is always a constant, and with a function of an input where it is never an input.

    Of a law that claims each bit there are long arrays too, unless it works element by element: in
    what order elements are combined depends on lengths and on memory layouts. If some of its ops
    combine elements, there are graphs of float64 in several layouts, and the same of complex
    numbers: NumPy rounds a single product of these in another way.

    Parameters
    ----------
    searches
        The searches for instances of the rules.
    random
        The source of randomness.
    turn
        Which memory layout is the first.
    tries
        How many random graphs are tried for long arrays.
    bits
        Whether the law claims each bit.
    """
    for kind in FLOATS:
        branching = branches(searches, kind)
        if branching:
            yield from at_decisions(branching[0], branching[1:], random)
        else:
            for long in over_long_vectors(searches, kind):
                yield long, at_meetings(long.inputs, random)
    for search in searches:
        if bits and not all(is_elementwise(instance.pair) for instance in search.instances):
            for instance in _over_long_arrays(search, tries):
                yield instance, edge_values.layouts(instance.inputs, random, _LONG_LAYOUTS)
        if bits and any(combines_elements(instance.pair) for instance in search.instances):
            for instance in complex_too(search):
                yield instance, edge_values.layouts(instance.inputs, random, _PRODUCT_LAYOUTS)
        # which zero a minimum of several is depends on all of them
        for instance in search.instances if bits else ():
            yield instance, [edge_values.zeros(instance.inputs, random)]
        for variants in VARIANTS:
            for instance in variants(search):
                yield instance, edge_values.few(instance.inputs, random, turn)
        for found, sets in ((with_edge_numbers(search), 1), (with_functions(search), _MOST_SETS)):
            for instance in found:
                swept = edge_values.sweep(instance.inputs, random, sets)
                yield instance, [*edge_values.few(instance.inputs, random, turn), *swept]


def branches(searches: Sequence[InstanceSearch], kind: str) -> list[Instance]:
    """Return one graph of a kind on which a law decides between branches, if there is any: over
    long vectors first, then over numbers and matrices."""
    for search in searches:
        deciding = [v for v in _of_kind(search, kind) if decisions_in(v.pair)]
        deciding.sort(key=lambda v: (v.computed, len(v.inputs)))
        for instance in deciding[:_RESHAPED]:
            long = search.over(_LONG, instance)
            if long:
                return [*long, *(v for s in _OTHER_SHAPES for v in search.over(s, instance))]
    return []


def over_long_vectors(searches: Sequence[InstanceSearch], kind: str) -> list[Instance]:
    """Return the graph of a kind with the most inputs over long vectors, if it has several."""
    several = [(i, s) for s in searches for i in _of_kind(s, kind) if len(i.inputs) > 1]
    several.sort(key=lambda pair: (-len(pair[0].inputs), pair[0].computed))
    for instance, search in several[:_RESHAPED]:
        long = search.over(_LONG, instance)
        if long:
            return long
    return []


def _over_long_arrays(search: InstanceSearch, tries: int) -> list[Instance]:
    """Return graphs of a rule over long arrays."""
    found: dict[int, Instance] = {}
    for kind, turn in product(_LONG_KINDS, range(tries)):
        instance = search.find_in(Cell(kind, LONG), turn)
        if isinstance(instance, Instance) and any(s.size >= _MANY for s in instance.inputs):
            found[id(instance)] = instance
    by_inputs = sorted(found.values(), key=lambda instance: instance.computed)
    return by_inputs[:_MOST_LONG]


def at_decisions(long: Instance, others: Sequence[Instance], random: Random) -> Examples:
    """Yield examples where a law decides between branches: on long vectors, near the boundaries of
    the branches, and at points of each branch as numbers and matrices too."""
    inputs = long.inputs
    values = list(edge_values.random_values(inputs, random, _LONG_SETS))
    near = edge_values.near_boundaries(long, values, random)
    others_met = [*edge_values.meetings(inputs, random, _LONG_SETS), *values, *near]
    yield long, [*at_meetings(inputs, random), *others_met]
    points = edge_values.points_by_branch(long, values)
    for instance in others:
        yield instance, edge_values.at_points(points, instance.inputs)


def at_meetings(inputs: Sequence[InputSpec], random: Random) -> Iterator[Given]:
    """Yield values of long vectors where edge values of all inputs meet."""
    yield from edge_values.edges_meeting(inputs, random, _LONG_SETS)
    yield from edge_values.neighbours(inputs, random)


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
        The instances of the cells, and the searches that they are from.
    random
        The source of randomness.
    prefix
        Stands before the names of the cells: the direction, and the rule if there are several.
    sets
        How many sets of values hold edge values in a second shape, and half of how many memory
        layouts are tried with ordinary values.
    """

    run: ExampleRun
    planned: InstancePlanner
    random: Random
    prefix: str
    sets: int

    def compare(self) -> None:
        """Compare examples of all cells.

        Raises
        ------
        LawViolation
            If one fails.
        """
        planned, turn = self.planned, 0
        for cell, instance in planned.found.items():
            turn += 2
            # the op of one graph may not be defined for what is tried: of a singular matrix, say
            alike = (instance, *self._others(cell, instance))
            compared = any(self._compare_in_cell(i, turn) for i in alike)
            self._note(str(cell), compared, "the old side can be computed for no values tried")
        for kind in KINDS:
            of_kind = {cell: i for cell, i in planned.found.items() if cell.kind == kind}
            if of_kind:
                self._compare_edges(kind, of_kind)
            # beside others a kind may be where it decides nothing: `0 / (b / y)`
            if any(c.extent != AMONG_OTHERS and i.cells == {c} for c, i in of_kind.items()):
                self._require_claim(kind, of_kind)
        bits = self.run.sound == "exact"
        others = other_examples(planned.searches, self.random, turn, planned.tries, bits)
        for instance, values in others:
            self._compare(instance, values)
        self._note_missing()

    def _compare_in_cell(self, instance: Instance, turn: int) -> bool:
        """Compare the sides of an instance for a few values; return whether one was compared."""
        inputs = instance.inputs
        compared = self._compare(instance, edge_values.few(inputs, self.random, turn))
        if not any(compared):
            # an op may be defined for positive numbers alone
            compared = self._compare(instance, edge_values.positive(inputs, self.random))
        return any(compared) or any(self._compare(instance, [edge_values.ascending(inputs)]))

    def _alike(self, known: Instance) -> list[Instance]:
        """Return the instances of the rule of a known one."""
        return [i for i in self.run.instances if i.rule is known.rule]

    def _others(self, cell: Cell, known: Instance) -> list[Instance]:
        """Return some instances of the same rule in a cell."""
        alike = [i for i in self._alike(known) if cell in i.free_cells and i is not known]
        return alike[:_OTHERS]

    def _compare(self, instance: Instance, values: Iterable[Given]) -> list[bool]:
        """Compare the sides of an instance for some values; say for each whether that was done."""
        before = self.run.examples
        try:
            return [self.run.examine(instance, given) for given in values]
        finally:
            self.run.coverage.examples += self.run.examples - before

    def _note(self, name: str, covered: bool, why: str) -> None:
        if covered:
            self.run.coverage.covered.append(self.prefix + name)
        else:
            self.run.coverage.not_covered[self.prefix + name] = why

    def _compare_edges(self, kind: str, found: Mapping[Cell, Instance]) -> None:
        """Compare the sides on all edge values of a kind, and in all memory layouts."""
        largest = sorted(
            (i for c, i in found.items() if not c.extent.startswith("length")),
            key=lambda i: -_elements(i),
        )
        if not largest or not _elements(largest[0]):
            return
        home, *others = dict.fromkeys(largest)
        compared = self._compare(home, edge_values.sweep(home.inputs, self.random, _MOST_SETS))
        has_domain = home.in_domain is not None
        if has_domain or not all(compared):
            # an op, or the law, is not defined for some values: of those it is defined for, each
            compared += self._compare(home, edge_values.alone(home.inputs))
        plainest = self._plainest(found.get(Cell(kind, "rank 2"), home))
        if kind in ("float64", "complex") and not is_elementwise(home.pair):
            for instance in dict.fromkeys([plainest[0], self._broadest(kind, home)]):
                self._compare(instance, edge_values.one_edge(instance.inputs, self.random))
                self._compare(instance, edge_values.two_edges(instance.inputs, self.random))
        for instance in plainest:
            laid_out = edge_values.layouts(instance.inputs, self.random, 2 * self.sets, has_domain)
            self._compare(instance, laid_out)
        for instance in others:
            self._compare(instance, edge_values.sweep(instance.inputs, self.random, self.sets))
        self._note(f"{kind}, edge values", any(compared), "the old side can be computed for none")

    def _plainest(self, known: Instance) -> list[Instance]:
        """Return the instances of the rule and cell of a known one that have the most inputs where
        its logic variables stand: what an op computes has few layouts, and so have matrices of
        some structure."""
        cell = known.wholly or known.free_cells
        alike = [i for i in self._alike(known) if (i.wholly or i.free_cells) == cell]
        return sorted(alike, key=_restrictions)[:_LAID_OUT]

    def _broadest(self, kind: str, known: Instance) -> Instance:
        """Return the instance of the rule of a known one, and of a kind, that has the most inputs
        where its logic variables stand, and among them arrays."""
        of_kind = [i for i in self._alike(known) if {c.kind for c in i.cells} == {kind}]
        arrays = [i for i in of_kind if _elements(i) > 2]
        return min(arrays, key=_restrictions, default=known)

    def _require_claim(self, kind: str, found: Mapping[Cell, Instance]) -> None:
        """Note a kind for which the class makes no claim on any example; draw more for it first,
        and then for other graphs of it: the constants of one may be in no domain."""
        run, instances = self.run, list(found.values())
        for turn in range(_TRIES_FOR_A_CLAIM):
            if run.is_tested(instances):
                return
            run.draw(instances, EXAMPLES_FOR_A_CLAIM)
            if turn == 0:
                more = (i for cell, known in found.items() for i in self._others(cell, known))
                instances = list(dict.fromkeys([*instances, *more]))
        # these classes claim something on nan and infinities too
        total = run.sound in ("exact", "rounding", "stable")
        compared = total and not run.nonempty.isdisjoint(instances)
        if not run.is_tested(instances) and not compared:
            self._note(kind, False, NO_CLAIM)

    def _note_missing(self) -> None:
        """Note the cells that are not admitted, and those that were not found, and why."""
        found, coverage = self.planned.found, self.run.coverage
        kinds, extents = {c.kind for c in found}, {c.extent for c in found}
        for cell in (Cell(kind, extent) for kind in KINDS for extent in EXTENTS):
            if cell in found:
                continue
            refusals = self.planned.refusals.get(cell, Counter())
            suggested = cell.kind in kinds and cell.extent in extents and refusals[BY_CHANCE]
            most = ", ".join(f"{why} ({n} times)" for why, n in refusals.most_common(2))
            where = coverage.not_found if suggested else coverage.not_admitted
            where[f"{self.prefix}{cell}"] = most or "nothing of its kind is admitted"


def _elements(instance: Instance) -> int:
    return sum(spec.size for spec in instance.inputs if spec.allowed is None)


def _restrictions(instance: Instance) -> tuple[int, int]:
    """Return how many tensors of an instance can't have any elements in any place, and less than 0
    by how many inputs can."""
    any_elements = [spec for spec in instance.inputs if spec.structure is None and spec.size]
    return len(instance.graph.tensors) - len(any_elements), -len(any_elements)
