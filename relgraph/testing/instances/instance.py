"""An instance of a law: a graph that it matches, and the replacement.

An instance belongs to one direction of the law. It is drawn for a pattern, and lies in cells of the
plan of a check: a kind of dtype with a rank or a length. Each kind is checked at each rank, at each
length and beside other kinds; the kinds take turns in the rank at which they have lengths 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from unification.core import reify

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.goals import Where, with_goals_of_variables
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.kanren.state import SearchBudgetError
from relgraph.graph.kanren.terms import OpenAnswerError, build, has_calls, variables_of
from relgraph.graph.opt.base import replaced
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations, graph_inputs, io_toposort
from relgraph.scalar.type import BOOL, COMPLEXES, FLOATS, INTS, UINTS
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.testing.check_result import Counterexample
from relgraph.testing.instances.input_values import InputSpec, filled, values_of
from relgraph.testing.judge.evaluation import RewritePair
from relgraph.testing.random_terms import patterns_sought

KINDS: dict[str, tuple[str, ...]] = {
    "float64": ("float64",),
    "float32": ("float32",),
    "float16": ("float16",),
    "signed": ("int8", "int64", "int32", "int16"),
    "unsigned": ("uint8", "uint64", "uint32", "uint16"),
    "bool": BOOL,
    "complex": ("complex128", "complex64"),
}
"""The dtypes of each kind. Each float is a kind of its own: they differ in how soon they overflow
and in what NumPy computes in a wider dtype."""

_KIND_OF = {dtype: kind for kind, dtypes in KINDS.items() for dtype in dtypes}
assert set(_KIND_OF) == {*BOOL, *INTS, *UINTS, *FLOATS, *COMPLEXES}

AMONG_OTHERS = "among others"
"""The extent of a tensor, of any shape, that stands beside tensors of other kinds."""

EXTENTS = ("rank 1", "rank 2", "rank 0", "length 1", "length 0", AMONG_OTHERS)
"""The ranks and lengths that each kind is checked at, where all tensors are of the kind. At
``rank 1`` and ``rank 2`` all axes are longer than 1; at ``length 0`` an axis has no elements, at
``length 1`` one has 1 and none has 0."""

LONG = "long"
"""An extent outside of the plan, of arrays that kernels go through in blocks: sums of 8 and of 128
terms are NumPy's, and products of some 16."""

_SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "rank 0": ((),),
    "rank 1": ((16,), (7,), (2,), (3,)),
    "rank 2": ((4, 3), (3, 3), (2, 3), (3, 4), (2, 2)),
    LONG: ((24, 21), (300,), (20, 20)),
}
# By the rank at which they are tried.
_LENGTH_0 = {1: ((0,),), 2: ((0, 2), (2, 0), (0, 0))}
_LENGTH_1 = {1: ((1,),), 2: ((1, 3), (3, 1), (1, 1))}


@dataclass(frozen=True)
class Cell:
    """A kind of dtype with a rank or a length.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    extent
        One of `EXTENTS`, `LONG`, or another rank.
    """

    kind: str
    extent: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.extent}"

    def shapes(self, turn: int) -> Sequence[tuple[int, ...]]:
        """Return the run-time shapes to try; `turn` says at which rank if any will do."""
        known = _SHAPES.get(self.extent)
        if known is not None:
            return known
        if self.extent == AMONG_OTHERS:
            return _SHAPES[EXTENTS[turn % 2]]
        by_rank = _LENGTH_0 if self.extent == "length 0" else _LENGTH_1
        return by_rank[1 + turn % 2]


def extent_of(shape: Sequence[int]) -> str:
    """Return which of `EXTENTS` a run-time shape is; ``rank 3`` and so on for other ranks."""
    if 0 in shape:
        return "length 0"
    if 1 in shape:
        return "length 1"
    return f"rank {len(shape)}"


def cells_among(values: Iterable[Any]) -> frozenset[Cell]:
    """Return the cells that the tensors of one graph are in, given by their values."""
    found = {(_KIND_OF[value.dtype.name], extent_of(value.shape)) for value in values}
    several = len({kind for kind, _ in found}) > 1
    return frozenset(Cell(kind, AMONG_OTHERS if several else extent) for kind, extent in found)


