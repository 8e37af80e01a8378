"""`OpenLoop`: a loop taken apart, so that its parts can be changed and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable, clone_replace
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.traversal import io_toposort, walk
from relgraph.tensor.basic import Assert, assert_
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import ge, le, minimum
from relgraph.tensor.shapes import MakeVector, Reshape, Shape_i, inferred_shape, shape_i
from relgraph.tensor.subtensor import Placeholder, Slice, Subtensor

_FIRST = Slice(None, Placeholder.INTEGER)
_BACKWARDS = Slice(None, None, -1)


def has_as_many_rows(array: Any, steps: Any) -> bool:
    """Return whether it is known that the first axis of an array is as long as `steps` says."""
    if isinstance(steps, Constant):
        return bool(array.type.shape[0] == int(steps.data))
    asked, axis = steps.owner, 0
    while True:
        if asked is not None and asked.op == Shape_i(axis) and asked.inputs[0] is array:
            return True
        node = array.owner
        if node is None:
            return False
        if axis == 0 and isinstance(node.op, Scan):
            whole = array in node.op.split_results(node.outputs).rows
            return whole and not node.op.has_condition and node.inputs[0] is steps
        if axis == 0 and isinstance(node.op, Subtensor) and node.op.idx_list[:1] == (_FIRST,):
            stop = node.inputs[1]
            if stop.owner is not None and isinstance(stop.owner.op, Assert):
                return stop.owner.inputs[0] is steps
            return stop is steps and is_one_of_least(shape_i(node.inputs[0], 0), steps)
        length = getattr(_length(array, axis), "owner", None)
        if length is None or not isinstance(length.op, Shape_i):
            return False
        array, axis = length.inputs[0], length.op.i


def _length(array: Any, axis: int) -> Any:
    """Return the length of an axis of an array in terms of those that it is computed from."""
    op, inputs = array.owner.op, array.owner.inputs
    if axis == 0 and isinstance(op, Subtensor) and op.idx_list[:1] == (_BACKWARDS,):
        return Shape_i(0)(inputs[0])
    if isinstance(op, Reshape):
        shape = inputs[1].owner
        return (
            shape.inputs[axis] if shape is not None and isinstance(shape.op, MakeVector) else None
        )
    found = inferred_shape(array)
    return None if found is None else found[axis]


def is_one_of_least(length: Variable, steps: Variable) -> bool:
    """Return whether a number of steps is the least of some lengths, one of which is given."""
    asked = length.owner

    def lengths(v: Variable) -> list[Variable] | None:
        return v.owner.inputs if v.owner is not None and v.owner.op is minimum else None

    owners = [v.owner for v in walk([steps], lengths) if v.owner is not None]
    return asked is not None and any(
        node.op is asked.op and node.inputs == asked.inputs for node in owners
    )


@dataclass(eq=False)
class Given:
    """A sequence, or what is the same at each step: `inner` stands in the step for `outer`."""

    inner: Variable
    outer: Any


@dataclass(eq=False)
class State:
    """A state: its variable in the step, its first value and its value after a step; and the
    outputs of old loops that are its last value."""

    inner: Variable
    first: Any
    new: Variable
    last: list[Variable]


@dataclass(eq=False)
class Row:
    """What is collected: its value in a step, of how many steps it is kept, and the outputs of old
    loops that hold it."""

    value: Variable
    kept: int | None
    arrays: list[Variable]


class OpenLoop:
    """A loop taken apart.

    Attributes
    ----------
    op
        What it was.
    steps
        The number of steps.
    sequences, fixed, states, rows
        Its parts.
    stop
        The condition, or an empty list.
    count
        The old outputs that are the number of steps made.
    replaced
        What takes the place of old outputs that are no output any longer.
    computed
        The same, computed from outputs of the new loop. Until the loop is built, a
        placeholder of each is named as an old output.
    """

    def __init__(self, node: Apply) -> None:
        assert isinstance(node.op, Scan)
        op: Scan = node.op
        self.op = op
        self.steps = node.inputs[0]
        outer = op.parts(node.inputs[1:])
        made = op.split_results(node.outputs)
        step, results = op.step, op.results
        self.sequences = _given(step.sequences, outer.sequences)
        self.fixed = _given(step.fixed, outer.fixed)
        self.states = [
            State(inner, first, new, [last])
            for inner, first, new, last in zip(
                step.states, outer.states, results.states, made.states, strict=True
            )
        ]
        self.rows = [
            Row(value, kept, [array])
            for value, kept, array in zip(results.rows, op.kept, made.rows, strict=True)
        ]
        self.stop = list(results.stop)
        self.count = list(made.stop)
        self.replaced: dict[Variable, Any] = {}
        self.computed: dict[Variable, Any] = {}

    # -- the step ------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[Variable]:
        """The inputs of the step."""
        parts: list[Given | State] = [*self.sequences, *self.states, *self.fixed]
        return [part.inner for part in parts]

    @property
    def outputs(self) -> list[Variable]:
        """The outputs of the step."""
        return [*(s.new for s in self.states), *(r.value for r in self.rows), *self.stop]

    def nodes(self) -> list[Apply]:
        """Return the nodes of the step, in order."""
        return io_toposort(self.inputs, self.outputs)

    def set_outputs(self, outputs: Iterable[Variable]) -> None:
        """Replace the outputs of the step."""
        rest = iter(outputs)
        for state in self.states:
            state.new = next(rest)
        for row in self.rows:
            row.value = next(rest)
        self.stop = list(rest)

    def substituted(self, stands_for: Mapping[Variable, Variable]) -> list[Variable]:
        """Return the outputs of the step with others for some variables, of the same types."""
        memo = dict(stands_for)
        outputs = self.outputs
        for node in io_toposort(memo, outputs):
            if not memo.keys().isdisjoint(node.inputs):
                copy = node.clone_with_new_inputs([memo.get(v, v) for v in node.inputs])
                memo.update(zip(node.outputs, copy.outputs, strict=True))
        return [memo.get(v, v) for v in outputs]

    def substitute(self, stands_for: Mapping[Variable, Variable]) -> None:
        """Replace variables of the step by others of the same types."""
        self.set_outputs(self.substituted(stands_for))

    # -- the loop ------------------------------------------------------------------------------

    def read_rows(self, sequence: Any) -> Any:
        """Return the rows of a sequence that the steps read, with a check that they are there."""
        if has_as_many_rows(sequence, self.steps):
            return sequence
        steps: Any = self.steps
        length = shape_i(sequence, 0)
        if not is_one_of_least(length, steps):
            message = f"{self.op}: the number of steps"
            steps = assert_(steps, ge(steps, 0), le(steps, length), message=message)
        return sequence[:steps]

    def close(self) -> dict[Variable, Any]:
        """Put the loop together; return for each of the old outputs what takes its place."""
        op = Scan(
            self.inputs,
            self.outputs,
            len(self.sequences),
            len(self.states),
            bool(self.stop),
            [row.kept for row in self.rows],
            self.op.truncate_gradient,
            self.op.name,
        )
        outer = [
            *(part.outer for part in self.sequences),
            *(state.first for state in self.states),
            *(part.outer for part in self.fixed),
        ]
        found = dict(self.replaced)
        if not self.outputs:
            return found
        made = op.split_results(op(self.steps, *outer, return_list=True))
        pairs = [
            *(
                (old, new)
                for s, new in zip(self.states, made.states, strict=True)
                for old in s.last
            ),
            *((old, new) for r, new in zip(self.rows, made.rows, strict=True) for old in r.arrays),
            *((old, new) for new in made.stop for old in self.count),
        ]
        found.update(pairs)
        if self.computed:
            stands_for = {old: new for old, new in pairs if old.owner is None}
            exprs = clone_replace(list(self.computed.values()), stands_for)
            found.update(zip(self.computed, exprs, strict=True))
        return {old: new for old, new in found.items() if old.owner is not None}


def _given(inner: Iterable[Variable], outer: Iterable[Any]) -> list[Given]:
    return [Given(a, b) for a, b in zip(inner, outer, strict=True)]


def loops_in(fgraph: FunctionGraph) -> list[Apply]:
    """Return the loops of a graph, in order."""
    if not any(type(node.op) is Scan for node in fgraph.apply_nodes):
        return []
    return [node for node in fgraph.toposort() if type(node.op) is Scan]


def put_in_place(fgraph: FunctionGraph, found: Mapping[Variable, Any], reason: str) -> bool:
    """Replace the outputs of a loop that something reads; return whether all of them fit."""
    pairs = [(old, new) for old, new in found.items() if fgraph.clients[old]]
    fitted = [(old, old.type.fit(new, old)) for old, new in pairs]
    if any(new is None for _, new in fitted):
        return False
    for old, new in fitted:
        fgraph.replace(old, new, reason=reason)
    return True


Change = Callable[[OpenLoop, FunctionGraph], bool]
"""Changes a loop of a graph that is taken apart; returns whether it did."""


class LoopPass(GlobalOptimizer):
    """Changes the loops of a graph one after the other, the last one first.

    Parameters
    ----------
    change
        What is done to each.
    """

    def __init__(self, change: Change) -> None:
        self.change = change

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops were changed."""
        changed = 0
        for node in reversed(loops_in(fgraph)):
            if node not in fgraph.apply_nodes:
                continue
            loop = OpenLoop(node)
            if self.change(loop, fgraph):
                changed += put_in_place(fgraph, loop.close(), self.name or str(self))
        return changed
