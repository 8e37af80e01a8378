"""Strategies for graphs that can be computed: the run-time shapes of all variables fit.

Appliers of patterns and tracked ops build graphs on which a given optimizer does something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from unification.variable import isvar

import relgraph.tensor as at
from relgraph.compile.database import ConstantFolding
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import Output, Rule, compound_parts, split
from relgraph.graph.kanren.terms import Arguments, Literal
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Rewriter
from relgraph.tensor.assembly import Alloc, Join
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import Reshape
from relgraph.tensor.softmaxes import Softmax
from relgraph.tensor.subtensor import Subtensor
from relgraph.tensor.type import TensorType
from relgraph.testing.discovery import discover_laws
from relgraph.testing.draw.appliers import ELEMENTWISE, Applier, appliers_for, appliers_tracked
from relgraph.testing.draw.arrays import Array, dtype_choice, indices, values
from relgraph.testing.draw.graph_builder import INVALID_APPLICATION, GraphBuilder
from relgraph.testing.draw.terms import (
    class_and_scalar_name,
    op_for,
    patterns_sought,
    role_of,
)
from relgraph.testing.source import as_python

_MAX_DEPTH = 12
# How often a graph for an optimizer is built while the optimizer does nothing on it.
_TRIES = 6
# The dtypes in which it is tried.
_DTYPES = ("bool", "int8", "float32", "uint8", "float64", "complex128")


def local_optimizers_in(rewriter: Rewriter) -> list[Any]:
    """Return the local optimizers in a rewriter, each once."""
    found: dict[int, Any] = {}
    stack: list[Any] = [rewriter]
    while stack:
        item = stack.pop()
        stack.extend(item.summary_children())
        if isinstance(item, LocalOptimizer):
            found[id(item)] = item
    return list(found.values())


def patterns_of(rewriter: Any) -> list[Any]:
    """Return the patterns of a local optimizer: of its rules, or those that it is tried on."""
    rule = getattr(rewriter, "rule", None)
    goal = getattr(rewriter, "kanren_relation", None)
    patterns: Sequence[Any] = ()
    if isinstance(rule, Rule):
        patterns = [rule.pattern]
    elif goal is not None:
        relation = goal if isinstance(goal, Relation) else Relation("goal", goal)
        patterns = [rule.pattern for rule in relation.extraction("forward").rules]
        patterns = patterns or relation.tries or patterns_sought(relation.goal)
    return [pattern for pattern in patterns if split(pattern) is not None]


def aimed_appliers(rewriter: Rewriter) -> list[Applier]:
    """Return an applier for each local optimizer in a rewriter that says what it matches.

    It builds a graph for one of the patterns, and tries again, a few times and in other dtypes,
    while the optimizer leaves the new node alone; or it applies one of the ops that the optimizer
    tracks. What folds constants gets some to fold.
    """
    appliers: list[Applier] = []
    for local in local_optimizers_in(rewriter):
        if isinstance(local, ConstantFolding):
            appliers.append(_add_constants)
            continue
        patterns = patterns_of(local)
        tracked = [a for op in local.tracks() or () for a in appliers_tracked(op)]
        if patterns:
            appliers.append(partial(_build_until_it_fires, local, patterns))
        elif tracked:
            appliers.append(partial(_apply_one, tracked))
    return appliers


def _add_constants(b: GraphBuilder) -> Any:
    """Add up two constants of the dtype of some variable."""
    like = b.choose(b.variables)
    return _aimed(at.add(b.constant(like), b.constant(like)), b)


def _apply_one(among: Sequence[Applier], b: GraphBuilder) -> Any:
    """Apply one of some ops to variables that it takes, which are looked for a few times."""
    applier = b.choose(among)
    for _ in range(_TRIES):
        try:
            return _aimed(applier(b), b)
        except INVALID_APPLICATION:
            continue
    return None


def _aimed(made: Any, b: GraphBuilder) -> Any:
    """Note that what was made is for the optimizer, and return it."""
    b.aimed.update(made if isinstance(made, list | tuple) else [made])
    return made


def _build_until_it_fires(local: Any, patterns: Sequence[Any], b: GraphBuilder) -> Any:
    """Build graphs for patterns: of a variable there is, then of one cast to other dtypes."""
    made = None
    for attempt in range(_TRIES):
        first = b.pick()
        if attempt > 1:
            first = _of_dtype(first, b.choose(_DTYPES))
        try:
            made = _PatternBuilder(b, first).build(b.choose(patterns), "tensor", 0)
        except INVALID_APPLICATION:
            continue
        if _fires(local, made):
            return _aimed(made, b)
    return made


def _of_dtype(v: Any, dtype: str) -> Any:
    """Return a variable of a dtype computed from `v`; what has no such value is compared first."""
    kinds = "buifc"
    narrower = kinds.index(np.dtype(dtype).kind) < kinds.index(v.type.numpy_dtype.kind)
    if v.type.numpy_dtype.kind == "c" and narrower:
        v = at.real(v)
    source = at.gt(v, 0) if narrower else v
    return source if source.type.dtype == dtype else at.cast(source, dtype)


def _fires(local: Any, made: Any) -> bool:
    """Return whether a local optimizer does something on the node that was made last."""
    if not isinstance(made, Variable) or made.owner is None:
        return False
    try:
        return bool(local.transform(None, made.owner))
    except Exception:
        return True  # so that the check of the optimizer finds it


# The classes of ops in left sides that are drawn: they are defined for all values.
_TOTAL = (Elemwise, CAReduce, DimShuffle, MatrixProduct, Alloc, Join, Reshape, Subtensor, Softmax)


def _is_total(pattern: Any) -> bool:
    """Return whether the ops of a pattern are defined for all values, and quick."""
    heads = [parts[0] for part in compound_parts(pattern) if (parts := split(part)) is not None]
    return all(
        head in ELEMENTWISE and head is not at.pow
        if isinstance(head, Elemwise)
        else issubclass(class_and_scalar_name(head)[0] or Op, _TOTAL)
        for head in heads
    )


@cache
def _left_sides() -> list[list[Any]]:
    """Return the left sides of the laws of the rule book: for each law those of its rules."""
    found = [list(filter(_is_total, patterns_of(law.forward))) for law in discover_laws().values()]
    return [patterns for patterns in found if patterns]


def _apply_left_side(b: GraphBuilder) -> Any:
    """Build a graph for a left side of a law of the rule book."""
    pattern = b.choose(b.choose(_left_sides()))
    return _PatternBuilder(b, b.pick()).build(pattern, "tensor", 0)


class _PatternBuilder:
    """Builds a graph for one pattern.

    Parameters
    ----------
    b
        The graph that is extended.
    first
        The variable for the first logic variable; the others broadcast with it.
    """

    def __init__(self, b: GraphBuilder, first: Any) -> None:
        self._b = b
        self._first = first
        self._bindings: dict[Any, Any] = {}

    def build(self, pattern: Any, role: str, depth: int) -> Any:
        """Return the variable or number for a part of the pattern."""
        if depth > _MAX_DEPTH:
            raise TypeError("a pattern goes too deep")
        if isvar(pattern):
            return self._bind(pattern, partial(self._argument, role))
        if isinstance(pattern, Literal):
            return self._number(pattern.value)
        if isinstance(pattern, bool | int | float | complex):
            return self._number(pattern)
        parts = split(pattern)
        if parts is None:
            if isinstance(pattern, Variable):
                return pattern
            raise TypeError(f"the pattern {pattern!r} can't be built")
        head, patterns = parts
        output = head.index if isinstance(head, Output) else None
        head = head.op if isinstance(head, Output) else head
        cls, name = class_and_scalar_name(head)
        arguments: list[Any] = []
        for i, p in enumerate(patterns):
            role, _ = role_of(cls, name, i)
            if isinstance(p, Arguments):
                arguments += self._bind(p.of, partial(self._several, role))
            else:
                arguments.append(self.build(p, role, depth + 1))
        known = [v if isinstance(v, Variable) else at.constant(v) for v in arguments]
        op = op_for(head, known, Random(self._b.below(1000)), self._bind)
        if not isinstance(op, Op):
            raise TypeError(f"the op {head!r} can't be built")
        made: Any = op(*arguments)
        if output is None:
            return made
        outputs = made if isinstance(made, list) else made.owner.outputs
        return outputs[output]

    def _number(self, value: Any) -> Any:
        # A pattern matches an array of the number too.
        if self._b.chance(4) and isinstance(value, float | int):
            return at.constant(value, dtype=self._first.type.dtype)
        return value

    def _bind(self, v: Any, draw: Callable[[], Any]) -> Any:
        """Return the value of a logic variable; it is drawn if there is none."""
        if v not in self._bindings:
            self._bindings[v] = draw()
        return self._bindings[v]

    def _argument(self, role: str) -> Any:
        b = self._b
        if role == "length":
            return self._length()
        if role == "shape":
            return b.pick().shape
        if role == "index":
            return at.constant(b.choose((0, -1, 1)))
        if role == "indices":
            return at.constant(b.choose(([0], [0, 0, -1], [1, 0])))
        if role in ("condition", "assertion") and b.chance(2):
            return b.choose((at.gt, at.le, at.eq))(self._first, b.operand_for(self._first))
        if not self._bindings:
            return self._first
        found = b.operand_for(self._first)
        return found if isinstance(found, Variable) else at.as_tensor_variable(found)

    def _several(self, role: str) -> list[Any]:
        """Return the arguments of an op from some position on."""
        return [self._argument(role) for _ in range(1 + self._b.below(3))]

    def _length(self) -> Any:
        b = self._b
        if b.chance(3):
            return at.constant(b.choose((1, 2, 3)))
        like = b.pick(lambda v: v.type.ndim >= 1)
        axis = b.below(like.type.ndim)
        return at.shape_i(like, axis) if b.chance(2) else at.constant(b.shape(like)[axis])


@dataclass(frozen=True, eq=False)
class RandomGraph:
    """A graph, with the shapes of its inputs and a strategy for their values.

    It unpacks as ``inputs, outputs``.

    Attributes
    ----------
    inputs, outputs
        The variables of the graph.
    shapes
        The run-time shape of each input.
    ranges
        The length of the indexed axis, for each input that is used as an index.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    shapes: dict[Variable, tuple[int, ...]] = field(default_factory=dict)
    ranges: dict[Variable, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Variable, ...]]:
        return iter((self.inputs, self.outputs))

    def values(
        self, finite: bool = False, ordinary: bool = False
    ) -> st.SearchStrategy[tuple[Array, ...]]:
        """Return a strategy for the values of the inputs, in order.

        Parameters
        ----------
        finite, ordinary
            As for `relgraph.testing.values`.
        """
        return st.tuples(*[self._value(v, finite, ordinary) for v in self.inputs])

    def _value(self, v: Any, finite: bool, ordinary: bool) -> st.SearchStrategy[Array]:
        shape = self.shapes[v]
        if v in self.ranges:
            return indices(self.ranges[v], shape, v.type.dtype)
        return values(v.type, shape, finite, ordinary)

    def __repr__(self) -> str:
        return f"<RandomGraph\n{as_python(self.inputs, self.outputs)}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis would show a failure by the fields, which do not say what is computed.
        with printer.indent(4):
            for i, line in enumerate(repr(self).splitlines()):
                if i:
                    printer.break_()
                printer.text(line)


