"""Strategies for graphs that can be computed: the run-time shapes of all variables fit.

A graph is built step by step. Most steps instantiate a pattern over the variables that there are:
one op with its parameters, the left side of a law, or what a given optimizer matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.compile.database import ConstantFolding
from relgraph.graph.basic import Apply, Constant, Variable, ancestors, io_toposort
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import Rule, class_of, compound_parts, split
from relgraph.graph.kanren.terms import several
from relgraph.graph.op import Op
from relgraph.graph.opt.base import LocalOptimizer, Rewriter
from relgraph.tensor.assembly import Alloc, ARange, Join, Split
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.functions import FUNCTIONS
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.python_source import as_python
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import Reshape, Shape_i
from relgraph.tensor.softmaxes import Softmax
from relgraph.tensor.subtensor import Subtensor
from relgraph.tensor.type import TensorType
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.input_values import InputSpec
from relgraph.testing.instances.instance import direction_of
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.judge.evaluation import evaluate_all
from relgraph.testing.random_arrays import Array, dtype_choice, indices, lengths, values
from relgraph.testing.random_terms import CannotInstantiate

# What an op raises if it does not take the variables chosen for it; the op is then not applied.
INVALID_APPLICATION = (
    *(TypeError, ValueError, LookupError, OverflowError, MemoryError, AssertionError),
    CannotInstantiate,
)

# Variables with more elements are not added to a graph: they take too long to compute.
MAX_ELEMENTS = 200
# How often a graph for a pattern is built until it can be computed, and a given optimizer does
# something on it; and the dtypes in which it is tried.
_TRIES = 6
_DTYPES = ("bool", "int8", "float32", "uint8", "float64", "complex128")

_RANKS = (1, 2, 0, 1, 2, 3)
_LENGTHS = lengths()
_SEED = st.integers(0, 2**16 - 1)


class GraphBuilder:
    """Builds a graph by the choices of a Hypothesis `draw`.

    Each variable has a sample: an array of the dtype and shape that it has at run time. An op is
    applied only if it can be computed for the samples of its inputs.

    Parameters
    ----------
    draw
        Draws from a strategy.
    dtypes
        A strategy for the dtypes of inputs.
    max_inputs
        How many inputs the graph has at most.

    Attributes
    ----------
    random
        The source of randomness, another one for each step: a failure shrinks to few steps.
    dtype
        A dtype that inputs may have, another one for each step.
    inputs
        The inputs so far.
    variables
        The variables that ops may be applied to.
    samples
        The sample of each variable. That of a variable that depends on shapes alone is its value.
    ranges
        The length of the indexed axis, for each input that is an index.
    aimed
        The variables that were made for the optimizer that is checked: the first outputs.
    cast_to
        The dtype that variables are cast to; None to take them as they are.
    """

    def __init__(
        self, draw: Callable[[Any], Any], dtypes: st.SearchStrategy[str], max_inputs: int
    ) -> None:
        self.inputs: list[Variable] = []
        self.variables: list[Any] = []
        self.samples: dict[Variable, Array] = {}
        self.ranges: dict[Variable, int] = {}
        self.aimed: set[Variable] = set()
        self.cast_to: str | None = None
        self._draw, self._dtypes = draw, dtypes
        self._max_inputs = max_inputs
        self._start_step()
        self.new_input([draw(_LENGTHS) for _ in range(self.random.choice(_RANKS))], self.dtype)

    def _start_step(self) -> None:
        self.random, self.dtype = Random(self._draw(_SEED)), self._draw(self._dtypes)

    def pick(self, least: int = 0) -> Any:
        """Return a variable of at least some rank.

        Raises
        ------
        IndexError
            If there is none.
        """
        return self.random.choice([v for v in self.variables if v.type.ndim >= least])

    def shape(self, v: Variable) -> tuple[int, ...]:
        """Return the shape of a variable at run time."""
        return tuple(self.samples[v].shape)

    # -- inputs --------------------------------------------------------------------------------

    def new_input(self, shape: Sequence[int], dtype: str) -> Any:
        """Return a new input, whose type knows some lengths of its run-time shape; None if there
        are as many inputs as there may be."""
        choose = self.random.choice
        static = [choose((1, 1, None) if n == 1 else (None, None, n)) for n in shape]
        made = self._input(TensorType(dtype, static), shape)
        if made is not None:
            self.variables.append(made)
        return made

    def new_index(self, length: int, shape: Sequence[int] = ()) -> Any:
        """Return a new input whose integers are indices of an axis; None if there can be none.

        Parameters
        ----------
        length
            The length of the axis.
        shape
            The run-time shape of the input.
        """
        if length == 0 and 0 not in shape:
            return None
        dtype = self.random.choice(("int64", "int64", "int32", "uint8", "int8"))
        # No other op may read it: a computed index could be out of bounds.
        made = self._input(TensorType(dtype, [None] * len(shape)), shape)
        if made is not None:
            self.ranges[made] = length
            self.samples[made] = np.zeros(shape, dtype)
        return made

    def _input(self, type_: TensorType, shape: Sequence[int]) -> Any:
        if len(self.inputs) >= self._max_inputs:
            return None
        made = type_(f"x{len(self.inputs)}")
        self.inputs.append(made)
        self.samples[made] = np.ones(shape, type_.dtype)
        return made

    # -- applying ops --------------------------------------------------------------------------

    def apply(self, step: Step) -> None:
        """Add the variables that a step returns, if they can be computed."""
        self._start_step()
        count = len(self.inputs)
        with suppress(*INVALID_APPLICATION):
            made = step(self)
            for v in made if isinstance(made, list | tuple) else [made]:
                if v not in self.variables and self.computes(v):
                    self.variables.append(v)
        # inputs were made for what can't be computed, too
        read = self._read()
        for v in self.inputs[max(count, 1) :]:
            if v not in read:
                self.inputs.remove(v)
                self.ranges.pop(v, None)
                self.variables = [known for known in self.variables if known is not v]

    def _read(self) -> set[Variable]:
        """Return what the variables are computed from."""
        owners = [v.owner for v in self.variables if v.owner is not None]
        return set(ancestors([v for node in owners for v in node.inputs]))

    def computes(self, var: Any) -> bool:
        """Return whether a variable can be computed and is not too large; then it has a sample.

        Raises
        ------
        Exception
            One of `INVALID_APPLICATION`, if an op is not defined for the samples of its inputs.
        """
        if var in self.samples:
            return True
        is_computed = isinstance(var, Variable) and not isinstance(var, Constant)
        if not is_computed or not isinstance(var.type, TensorType):
            return False
        nodes = io_toposort(list(self.samples), [var])
        if any(isinstance(node.op, ARange) and not _has_known_length(node) for node in nodes):
            return False
        found = evaluate_all(list(self.samples), [var], list(self.samples.values()))
        if any(np.size(value) > MAX_ELEMENTS for value in found.values()):
            return False
        self.samples[var] = found[var]
        return True

    def outputs(self, most: int) -> list[Variable]:
        """Return up to `most` variables that no op reads: those aimed at first, and late ones."""
        read = self._read()
        ends = [v for v in reversed(self.variables) if v.owner is not None and v not in read]
        ends.sort(key=lambda v: v not in self.aimed)
        if not ends:
            return [at.identity(self.inputs[0])]
        return ends[: self.random.randint(1, most)]


def _has_known_length(node: Apply) -> bool:
    """Return whether the values of inputs make no difference to how long a range is."""
    return all(
        isinstance(v, Constant) or (v.owner is not None and isinstance(v.owner.op, Shape_i))
        for v in node.inputs
    )


Step = Callable[[GraphBuilder], Any]
"""Returns the new variable or variables; raises one of `INVALID_APPLICATION` if the graph has no
fitting operands."""

# -- patterns --------------------------------------------------------------------------------------

_KINDS = {"variable": 8.0, "number": 2.0, "array": 0.5}


class _Extension(PatternInstantiator):
    """Instantiates a pattern over the variables of a graph that is being built.

    Parameters
    ----------
    rule
        The rule whose pattern it is.
    builder
        The graph.
    """

    def __init__(self, rule: Rule, builder: GraphBuilder) -> None:
        super().__init__(rule, builder.random)
        self._builder = builder
        self._kinds = _KINDS
        known = [v.type.dtype for v in builder.variables]
        self._dtypes = dict.fromkeys([*known, builder.dtype], 1.0)
        # an integer that is an input could have another value than the sample
        self._constant_integers, self._number_forms = 100.0, ("plain", "full")
        self._more_shapes = {**self._more_shapes, "same": 20.0}

    def _restart(self) -> None:
        super()._restart()
        state, builder = self._state, self._builder
        like = builder.pick()
        state.inputs = [InputSpec(v, builder.shape(v)) for v in builder.variables]
        state.base_shape = builder.shape(like)
        state.lengths_of_axes = state.base_shape or state.lengths_of_axes
        state.dtype = builder.cast_to or like.type.dtype

    def _tensor(self, kind: str, v: Any) -> Any:
        return super()._tensor(kind if self._state.leaves else "variable", v)

    def _input(self, dtype: str, shape: tuple[int, ...], known: bool = False) -> Variable:
        """Return a variable of the graph, or now and then a new input."""
        builder = self._builder
        alike = [v for v in builder.variables if builder.shape(v) == shape]
        same = [v for v in alike if v.type.dtype == dtype]
        if not same or self.choices.chance(8):
            made: Variable | None = builder.new_input(shape, dtype)
            if made is not None:
                return made
        if not alike:
            raise CannotInstantiate(f"no variable has the shape {shape}")
        found: Variable = self.choices.uniform(same or alike)
        return found if builder.cast_to is None else _of_dtype(found, dtype)


def _of_dtype(v: Any, dtype: str) -> Any:
    """Return a variable of a dtype computed from `v`; what has no such value is compared first."""
    kinds = "buifc"
    narrower = kinds.index(np.dtype(dtype).kind) < kinds.index(v.type.numpy_dtype.kind)
    if v.type.numpy_dtype.kind == "c" and narrower:
        v = at.real(v)
    source = at.gt(v, 0) if narrower else v
    return source if source.type.dtype == dtype else at.cast(source, dtype)


def _instance_of(rule: Rule, b: GraphBuilder) -> Variable:
    return _Extension(rule, b).instantiate().root


def _try(steps: Sequence[Step], b: GraphBuilder, local: Any = None) -> Any:
    """Take one of some steps, until the result can be computed.

    If a local optimizer is given, steps are taken in other dtypes too while it leaves the new node
    alone.
    """
    made: Any = ()
    for attempt in range(_TRIES):
        aims = local is not None and attempt > 1
        b.cast_to = b.random.choice(_DTYPES) if aims else None
        try:
            found = b.random.choice(steps)(b)
            found = found if isinstance(found, list | tuple) else [found]
            if not any(map(b.computes, found)):
                continue
        except INVALID_APPLICATION:
            continue
        made = found
        if local is None or any(_fires(local, v) for v in found):
            break
    if local is not None:
        b.aimed.update(made)
    return made


# -- ops and functions -----------------------------------------------------------------------------


def _take(b: GraphBuilder) -> Any:
    """Take elements of one axis: by a mask, an input, or a constant that repeats some."""
    x, random = b.pick(1), b.random
    axis = random.randrange(x.type.ndim)
    length = b.shape(x)[axis]
    index: Any = np.arange(length) % 2 == 0
    if random.random() < 0.6:
        count = random.randint(1, 3) if length else 0
        index = np.array([random.randrange(-length, length) for _ in range(count)], "int64")
    made = b.new_index(length, random.choice(((3,), (2,), (0,), (2, 2), ())))
    keeps = made is None or random.random() < 0.7
    return x[(*[slice(None)] * axis, index if keeps else made)]


def _declare_lengths(b: GraphBuilder) -> Any:
    """Declare the lengths of some axes."""
    x = b.pick()
    return at.specify_shape(x, [b.random.choice((n, None)) for n in b.shape(x)])


def _reshape_like(b: GraphBuilder) -> Any:
    """Reshape to the shape of another variable."""
    x = b.pick()
    others = [v for v in b.variables if b.samples[v].size == b.samples[x].size]
    return at.reshape(x, b.random.choice(others).shape, ndim=None)


ELEMENTWISE: tuple[Any, ...] = tuple(
    dict.fromkeys(
        value
        for name, value in vars(at).items()
        # whether a function is loaded depends on its users, and draws may not
        if isinstance(value, Elemwise) and name not in FUNCTIONS
    )
)
# These are drawn more often than the other elementwise ops, and than the other functions.
_FREQUENT = (at.add, at.mul, at.sub, at.true_div, at.neg, at.exp, at.log, at.sqr, at.maximum)
_FREQUENT_FUNCTIONS = (at.sum, at.mean, DimShuffle, at.dot, at.getitem, at.reshape)

_REDUCTIONS = (at.sum, at.prod, at.max, at.min, at.mean, at.var, at.any, at.all, at.logsumexp)
_ALONG_AXIS = (at.argmax, at.argmin, at.softmax, at.log_softmax, at.cumsum, at.cumprod)
_OPTIONS: Sequence[dict[str, Any]] = (
    *({}, {"axis": 0}, {"axis": -1}, {"axis": 1}, {"axis": (0, -1)}),
    *({"axis": -1, "keepdims": True}, {"keepdims": True}),
)


@cache
def _terms() -> dict[Any, Sequence[Any]]:
    """Return for each function terms in which it is applied to logic variables."""
    x, y, z, n, m, a, i = lvars("x y z n m a i")
    parts = Subtensor(n)(x, several(i)), AdvancedSubtensor(n)(x, several(i))
    return {
        **{f: [f(x, **options) for options in _OPTIONS] for f in _REDUCTIONS},
        **{f: [f(x, axis=axis) for axis in (0, -1, 1)] for f in _ALONG_AXIS},
        **{f: [f(x)] for f in (at.zeros_like, at.ones_like, at.squeeze, at.flatten)},
        **{f: [f(x, y)] for f in (at.second, at.outer, at.dot, at.matmul)},
        **{f: [f(n), f((n, 2))] for f in (at.zeros, at.ones)},
        **{f: [f(x, k) for k in (-1, 0, 1)] for f in (at.tril, at.triu, at.diagonal)},
        **{
            f: [f(part, v) for part in parts for v in (y, 0, 1, 2, -part)]
            for f in (at.set_subtensor, at.inc_subtensor)
        },
        at.getitem: [parts[0], parts[0], x[: at.shape_i(y, 0)]],
        DimShuffle: [DimShuffle(n, a)(x)],
        at.reshape: [Reshape(n)(x, y)],
        at.join: [at.join(0, x, y), at.join(-1, x, y, z), at.stack([x, y]), at.stack([x, y], -1)],
        at.split: [Split(n, a)(x, y)],
        at.tensordot: [at.tensordot(x, y, axes=1)],
        at.repeat: [at.repeat(x, k, axis=axis) for k in range(3) for axis in (0, -1)],
        at.expand_dims: [at.expand_dims(x, axis) for axis in (0, -1, 1)],
        at.transpose: [x.T],
        at.swapaxes: [at.swapaxes(x, 0, -1), at.swapaxes(x, 0, 1)],
        at.cast: [at.cast(x, n)],
        at.shape: [at.shape(x), at.size(x), at.shape_i(x, 0)],
        at.clip: [at.clip(x, y, z)],
        at.pow: [at.pow(x, e) for e in (2, 2.0, 0.5, -1.0, 3, 1, 0)],
        at.alloc: [at.alloc(x, n), at.alloc(0.0, n, m), at.alloc(x, n, m)],
        at.arange: [at.arange(n)],
        at.eye: [at.eye(n, dtype="float64"), at.eye(n, dtype="int8")],
    }


_STEPS_OF: dict[Any, Step] = {
    at.take: _take,
    at.specify_shape: _declare_lengths,
    at.shape_i: _reshape_like,
}


def _apply_unknown(op: Any, others: int, b: GraphBuilder) -> Any:
    """Apply a function of unknown signature to variables of one shape."""
    first = b.pick()
    alike = [v for v in b.variables if b.shape(v) == b.shape(first)]
    return op(first, *(b.random.choice(alike) for _ in range(others)))


def step_of(op: Any) -> Step:
    """Return the step that applies an op or function.

    Raises
    ------
    TypeError
        If `op` is not callable.
    """
    if op in _STEPS_OF:
        return partial(_try, [_STEPS_OF[op]])
    terms = _terms().get(op)
    x = lvars("x,")
    if terms is None and isinstance(op, CAReduce | DimShuffle):
        terms = [op(*x)]
    if terms is None and isinstance(op, Elemwise):
        nin = op.scalar_op.nin
        terms = [op(*lvars("x y z w")[:n]) for n in ((2, 2, 2, 3, 1) if nin < 0 else (nin,))]
    if terms is not None:
        return partial(_try, _instances_of(terms))
    if not callable(op):
        raise TypeError(f"graphs: {op!r} is neither an op nor a function")
    return partial(_try, [partial(_apply_unknown, op, others) for others in range(3)])


def _instances_of(terms: Sequence[Any]) -> list[Step]:
    return [partial(_instance_of, Rule("drawn", term, None)) for term in terms]


def _steps_tracked(op: Any) -> list[Step]:
    """Return steps that make nodes of an op, or of a class of ops, that an optimizer tracks."""
    if not isinstance(op, type):
        return [step_of(op)]
    known = [f for f in ELEMENTWISE if isinstance(f, op)]
    known += [f for f, terms in _terms().items() if any(_is_headed_by(t, op) for t in terms)]
    return [step_of(f) for f in known]


def _is_headed_by(term: Any, cls: type) -> bool:
    head = class_of(split(term).head)
    return head is not None and issubclass(head, cls)


@cache
def steps_for(ops: tuple[Any, ...] | None) -> st.SearchStrategy[Step]:
    """Return a strategy for the steps that apply some ops; None for all ops, and the left sides of
    laws of the rule book.

    Raises
    ------
    ValueError
        If `ops` is empty.
    TypeError
        If one of them is neither an op nor a function.
    """
    if ops is not None:
        if not ops:
            raise ValueError("graphs: there are no ops to build with")
        return st.sampled_from([step_of(op) for op in ops])
    functions = [*_FREQUENT_FUNCTIONS * 3, *_terms(), *_STEPS_OF]
    # One third are left sides of laws: rewrites match combinations of ops.
    return st.one_of(
        st.sampled_from([step_of(op) for op in (*_FREQUENT, *ELEMENTWISE)]),
        st.sampled_from([step_of(f) for f in functions]),
        st.just(lambda b: _try(b.random.choice(_left_sides()), b)),
    )


# -- what laws and optimizers match ----------------------------------------------------------------

# The classes of ops in left sides that are drawn: they are defined for all values.
_TOTAL = (Elemwise, CAReduce, DimShuffle, MatrixProduct, Alloc, Join, Reshape, Subtensor, Softmax)


def _is_total(rule: Rule) -> bool:
    """Return whether the ops of a pattern are defined for all values, and quick."""
    heads = [split(p).head for p in compound_parts(rule.pattern)]
    elementwise = [head for head in heads if isinstance(head, Elemwise)]
    if any(head is at.pow or head not in ELEMENTWISE for head in elementwise):
        return False
    return all(issubclass(class_of(head) or Op, _TOTAL) for head in heads)


@cache
def _left_sides() -> list[list[Step]]:
    """Return for each law of the rule book the steps for those of its left sides that are drawn."""
    found = [list(filter(_is_total, rules_of(law.forward))) for law in discover_laws().values()]
    return [[partial(_instance_of, rule) for rule in rules] for rules in found if rules]


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


def rules_of(rewriter: Any) -> list[Rule]:
    """Return the rules of a local optimizer, or rules with the patterns that it is tried on."""
    rule = getattr(rewriter, "rule", None)
    goal = getattr(rewriter, "kanren_relation", None)
    rules: Sequence[Rule] = [rule] if isinstance(rule, Rule) else []
    if not rules and goal is not None:
        relation = goal if isinstance(goal, Relation) else Relation("goal", goal)
        direction = direction_of(relation, "forward")
        rules = () if direction is None else direction.rules
    return [rule for rule in rules if split(rule.pattern).head is not None]


def _aimed_steps(rewriter: Rewriter) -> list[Step]:
    """Return a step for each local optimizer in a rewriter that says what it matches.

    It builds a graph for one of the patterns, and tries again, a few times and in other dtypes,
    while the optimizer leaves the new node alone; or it applies one of the ops that the optimizer
    tracks. What folds constants gets some to fold.
    """
    steps: list[Step] = []
    for local in local_optimizers_in(rewriter):
        aimed: list[Step] = [partial(_instance_of, rule) for rule in rules_of(local)]
        if isinstance(local, ConstantFolding):
            aimed = _instances_of([at.add(2.0, 0.5)])
        aimed = aimed or [step for op in local.tracks() or () for step in _steps_tracked(op)]
        if aimed:
            steps.append(partial(_try, aimed, local=local))
    return steps


def _fires(local: Any, made: Any) -> bool:
    """Return whether a local optimizer does something on the node that was made last."""
    try:
        return bool(local.transform(None, made.owner))
    except Exception:
        return True  # so that the check of the optimizer finds it


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
    steps = steps_for(None if ops is None else tuple(ops))
    aimed = [] if matching is None else _aimed_steps(matching)
    if aimed:
        # `sampled_from` would print all of them in reports.
        # `one_of` would choose among all steps alike.
        at_will, matched = steps, st.integers(0, len(aimed) - 1).map(aimed.__getitem__)
        steps = st.booleans().flatmap(lambda aims: matched if aims else at_will)
    of_inputs = dtype_choice(dtypes)

    @st.composite
    def built(draw: Any) -> RandomGraph:
        builder = GraphBuilder(draw, of_inputs, max_inputs)
        for _ in range(draw(st.integers(1, max_nodes))):
            builder.apply(draw(steps))
        graph = tuple(builder.inputs), tuple(builder.outputs(max_outputs))
        return RandomGraph(*graph, {v: builder.shape(v) for v in builder.inputs}, builder.ranges)

    return built()


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
    first = st.sampled_from([*known, *(type(f"x{len(known) + i}") for i in range(2))])
    found = first
    for _ in range(depth):
        found = first | _ops_within(type).flatmap(partial(_applied, found))
    made: Variable = draw(found)
    return made


def _applied(arguments: st.SearchStrategy[Variable], op: Any) -> st.SearchStrategy[Variable]:
    return st.builds(op, *[arguments] * _arity(op))


def _arity(op: Any) -> int:
    """Return how many arguments an elementwise op is given; 2 if it takes any number."""
    return 2 if op.scalar_op.nin < 0 else int(op.scalar_op.nin)


@cache
def _ops_within(type: TensorType) -> st.SearchStrategy[Any]:
    """Return a strategy for ops whose result has a type as their operands have; they are defined
    for all values, and quick."""
    found = []
    for op in set(ELEMENTWISE) - {at.pow, at.polygamma}:
        with suppress(TypeError):
            if op(*[type() for _ in range(_arity(op))]).type is type:
                found.append(op)
    return st.sampled_from(sorted(found, key=str))
