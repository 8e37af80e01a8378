"""`Scan`: a loop as one op, whose inner graph is a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable, io_connection_pattern
from relgraph.graph.op import HasInnerGraph, Op
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.loops.inner_graph import StepShapes, structure
from relgraph.tensor.loops.inner_storage import ordered, overwrites, sharing
from relgraph.tensor.loops.running import Step, run_loop, step_of_nodes
from relgraph.tensor.math import cast, minimum
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.tensor.type import TensorType


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
        self.nodes, inner_key = structure(self.inputs, self.outputs)
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

    @property
    def inner_inputs(self) -> list[Variable]:
        return list(self.inputs)

    @property
    def inner_outputs(self) -> list[Variable]:
        return list(self.outputs)

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

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        with np.errstate(all="ignore"):
            self.run(self.fn, inputs, output_storage)

    def run(self, step: Step, inputs: Sequence[Any], output_storage: Sequence[list[Any]]) -> None:
        """Run the loop by a function that computes the outputs of a step from its inputs."""
        for cell, value in zip(output_storage, run_loop(self, step, inputs), strict=True):
            cell[0] = value

    @cached_property
    def shapes(self) -> StepShapes:
        """The shapes of what a step computes."""
        return StepShapes(self.inputs, self.step.fixed, self.nodes)

    def rows_of_no_step(self, inputs: Sequence[Any]) -> list[Any]:
        """Return what is collected where no step is made: empty arrays."""
        outer = self.parts(inputs[1:])
        shapes = {
            **{v: x.shape[1:] for v, x in zip(self.step.sequences, outer.sequences, strict=True)},
            **{
                v: np.shape(x)
                for v, x in zip(
                    (*self.step.states, *self.step.fixed),
                    (*outer.states, *outer.fixed),
                    strict=True,
                )
            },
        }
        values = dict(zip(self.step.fixed, outer.fixed, strict=True))
        return [
            np.empty((0, *self.shapes.before_a_step(row, shapes, values)), row.type.numpy_dtype)
            for row in self.results.rows
        ]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        outer = self.parts(shapes[1:])
        known = {
            **{v: s[1:] for v, s in zip(self.step.sequences, outer.sequences, strict=True)},
            **dict(zip(self.step.states, outer.states, strict=True)),
            **dict(zip(self.step.fixed, outer.fixed, strict=True)),
        }
        values = dict(zip(self.step.fixed, self.parts(node.inputs[1:]).fixed, strict=True))
        found: list[Any] = list(outer.states)
        for i, (row, kept) in enumerate(zip(self.results.rows, self.kept, strict=True)):
            out = node.outputs[self.n_states + i]
            shape = self.shapes.outside(row, known, values)
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
