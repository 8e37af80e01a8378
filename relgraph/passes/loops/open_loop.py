"""`OpenLoop`: a loop taken apart, so that its parts can be changed and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Apply, Variable, clone_replace
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.traversal import io_toposort
from relgraph.passes.loops.row_counts import has_as_many_rows, is_one_of_least
from relgraph.tensor.assertion import assert_
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import ge, le
from relgraph.tensor.shapes.shape import shape_i


@dataclass(eq=False)
class Given:
    """A sequence, or what is the same at each step: `inner` stands in the step for `outer`."""

    inner: Variable
    outer: Any


@dataclass(eq=False)
class State:
    """A state: what stands for it in the step, its first value and its value after a step; and the
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
        The same, computed from outputs of the new loop. What stands for one of these until it is
        put together is named as an old output in its place.
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

    def substitute(self, stands_for: Mapping[Variable, Variable]) -> None:
        """Replace variables of the step by others of the same types."""
        memo = dict(stands_for)
        outputs = self.outputs
        for node in io_toposort(memo, outputs):
            if not memo.keys().isdisjoint(node.inputs):
                copy = node.clone_with_new_inputs([memo.get(v, v) for v in node.inputs])
                memo.update(zip(node.outputs, copy.outputs, strict=True))
        self.set_outputs([memo.get(v, v) for v in outputs])

    # -- the loop ------------------------------------------------------------------------------

    def read_rows(self, sequence: Any) -> Any:
        """Return the rows of a sequence that the steps read, with a check that they are there."""
        if self.has_as_many_rows(sequence):
            return sequence
        steps: Any = self.steps
        length = shape_i(sequence, 0)
        if not is_one_of_least(length, steps):
            message = f"{self.op}: the number of steps"
            steps = assert_(steps, ge(steps, 0), le(steps, length), message=message)
        return sequence[:steps]

    def has_as_many_rows(self, array: Any) -> bool:
        """Return whether it is known that an array has a row for each step and no more."""
        return has_as_many_rows(array, self.steps)

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
