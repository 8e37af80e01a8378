"""`Scan`, a loop as one op whose inner graph is a step: its shapes, storage, and how it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable, clone_replace, io_connection_pattern
from relgraph.graph.destroyhandler import DestroyHandler, MutableInputs, destroyed_indices
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import HasInnerGraph, Op, structure
from relgraph.graph.reference import evaluate, performed
from relgraph.graph.shared_values import copy_value
from relgraph.graph.traversal import graph_inputs
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.type import is_discrete
from relgraph.tensor.basic import as_tensor_variable, constant, merged_lengths
from relgraph.tensor.math import cast, minimum
from relgraph.tensor.shapes import Shape_i, lengths
from relgraph.tensor.type import TensorType

LENGTH = TensorType("int64", ())
Shape = tuple[Any, ...]
"""A shape as ints and integer variables of rank 0."""


class StepShapes:
    """The shapes of what a step computes, in terms of those of its inputs.

    Parameters
    ----------
    inputs
        The inputs of the inner graph.
    fixed
        Those whose values are the same at each step: a length may depend on them.
    nodes
        The nodes of the inner graph, in order.
    """

    def __init__(
        self, inputs: Sequence[Variable], fixed: Collection[Variable], nodes: Sequence[Apply]
    ) -> None:
        self._lengths: dict[tuple[Variable, int], Variable] = {}
        self._shapes: dict[Variable, Shape] = {}
        self._fixed = list(fixed)
        for var in inputs:
            if isinstance(var.type, TensorType):
                shape = [
                    self._lengths.setdefault((var, axis), LENGTH.make_variable())
                    if n is None
                    else n
                    for axis, n in enumerate(var.type.shape)
                ]
                self._shapes[var] = tuple(shape)
        for node in nodes:
            self._infer(node)

    def _infer(self, node: Apply) -> None:
        given = [self._shapes.get(v, _of_itself(v)) for v in node.inputs]
        try:
            found = node.op.infer_shape(None, node, given)
        except MethodNotDefined:
            return
        for out, shape in zip(node.outputs, found, strict=True):
            if isinstance(out.type, TensorType):
                self._shapes[out] = merged_lengths(out.type.shape, shape)

    def of(self, var: Variable) -> Shape | None:
        """Return the shape of a tensor of the inner graph, or None if it depends on what is
        computed there."""
        shape = self._shapes.get(var, _of_itself(var))
        allowed = {*self._lengths.values(), *self._fixed}
        symbolic = [n for n in shape if isinstance(n, Variable)]
        leaves = [v for v in graph_inputs(symbolic, allowed) if not isinstance(v, Constant)]
        return shape if allowed.issuperset(leaves) else None

    def outside(
        self, var: Variable, shapes: Mapping[Variable, Shape], values: Mapping[Variable, Variable]
    ) -> Shape | None:
        """Return a shape in terms of another graph.

        Parameters
        ----------
        shapes
            The shapes of the inputs there.
        values
            What stands there for the inputs that are the same at each step.
        """
        shape = self.of(var)
        if shape is None:
            return None
        replaced: dict[Variable, Any] = {v: values[v] for v in self._fixed}
        for (v, axis), placeholder in self._lengths.items():
            n = shapes[v][axis]
            replaced[placeholder] = constant(n, dtype="int64") if isinstance(n, int) else n
        symbolic = [n for n in shape if isinstance(n, Variable)]
        found = iter(clone_replace(symbolic, replaced) if symbolic else ())
        return tuple(next(found) if isinstance(n, Variable) else n for n in shape)


def _of_itself(var: Variable) -> Any:
    """Return the shape of a tensor of which nothing else is known; None of any other variable."""
    if not isinstance(var.type, TensorType):
        return None
    return lengths(var)


def ordered(
    inputs: Sequence[Variable], outputs: Sequence[Variable], nodes: Sequence[Apply]
) -> Sequence[Apply]:
    """Return the nodes of a step in an order in which none reads what is overwritten already."""
    if not any(node.op.destroy_map for node in nodes):
        return nodes
    fgraph = FunctionGraph(inputs, outputs, clone=False)
    fgraph.attach_feature(MutableInputs(range(len(inputs)), range(len(outputs))))
    fgraph.attach_feature(DestroyHandler())
    return fgraph.toposort()


def overwrites(nodes: Sequence[Apply], states: Collection[Variable]) -> bool:
    """Return whether nodes overwrite the storage of one of some tensors."""
    roots = _roots(nodes)
    tensors = {v for v in states if isinstance(v.type, TensorType)}
    return any(
        not tensors.isdisjoint(roots.get(node.inputs[i], {node.inputs[i]}))
        for node in nodes
        for i in destroyed_indices(node)
    )


def sharing(
    nodes: Sequence[Apply], states: Collection[Variable], new: Sequence[Variable]
) -> frozenset[int]:
    """Return which of the new states may be in storage that is not theirs alone, by index.

    Such is what a step is given, but for the states, and what an earlier one of them is in.
    """
    roots = _roots(nodes)
    taken: set[Variable] = set()
    found = set()
    for i, var in enumerate(new):
        if not isinstance(var.type, TensorType):
            continue
        own = roots.get(var, {var})
        given = {v for v in own if v.owner is None and v not in states}
        if given or not taken.isdisjoint(own):
            found.add(i)
        taken |= own
    return frozenset(found)


def _roots(nodes: Sequence[Apply]) -> dict[Variable, set[Variable]]:
    """Return for each output that is a view, or made by overwriting, in whose storage it may be."""
    found: dict[Variable, set[Variable]] = {}
    for node in nodes:
        for maps in (node.op.view_map, node.op.destroy_map):
            for index, shared in maps.items():
                if index is not None:
                    roots = found.setdefault(node.outputs[index], set())
                    for i in shared:
                        roots |= found.get(node.inputs[i], {node.inputs[i]})
    return found


Step = Callable[..., list[Any]]
"""Takes the values of the inputs of a step; returns those of its outputs."""


def step_of_nodes(
    inputs: Sequence[Variable], nodes: Sequence[Apply], outputs: Sequence[Variable]
) -> Step:
    """Return a function that runs the `perform` of one node after the other."""

    def step(*values: Any) -> list[Any]:
        known: dict[Variable, Any] = dict(zip(inputs, values, strict=True))
        for node in nodes:
            given = [v.data if isinstance(v, Constant) else known[v] for v in node.inputs]
            known.update(zip(node.outputs, performed(node, given), strict=True))
        return [v.data if isinstance(v, Constant) else known[v] for v in outputs]

    return step


def number_of_steps(op: Scan, inputs: Sequence[Any]) -> int:
    """Return the number of steps that a loop is to make.

    Raises
    ------
    ValueError
        If it is negative, or a sequence has fewer rows.
    """
    steps = int(inputs[0])
    if steps < 0:
        raise ValueError(f"{op}: the number of steps is {steps}; wanted is 0 or more")
    for i, sequence in enumerate(op.parts(inputs[1:]).sequences):
        if len(sequence) < steps:
            raise ValueError(
                f"{op}: sequence {i} has {len(sequence)} rows, and {steps} steps are to be made"
            )
    return steps


def run_loop(op: Scan, step: Step, inputs: Sequence[Any]) -> list[Any]:
    """Return the values of the outputs of a loop. None of them shares storage with another array.

    Raises
    ------
    ValueError
        As `number_of_steps`, or if the shape of a state or of what is collected changes.
    """
    steps = number_of_steps(op, inputs)
    sequences, states, fixed = op.parts(inputs[1:])
    # a step may advance a generator that it is given, and overwrite other states
    states = [
        x if isinstance(x, np.ndarray) and not op.overwrites_states else copy_value(x)
        for x in states
    ]

    def own(found: StepResults) -> StepResults:
        states = [copy_value(x) if i in op.copied_states else x for i, x in enumerate(found.states)]
        return StepResults(states, [np.array(row) for row in found.rows], found.stop)

    states, collected, made = run_steps(op, step, steps, LoopParts(sequences, states, fixed), own)
    arrays = [np.stack(rows) for rows in collected] if made else op.rows_of_no_step(inputs)
    count = [np.asarray(made, "int64")] if op.has_condition else []
    return [*(copy_value(x) for x in states), *arrays, *count]


def run_steps(
    op: Scan,
    step: Step,
    steps: int,
    given: LoopParts,
    own: Callable[[StepResults], StepResults] = lambda found: found,
) -> tuple[list[Any], list[list[Any]], int]:
    """Run one step after the other; return the last states, the rows that were collected, and how
    many steps were made.

    Parameters
    ----------
    step
        Computes a step.
    steps
        How many to make.
    given
        The values of what the step is given.
    own
        Makes of the results of a step what is kept of them.

    Raises
    ------
    ValueError
        If the shape of a state or of what is collected changes.
    """
    sequences, states, fixed = given
    collected: list[list[Any]] = [[] for _ in range(op.n_rows)]
    for t in range(steps):
        # of a vector too the row is an array
        found = own(op.split_results(step(*[x[t, ...] for x in sequences], *states, *fixed)))
        for i, (old, new) in enumerate(zip(states, found.states, strict=True)):
            if np.shape(old) != np.shape(new):
                wrong_state(op, i, np.shape(old), np.shape(new))
        states = found.states
        for i, (rows, row, kept) in enumerate(zip(collected, found.rows, op.kept, strict=True)):
            if rows and rows[0].shape != row.shape:
                wrong_row(op, i, rows[0].shape, row.shape)
            rows.append(row)
            if kept is not None and len(rows) > kept:
                del rows[0]
        if found.stop and found.stop[0]:
            return states, collected, t + 1
    return states, collected, steps


def wrong_state(op: Scan, i: int, old: Any, new: Any) -> None:
    """Raise the ValueError that says that the shape of a state has changed."""
    raise ValueError(
        f"{op}: state {i} has shape {old} before a step and {new} after it; wanted is one shape"
    )


def wrong_row(op: Scan, i: int, old: Any, new: Any) -> None:
    """Raise the ValueError that says that the shape of what is collected has changed."""
    raise ValueError(
        f"{op}: what is collected as {i} has shape {old} in one step and {new} in another; "
        "wanted is one shape"
    )


class LoopParts(NamedTuple):
    """What the inputs of a loop, or of its step, are for.

    Attributes
    ----------
    sequences
        What is read row by row.
    states
        What each step hands on to the next.
    fixed
        What is the same at each step.
    """

    sequences: list[Any]
    states: list[Any]
    fixed: list[Any]


class StepResults(NamedTuple):
    """What the outputs of a step are for.

    Attributes
    ----------
    states
        The states for the next step.
    rows
        What is collected.
    stop
        Whether the loop ends with this step: a list of one variable of rank 0, or of none.
    """

    states: list[Any]
    rows: list[Any]
    stop: list[Any]


class Scan(Op, HasInnerGraph):
    """A loop over the rows of sequences. Two with equal inner graphs are one object.

    The inputs of a node are the number of steps, an int64 of rank 0; the sequences, of at least so
    many rows; the first states; and what is the same at each step. Its outputs are the last states;
    the rows that were collected, each with a new axis in front; and if a condition may end the loop
    early, the number of steps that were made.

    Parameters
    ----------
    inputs
        The inputs of the step: the row of each sequence, the states, and what is the same at each.
    outputs
        Its outputs: the next states, the rows to collect, and the condition.
    n_sequences, n_states
        How many sequences and states there are.
    has_condition
        Whether the last output ends the loop where it is not zero; that step counts.
    kept
        For each collected row of how many steps it is kept, the last ones; None for all.
    truncate_gradient
        Through how many steps, from the last one back, gradients flow; -1 for all.
    name
        A name for reports.

    Raises
    ------
    TypeError
        If a state has another type after a step, a collected row is no tensor, or the condition has
        axes.
    ValueError
        If the step depends on a variable that is neither an input nor a constant.
    """

    __props__ = (
        "inputs",
        "outputs",
        "n_sequences",
        "n_states",
        "has_condition",
        "kept",
        "truncate_gradient",
        "name",
    )

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        n_sequences: int,
        n_states: int,
        has_condition: bool = False,
        kept: Sequence[int | None] | None = None,
        truncate_gradient: int = -1,
        name: str | None = None,
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.n_sequences = n_sequences
        self.n_states = n_states
        self.has_condition = has_condition
        self.n_rows = len(self.outputs) - n_states - has_condition
        self.kept = (None,) * self.n_rows if kept is None else tuple(kept)
        self.truncate_gradient = truncate_gradient
        self.name = name
        self.nodes, _, inner_key = structure(self.inputs, self.outputs)
        self.step = self.parts(self.inputs)
        self.results = self.split_results(self.outputs)
        self._check()
        self.pure = all(node.op.pure for node in self.nodes)
        self._key = (
            *(inner_key, n_sequences, n_states, has_condition),
            *(self.kept, truncate_gradient, name),
        )
        self._hash = hash(self._key)

    def _check(self) -> None:
        for i, (old, new) in enumerate(zip(self.step.states, self.results.states, strict=True)):
            if not old.type.is_super(new.type):
                raise TypeError(
                    f"{self}: state {i} is a {old.type} before a step and a {new.type} after it; "
                    "wanted is one type"
                )
        for i, row in enumerate(self.results.rows):
            if not isinstance(row.type, TensorType):
                raise TypeError(f"{self}: what is collected as {i} is a {row.type}, and no tensor")
        for stop in self.results.stop:
            if not isinstance(stop.type, TensorType) or stop.type.ndim != 0:
                raise TypeError(f"{self}: the condition is a {stop.type}; wanted is a rank of 0")

    # -- what it is made of --------------------------------------------------------------------

    def parts(self, inputs: Sequence[Any]) -> LoopParts:
        """Return the inputs of the step, or those of a node behind the number of steps, by use."""
        first, then = self.n_sequences, self.n_sequences + self.n_states
        return LoopParts(list(inputs[:first]), list(inputs[first:then]), list(inputs[then:]))

    def split_results(self, outputs: Sequence[Any]) -> StepResults:
        """Return the outputs of the step, or of a node, by use."""
        first, then = self.n_states, self.n_states + self.n_rows
        return StepResults(list(outputs[:first]), list(outputs[first:then]), list(outputs[then:]))

    def changed(self, **changes: Any) -> Scan:
        """Return this op with some of its parameters replaced."""
        return Scan(**{**self.props_dict(), **changes})

    @cached_property
    def fn(self) -> Callable[..., Any]:
        nodes = ordered(self.inputs, self.outputs, self.nodes)
        return step_of_nodes(self.inputs, nodes, self.outputs)

    @cached_property
    def overwrites_states(self) -> bool:
        """Whether a step overwrites a state that it is given: then the loop has its own."""
        return overwrites(self.nodes, self.step.states)

    @cached_property
    def copied_states(self) -> frozenset[int]:
        """The states that have to be copied after a step, since something else is in their storage
        that the next one may overwrite or read."""
        if not self.overwrites_states:
            return frozenset()
        return sharing(self.nodes, self.step.states, self.results.states)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Scan) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        what = "until" if self.has_condition else "for"
        return f"scan{{{what}}}" if self.name is None else f"scan{{{what}, {self.name}}}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        # The outputs refer to the nodes.
        return type(self), tuple(self.props_dict().values())

    # -- nodes ---------------------------------------------------------------------------------

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != 1 + len(self.inputs):
            raise TypeError(f"{self} takes {1 + len(self.inputs)} inputs, not {len(inputs)}")
        steps = as_tensor_variable(inputs[0])
        if steps.type.ndim != 0 or not is_discrete(steps.type.dtype):
            raise TypeError(
                f"{self}: the number of steps is a {steps.type}; wanted is an integer of rank 0"
            )
        steps = cast(steps, "int64")
        outer = self.parts(inputs[1:])
        fitted = [
            *(self._sequence(i, v) for i, v in enumerate(outer.sequences)),
            *(
                self._fitted(f"state {i}", v, w)
                for i, (v, w) in enumerate(zip(outer.states, self.step.states, strict=True))
            ),
            *(
                self._fitted(f"what is fixed as {i}", v, w)
                for i, (v, w) in enumerate(zip(outer.fixed, self.step.fixed, strict=True))
            ),
        ]
        return Apply(self, [steps, *fitted], [t.make_variable() for t in self._types(steps)])

    def _sequence(self, i: int, given: Any) -> Any:
        row = self.step.sequences[i].type
        made = as_tensor_variable(given)
        if made.type.ndim != row.ndim + 1:
            raise TypeError(
                f"{self}: sequence {i} is a {made.type}; wanted is one more axis than its rows "
                f"have, which are a {row}"
            )
        wanted = TensorType(row.dtype, (made.type.shape[0], *row.shape))
        return self._fitted(f"sequence {i}", made, wanted.make_variable())

    def _fitted(self, what: str, given: Any, inner: Variable) -> Any:
        if isinstance(given, Variable) and given.type == inner.type:
            return given
        try:
            return inner.type.filter_variable(given, allow_convert=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{self}: {what}: {error}") from None

    def _types(self, steps: Any) -> list[Any]:
        n = int(steps.data) if isinstance(steps, Constant) and not self.has_condition else None
        rows = [
            TensorType(row.type.dtype, (_kept_length(n, kept), *row.type.shape))
            for row, kept in zip(self.results.rows, self.kept, strict=True)
        ]
        count = [TensorType("int64", ())] if self.has_condition else []
        return [*(v.type for v in self.step.states), *rows, *count]

    def steps_made(self, node: Apply) -> Variable:
        """Return how many steps a node makes."""
        made: Variable = node.outputs[-1] if self.has_condition else node.inputs[0]
        return made

    # -- meaning -------------------------------------------------------------------------------

    def compute(self, node: Apply, *values: Any) -> Any:
        found = run_loop(self, self.fn, values)
        return found if len(found) > 1 else found[0]

    @cached_property
    def shapes(self) -> StepShapes:
        """The shapes of what a step computes."""
        return StepShapes(self.inputs, self.step.fixed, self.nodes)

    def _shapes_of_rows(self, shapes: Sequence[Any], fixed: Sequence[Variable]) -> list[Any]:
        """Return the shapes of what a step collects, in terms of the inputs' and of `fixed`."""
        outer = self.parts(shapes[1:])
        known = {
            **{v: s[1:] for v, s in zip(self.step.sequences, outer.sequences, strict=True)},
            **dict(zip(self.step.states, outer.states, strict=True)),
            **dict(zip(self.step.fixed, outer.fixed, strict=True)),
        }
        values = dict(zip(self.step.fixed, fixed, strict=True))
        return [self.shapes.outside(row, known, values) for row in self.results.rows]

    def rows_of_no_step(self, inputs: Sequence[Any]) -> list[Any]:
        """Return what is collected where no step is made: empty arrays.

        A length that depends on what is computed in a step is taken for 0.
        """
        values = zip(self.step.fixed, self.parts(inputs[1:]).fixed, strict=True)
        shapes = self._shapes_of_rows(
            [np.shape(x) for x in inputs], [v.type.make_constant(x) for v, x in values]
        )
        found = []
        for row, inferred in zip(self.results.rows, shapes, strict=True):
            known = row.type.shape if inferred is None else inferred
            shape = [0 if n is None else n for n in known]
            sides = [int(evaluate([n])[0]) if isinstance(n, Variable) else n for n in shape]
            found.append(np.empty((0, *sides), row.type.numpy_dtype))
        return found

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        outer = self.parts(shapes[1:])
        rows = self._shapes_of_rows(shapes, self.parts(node.inputs[1:]).fixed)
        found: list[Any] = list(outer.states)
        for i, (shape, kept) in enumerate(zip(rows, self.kept, strict=True)):
            out = node.outputs[self.n_states + i]
            if shape is None:
                found.append(tuple(Shape_i(axis)(out) for axis in range(out.type.ndim)))
            else:
                steps = self.steps_made(node)
                found.append((steps if kept is None else minimum(steps, kept), *shape))
        return [*found, *([()] if self.has_condition else [])]

    # -- gradients -----------------------------------------------------------------------------

    @cached_property
    def step_connections(self) -> list[list[bool]]:
        """Whether a gradient flows from each output of the step to each of its inputs."""
        return io_connection_pattern(self.inputs, self.outputs)

    def states_reached(self, live: Sequence[bool]) -> list[bool]:
        """Return to which states a gradient flows, through any number of steps.

        Parameters
        ----------
        live
            For each output of a node whether it has a gradient.
        """
        n = self.n_sequences
        has_gradient = list(live[: self.n_states + self.n_rows])
        while True:
            reached = [
                any(a and b for a, b in zip(row, has_gradient, strict=False))
                for row in self.step_connections[n : n + self.n_states]
            ]
            new = [a or b for a, b in zip(has_gradient, reached, strict=False)]
            if new == has_gradient[: self.n_states]:
                return new
            has_gradient[: self.n_states] = new

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        pattern = [[False] * len(node.outputs) for _ in node.inputs]
        n_live = self.n_states + self.n_rows
        for o in range(n_live):
            seeds = [k == o for k in range(n_live)]
            states = self.states_reached(seeds)
            live = [*states, *seeds[self.n_states :]]
            for i, row in enumerate(self.step_connections):
                pattern[1 + i][o] = any(a and b for a, b in zip(row, live, strict=False))
        for k in range(self.n_states):
            # where no step is made, the last state is the first one
            pattern[1 + self.n_sequences + k][k] = True
        return pattern


def _kept_length(steps: int | None, kept: int | None) -> int | None:
    return steps if kept is None or steps is None else min(steps, kept)