@dataclass
class InstantiationState:
    """The variables drawn for one pattern so far, and the decisions that hold for all of them.

    Attributes
    ----------
    inputs
        The inputs drawn.
    leaves
        The values of the logic variables and numbers of the pattern.
    bindings
        The value of each logic variable that has one.
    dtype
        The dtype of most arguments.
    base_shape
        The shape of most arguments.
    shape_relation
        How the other shapes are related to it: an option of `_SHAPES`.
    static_lengths
        Which lengths the types of inputs know: an option of `_STATIC`.
    outputs
        The outputs of each node that several parts of the pattern name an output of, by its op and
        inputs.
    constant_lengths
        Whether all lengths of axes are constants.
    lengths_of_axes
        The lengths that axes with names may have.
    lengths
        The lengths of the axes that have a name, by their names; None for those left out.
    """

    inputs: list[InputSpec] = field(default_factory=list)
    leaves: list[Variable] = field(default_factory=list)
    bindings: dict[Any, Any] = field(default_factory=dict)
    dtype: str = "float64"
    base_shape: tuple[int, ...] = ()
    shape_relation: str = "same"
    static_lengths: str = "open"
    outputs: dict[Any, Any] = field(default_factory=dict)
    constant_lengths: bool = False
    lengths_of_axes: tuple[int, ...] = (3, 2, 4, 1)
    lengths: dict[str, int | None] = field(default_factory=dict)


@dataclass
class InstantiatedPattern:
    """A graph that a pattern matches.

    Attributes
    ----------
    root
        The variable that the pattern matches.
    inputs
        The inputs of the graph.
    leaves
        The values of the logic variables and numbers of the pattern, and arguments of sums and
        products that it does not mention.
    bindings
        The value of each logic variable.
    tensors
        The values of logic variables for tensors; not lengths, indices or conditions, nor what the
        rule computes.
    """

    root: Variable
    inputs: list[InputSpec]
    leaves: list[Variable]
    bindings: dict[Any, Any]
    tensors: list[Variable]

    def inputs_in(self, dtypes: Sequence[str]) -> list[Any]:
        """Return the inputs of some dtypes that may have any values."""
        free = [spec.var for spec in self.inputs if spec.allowed is None]
        return [v for v in free if v.type.dtype in dtypes]


@dataclass
class Direction:
    """One direction of a law.

    Attributes
    ----------
    law
        The law or relation.
    name
        ``forward`` or ``backward``.
    sound
        The soundness class that is checked.
    rewriter, inverse
        The local optimizers of this direction and of the other one; `inverse` is None if the other
        direction does not exist or claims nothing.
    rules
        The rules of the relation, or patterns to try an open relation on.
    """

    law: Relation
    name: str
    sound: str
    rewriter: Any
    inverse: Any
    rules: Sequence[Rule]

    @property
    def mixed(self) -> bool:
        """Whether its pattern may match several dtypes at a time."""
        return bool(getattr(self.law, "mixed", True))

    def counterexample(
        self, why: str, inputs: Sequence[Variable], old: Any, new: Any, **details: Any
    ) -> LawViolation:
        """Return the error that a law does not keep its claim; see `Counterexample`."""
        claim = self.law.name, algebra_of(self.law), self.sound, self.name
        return LawViolation(Counterexample(*claim, why, inputs, old, new, **details))


class LawViolation(Exception):
    """An example for which a law does not keep what its soundness class claims."""

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.why)
        self.counterexample = counterexample


def algebra_of(law: Relation) -> str:
    """Return a law as text: a relation by the first line of its docstring."""
    if isinstance(law, Law):
        return str(law)
    text = law.goal.__doc__ or ""
    return text.strip().partition("\n")[0] or f"the relation {law.name}"