def graphs(
    ops: Sequence[Any] | None = None,
    dtypes: Any = None,
    max_nodes: int = 10,
    max_inputs: int = 4,
    max_outputs: int = 3,
    matching: Rewriter | None = None,
) -> st.SearchStrategy[RandomGraph]:
    """Return a strategy for graphs of tensor ops.

    Parameters
    ----------
    ops
        The ops and functions to build graphs with (``at.exp``, ``at.sum``, your own op); None for
        all tensor ops, and the left sides of laws of the rule book.
    dtypes
        A strategy for the dtypes of inputs, a sequence of dtypes, or one dtype; None for all.
    max_nodes
        How many times an op or function is applied at most.
    max_inputs, max_outputs
        How many inputs and outputs a graph has at most.
    matching
        An optimizer. If it is given, about half of the steps add a graph on which one of its local
        optimizers does something: by the pattern of a law, or by the ops that it tracks.

    Returns
    -------
    strategy
        A strategy for `RandomGraph`. Each has at least one input and one output, and can be
        computed for any values that its `values` draws.

    Raises
    ------
    ValueError
        If `ops` is empty.
    TypeError
        If one of them is neither an op nor a function.
    """
    appliers = appliers_for(None if ops is None else tuple(ops))
    if ops is None:
        # One third are left sides of laws: rewrites match combinations of ops.
        appliers = st.one_of(appliers, st.just(_apply_left_side))
    aimed = [] if matching is None else aimed_appliers(matching)
    if aimed:
        # `sampled_from` would print all of them in reports.
        # `one_of` would choose among all appliers alike.
        at_will, matched = appliers, st.integers(0, len(aimed) - 1).map(aimed.__getitem__)
        appliers = st.booleans().flatmap(lambda aims: matched if aims else at_will)
    return _graphs(appliers, dtype_choice(dtypes), max_nodes, max_inputs, max_outputs)