def direction_of(
    law: Relation,
    name: str,
    patterns: Sequence[Any] = (),
    sound: str | None = None,
) -> Direction | None:
    """Return one direction of a law, or None if it does not exist.

    Parameters
    ----------
    law
        The law or relation.
    name
        ``forward`` or ``backward``. An open relation has no direction backward.
    patterns
        The terms to try an open relation on; by default its `tries`, or the patterns that its goal
        requires of a node.
    sound
        The soundness class that is checked; by default the one that the law claims.
    """
    extraction = law.extraction(name)
    if extraction.status == "none":
        return None
    sound = law.sound if sound is None else sound
    optimizers: Any = law
    rules: Sequence[Rule] = extraction.rules
    if isinstance(law, Law):
        rules = (getattr(optimizers, name).rule,)
        side = law.lhs if name == "forward" else law.rhs
        if has_calls(side):  # what calls make is drawn by calling
            rules = (Rule(law.name, side, None, law.conditions),)
        if law.tries and name == "forward":
            rules = _tried(law, law.tries)
    if not rules:
        if name == "backward":
            return None
        rules = _tried(law, patterns or law.tries or patterns_sought(law.goal))
    other = "backward" if name == "forward" else "forward"
    both = sound != "stable" and law.extraction(other).status == "closed"
    inverse = getattr(optimizers, other) if both else None
    return Direction(law, name, sound, getattr(optimizers, name), inverse, rules)


def _tried(law: Relation, patterns: Iterable[Any]) -> list[Rule]:
    """Return for each term that a law is tried on a rule with what holds of the variables in it."""
    return [Rule(law.name, p, None, with_goals_of_variables((), p)) for p in patterns]


@dataclass(eq=False)
class Instance:
    """A graph that a law matches.

    Attributes
    ----------
    pair
        The graph, and the one that the law puts in its place.
    inputs
        The inputs of both.
    rule
        The rule whose pattern the graph was built for.
    direction
        The direction of the law.
    graph
        How the graph was built for the pattern.
    round_trip
        The graph, and what the other direction makes of its replacement; None if that does not
        match, or gives the graph again.
    in_domain
        Says for the values of all variables whether they lie in the domain of the law; None if it
        has no domain.
    cells
        The cells of the plan that the values of its logic variables are in.
    free_cells
        Those of them that something computed from inputs of any values is in.
    wholly
        The cell that all of it is in, if all logic variables have different values, computed from
        inputs of any values.
    """

    pair: RewritePair
    inputs: list[InputSpec]
    rule: Rule
    direction: Direction
    graph: InstantiatedPattern
    round_trip: RewritePair | None = None
    in_domain: Callable[[Any], bool] | None = None
    cells: frozenset[Cell] = frozenset()
    free_cells: frozenset[Cell] = frozenset()
    wholly: Cell | None = None

    def suits(self, cell: Cell) -> bool:
        """Return whether no instance is better for a cell: all of it is in the cell, or where it
        stands beside other kinds something computed from inputs of any values."""
        return cell in self.free_cells if cell.extent == AMONG_OTHERS else self.wholly == cell

    @property
    def computed(self) -> int:
        """How many values of logic variables are computed by an op."""
        owners = [v.owner for v in self.graph.tensors]
        return sum(node is not None and not isinstance(node.op, Assume) for node in owners)

    @property
    def reading_size(self) -> int:
        """A measure of how much there is to read; a constant counts more than an input."""
        nodes = io_toposort(self.pair.inputs, [self.pair.old])
        constants = {v for node in nodes for v in node.inputs if isinstance(v, Constant)}
        size = sum(3 * max(int(v.data.size), 1) for v in constants)
        return size + sum(spec.size + 1 for spec in self.inputs) + 2 * len(nodes)

    def shape_of(self, v: Variable) -> tuple[int, ...] | None:
        """Return the shape of a variable at run time, or None if the matched graph lacks it: a
        nested sum may be one.

        Raises
        ------
        EvaluationError
            If the graph can't be computed of zeros.
        """
        # without the new side: that of a wrong law may raise an error
        zeros = values_of(self.inputs, filled(self.inputs))
        values = self.pair.run_old(zeros)
        return np.shape(values[v]) if v in values else None


def transformed(rewriter: Any, root: Variable, plainly: bool = False) -> Variable | None:
    """Return what a local optimizer puts in the place of `root`; None if it does not match.

    If `plainly` is set, its relation is run on the node, which is what its rules mean.
    """
    node = root.owner
    if node is None:
        return None
    fgraph = None
    if len(node.outputs) > 1:
        fgraph = FunctionGraph(list(graph_inputs([root])), [root], clone=False)
    transform = rewriter.search if plainly else rewriter.transform
    with np.errstate(all="ignore"):  # a number of the law may be too large for the dtype
        return replaced(node, transform(fgraph, node)).get(root)