@st.composite
def _graphs(
    draw: Any,
    appliers: st.SearchStrategy[Any],
    dtypes: st.SearchStrategy[str],
    max_nodes: int,
    max_inputs: int,
    max_outputs: int,
) -> RandomGraph:
    builder = GraphBuilder(draw, dtypes, max_inputs)
    builder.new_input()
    for _ in range(draw(st.integers(1, max_nodes))):
        builder.apply(draw(appliers))
    outputs = builder.outputs(max_outputs)
    return RandomGraph(
        tuple(builder.inputs),
        tuple(outputs),
        {v: builder.samples[v].shape for v in builder.inputs},
        dict(builder.ranges),
    )


@st.composite
def expressions(
    draw: Any, type: TensorType, leaves: Sequence[Variable] = (), depth: int = 2
) -> Variable:
    """Return a strategy for variables of a type, computed by small graphs.

    All inputs of the graphs are of that type, so they can be computed if all inputs have the same
    shape at run time.

    Parameters
    ----------
    type
        The type, static shape included.
    leaves
        Variables that may be inputs; those of another type are not used. Further inputs are new
        variables.
    depth
        The greatest depth of a graph.
    """
    known = [v for v in leaves if v.type is type]
    return _expression(draw, type, known, depth)


def _expression(draw: Any, type: TensorType, known: list[Variable], depth: int) -> Variable:
    # The recursion is bounded by `depth`.
    if depth == 0 or not draw(_TWO_IN_THREE):
        position: int = draw(st.integers(0, len(known)))
        if position < len(known):
            return known[position]
        known.append(type(f"x{len(known)}"))
        return known[-1]
    op, count = draw(_OPS_BY_KIND[np.dtype(type.dtype).kind])
    arguments = [_expression(draw, type, known, depth - 1) for _ in range(count)]
    made: Variable = op(*arguments)
    return made if made.type is type else arguments[0]


_TWO_IN_THREE = st.sampled_from([False, True, True])


def _choices(unary: Sequence[Any], binary: Sequence[Any]) -> st.SearchStrategy[tuple[Any, int]]:
    return st.sampled_from([*((op, 1) for op in unary), *((op, 2) for op in binary)])


def _ops_by_kind() -> dict[str, st.SearchStrategy[tuple[Any, int]]]:
    ring = (at.add, at.mul, at.sub)
    order = (at.maximum, at.minimum)
    real = (at.neg, at.abs, at.sqr)
    smooth = (at.exp, at.log, at.sqrt, at.sin, at.tanh, at.sigmoid, at.log1p, at.expm1)
    logic = (at.and_, at.or_, at.xor)
    ints = _choices(real, (*ring, *order, at.int_div))
    return {
        "f": _choices((*real, *smooth), (*ring, *order, at.true_div)),
        "c": _choices((at.neg, at.sqr, at.exp, at.conj), (*ring, at.true_div)),
        "i": ints,
        "u": ints,
        "b": _choices((at.invert,), logic),
    }


# For each kind of dtype, ops whose result has the type of their operands, with their arity.
_OPS_BY_KIND = _ops_by_kind()