def checked_instance(
    direction: Direction,
    rule: Rule,
    graph: InstantiatedPattern,
    new: Variable,
    compare_with_plain_run: bool,
) -> Instance:
    """Return an instance of a law, after checks that need no values.

    Parameters
    ----------
    direction
        The direction of the law.
    rule
        The rule whose pattern `graph` was built for.
    graph
        The graph that the law matches.
    new
        What the law puts in the place of its root.
    compare_with_plain_run
        Whether to compare `new` with the first answer of a plain run of the relation.

    Raises
    ------
    LawViolation
        If the type changes, the new graph has other inputs, or a plain run gives another answer.
    """
    old = graph.root
    inputs = [spec.var for spec in graph.inputs]

    def wrong(why: str) -> LawViolation:
        return direction.counterexample(why, inputs, old, new)

    same = getattr(old.type, "broadcastable", None) == getattr(new.type, "broadcastable", None)
    if not same or not old.type.is_super(new.type):
        raise wrong(f"the type changes from {old.type} to {new.type}")
    known = set(inputs)
    for v in graph_inputs([new]):
        if v not in known and not isinstance(v, Constant):
            raise wrong(f"it reads {v}, which the matched graph does not")
    if compare_with_plain_run and not _is_first_answer(direction, old, new):
        raise wrong("a plain run of the relation gives something else first")
    leaves = [v for v in dict.fromkeys(graph.leaves) if isinstance(v, Variable)]
    round_trip = None
    if direction.inverse is not None:
        returned = transformed(direction.inverse, new)
        if returned is not None and not equal_computations([returned], [old]):
            round_trip = RewritePair(inputs, old, returned, leaves)
    in_domain = _domain_test(direction, graph, new)
    pair = RewritePair(inputs, old, new, leaves)
    return Instance(pair, graph.inputs, rule, direction, graph, round_trip, in_domain)


def _is_first_answer(direction: Direction, root: Variable, new: Variable) -> bool:
    """Return whether a plain run of the relation has `new` as its first answer that fits in the
    place of `root`, or is given up: the search exceeds its budget, or an answer is open."""
    try:
        first = transformed(direction.rewriter, root, plainly=True)
    except (OpenAnswerError, SearchBudgetError, RecursionError):
        return True
    return first is not None and equal_computations([first], [new])


def _domain_test(
    direction: Direction, graph: InstantiatedPattern, new: Variable
) -> Callable[[Any], bool] | None:
    """Return the domain of a law as a predicate of the values of all variables; it raises a
    `LawViolation` if that of the law raises an error."""
    law = direction.law
    condition = law.domain if direction.sound == "domain" else None
    if condition is None:
        return None
    if isinstance(condition, Where):
        predicate: Any = condition.function
        # The law may bind its variables to other parts of a sum or product than were drawn.
        by_name = law.explain(graph.root, direction.name).bindings
        variables = variables_of(condition.variables)
        bound = {v: by_name.get(str(v), graph.bindings.get(v, v)) for v in variables}
        arguments = [build(reify(v, bound)) for v in condition.variables]
    else:
        predicate = condition
        assert graph.root.owner is not None
        arguments = list(graph.root.owner.inputs)

    def in_domain(values: Any) -> bool:
        given = [_value(v, values) if isinstance(v, Variable) else v for v in arguments]
        try:
            with np.errstate(all="ignore"):
                return bool(np.all(predicate(*given)))
        except Exception as error:
            why = f"its domain raises {type(error).__name__}: {error}"
            inputs = [spec.var for spec in graph.inputs]
            raise direction.counterexample(why, inputs, graph.root, new) from error

    return in_domain


def _value(v: Variable, values: Any) -> Any:
    """Return the value of a variable, which is computed if the graph does not have it."""
    if v in values:
        return values[v]
    # The graph of a nested sum has the terms of the inner sum, but not the inner sum.
    inputs = [u for u in graph_inputs([v]) if not isinstance(u, Constant)]
    return evaluate([v], {u: values[u] for u in inputs})[0]
