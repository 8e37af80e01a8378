"""Gradients of loops: a loop backwards, whose step is the gradient of the step.

The gradient by the states after a step gives that by the states before it; what all steps share
gets the sum of the gradients of the steps. The loop backwards reads the rows of the sequences and
the states from the last step to the first. What a step computes by a product of matrices or a
decomposition, and what it draws at random, it does not compute again: the loop forwards collects
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relgraph.gradient.barriers import filled_like, has_no_gradient, sum_of_gradients
from relgraph.graph.basic import Apply, Constant, Variable, ancestors, clone_replace
from relgraph.graph.traversal import io_toposort
from relgraph.graph.type import DisconnectedType, disconnected
from relgraph.passes.open_loop import has_as_many_rows
from relgraph.tensor.assembly import join, zeros, zeros_like
from relgraph.tensor.indexing import set_subtensor
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import MatrixProduct, le, minimum, switch
from relgraph.tensor.shapes import lengths, shape_i
from relgraph.tensor.type import TensorType

PullBacks = Callable[..., Callable[..., list[Any]]]
"""`relgraph.gradient.backward.PullBack`, which stands on this module."""


class LoopBackwards:
    """The loop that differentiates a loop.

    Parameters
    ----------
    node
        The node of a `Scan`.
    output_grads
        The gradient by each of its outputs, of `DisconnectedType` where there is none.
    wrt
        The positions of the inputs whose gradients are wanted.
    pull_backs
        Differentiates the step.

    Attributes
    ----------
    rows
        The variable of a row of a sequence in the step backwards, and the sequence, in the order in
        which the loop backwards reads it.
    states
        The variable of a state, its first value, and its value after a step.
    collected
        The position of an input of the node, and its gradient in a step.
    """

    def __init__(
        self, node: Apply, output_grads: Sequence[Any], wrt: Sequence[int], pull_backs: PullBacks
    ) -> None:
        assert isinstance(node.op, Scan)
        self.node = node
        self.op: Scan = node.op
        self.wrt = wrt
        self.grads = list(output_grads)
        self.made: Any = self.op.steps_made(node)
        limit = self.op.truncate_gradient
        self.steps: Any = self.made if limit < 0 else minimum(self.made, limit)
        self.rows: list[tuple[Variable, Any]] = []
        self.states: list[tuple[Variable, Any, Any]] = []
        self.collected: list[tuple[int, Any]] = []
        self.adjoints: dict[int, Variable] = {}
        self._pull_backs = pull_backs

    def gradients(self) -> list[Any]:
        """Return the gradient by each of the wanted inputs."""
        live = [not isinstance(g.type, DisconnectedType) for g in self.grads]
        seeds = self._seeds(live)
        found = self._step_backwards(seeds)
        for k, adjoint in self.adjoints.items():
            g = found.get(1 + self.op.n_sequences + k)
            state = self.op.step.states[k]
            new = filled_like(state, 0) if g is None or _is_disconnected(g) else g
            self.states.append((adjoint, self._last_gradient(k, live[k]), new))
        sums = self._shared_gradients(found)
        self._read_forward_values()
        results = self._run(sums)
        return [results.get(i, disconnected()) for i in self.wrt]

    # -- the step ------------------------------------------------------------------------------

    def _seeds(self, live: Sequence[bool]) -> dict[Variable, Any]:
        """Return the gradients by the outputs of the step, as inputs of the step backwards."""
        terms: dict[Variable, list[Any]] = {}
        results = self.op.results
        for k, reached in enumerate(self.op.states_reached(live)):
            state = self.op.step.states[k]
            if reached and isinstance(state.type, TensorType) and not has_no_gradient(state):
                self.adjoints[k] = state.type.make_variable()
                terms.setdefault(results.states[k], []).append(self.adjoints[k])
        for j, row in enumerate(results.rows):
            g = self.grads[self.op.n_states + j]
            if live[self.op.n_states + j] and not has_no_gradient(row):
                kind = TensorType(row.type.dtype, g.type.shape[1:])
                variable = kind.make_variable()
                self.rows.append((variable, self._all_rows(j, g[::-1])))
                terms.setdefault(row, []).append(variable)
        return {v: sum_of_gradients(given) for v, given in terms.items()}

    def _all_rows(self, j: int, g: Any) -> Any:
        """Return gradients by the rows of the last steps with zeros for those that are not kept."""
        if self.op.kept[j] is None:
            return g
        missing = (self.made - shape_i(g, 0), *lengths(g)[1:])
        return join(0, g, zeros(missing, g.type.dtype))

    def _step_backwards(self, seeds: dict[Variable, Any]) -> dict[int, Any]:
        """Return the gradients of a step by its inputs, by their positions in the node."""
        first = 1 + self.op.n_sequences
        wanted = [
            i
            for i in range(1, len(self.node.inputs))
            if i - first in self.adjoints
            or (i in self.wrt and not first <= i < first + self.op.n_states)
        ]
        variables = [self.op.inputs[i - 1] for i in wanted]
        if not seeds or not variables:
            return {}
        pull_back = self._pull_backs(
            list(seeds), variables, None, "ignore", "disconnected", fixed=False
        )
        return dict(zip(wanted, pull_back(seeds), strict=True))

    def _last_gradient(self, k: int, live: bool) -> Any:
        if live:
            return self.grads[k]
        return filled_like(self.op.parts(self.node.inputs[1:]).states[k], 0)

    def _shared_gradients(self, found: dict[int, Any]) -> dict[int, int]:
        """Add what is collected, and states for sums; return the positions of these by input."""
        sums: dict[int, int] = {}
        first = 1 + self.op.n_sequences
        for i, g in found.items():
            if _is_disconnected(g):
                continue
            if i < first:
                self.collected.append((i, g))
            elif i >= first + self.op.n_states:
                total = self.op.inputs[i - 1].type.make_variable()
                sums[i] = len(self.states)
                zero = filled_like(self.node.inputs[i], 0)
                self.states.append((total, zero, total._ops.add(total, g)))
        return sums

    # -- what the loop forwards has computed ---------------------------------------------------

    def _read_forward_values(self) -> None:
        """Make rows of what the step backwards needs of the step forwards."""
        results = [*(new for _, _, new in self.states), *(g for _, g in self.collected)]
        kept = _kept_values(self.op, results)
        if kept:
            stands_for = {v: v.type.make_variable(v.name) for v in kept}
            results = clone_replace(results, stands_for)
            n = len(self.states)
            self.states = [
                (v, first, new) for (v, first, _), new in zip(self.states, results[:n], strict=True)
            ]
            self.collected = [(i, g) for (i, _), g in zip(self.collected, results[n:], strict=True)]
        used = set(ancestors(results))
        outer = self.op.parts(self.node.inputs[1:])
        for row, sequence in zip(self.op.step.sequences, outer.sequences, strict=True):
            if row in used:
                self.rows.append((row, self._reversed(sequence)))
        read = [k for k, state in enumerate(self.op.step.states) if state in used]
        before = {k: self._rows_before(k) for k in read}
        missing = [k for k in read if before[k] is None]
        collected = self._collected_forwards([*kept, *(self.op.step.states[k] for k in missing)])
        for v, array in zip(kept, collected, strict=False):
            self.rows.append((stands_for[v], self._reversed(array)))
        before.update(zip(missing, collected[len(kept) :], strict=True))
        for k in read:
            self.rows.append((self.op.step.states[k], self._reversed(before[k])))

    def _reversed(self, array: Any) -> Any:
        """Return the rows that were read or computed, from the last one on."""
        if not self._has_as_many_rows(array):
            array = array[: self.made]
        return array[::-1]

    def _has_as_many_rows(self, array: Any) -> bool:
        """Return whether it is known that there is a row for each step and no more."""
        return array.owner is self.node or has_as_many_rows(array, self.made)

    def _rows_before(self, k: int) -> Any:
        """Return the values of a state before each step, and maybe one more; None if they were not
        collected."""
        results = self.op.results
        outer = self.op.parts(self.node.inputs[1:])
        first = outer.states[k]
        new = results.states[k]
        after = None
        made = self.op.split_results(self.node.outputs)
        for row, kept, array in zip(results.rows, self.op.kept, made.rows, strict=True):
            if row is new and kept is None:
                after = array
        if after is None:
            return None
        return join(0, first.dimshuffle("x", *range(first.type.ndim)), after[:-1])

    def _collected_forwards(self, variables: Sequence[Variable]) -> list[Any]:
        """Return the values that variables of the step have at each step."""
        if not variables:
            return []
        op = self.op
        results = op.results
        more = op.changed(
            outputs=(*results.states, *results.rows, *variables, *results.stop),
            kept=(*op.kept, *(None for _ in variables)),
        )
        outputs = more(*self.node.inputs, return_list=True)
        return more.split_results(outputs).rows[op.n_rows :]

    # -- the loop ------------------------------------------------------------------------------

    def _run(self, sums: dict[int, int]) -> dict[int, Any]:
        """Return the gradients by the positions of the inputs of the node."""
        if not self.states and not self.collected:
            return {}
        op = self.op
        outer = op.parts(self.node.inputs[1:])
        outputs = [*(new for _, _, new in self.states), *(g for _, g in self.collected)]
        used = set(ancestors(outputs))
        rows = [(v, array) for v, array in self.rows if v in used]
        fixed = [(v, w) for v, w in zip(op.step.fixed, outer.fixed, strict=True) if v in used]
        backwards = Scan(
            [*(v for v, _ in rows), *(v for v, _, _ in self.states), *(v for v, _ in fixed)],
            outputs,
            len(rows),
            len(self.states),
            name=None if op.name is None else f"gradient of {op.name}",
        )
        made = backwards.split_results(
            backwards(
                self.steps,
                *(array for _, array in rows),
                *(first for _, first, _ in self.states),
                *(w for _, w in fixed),
                return_list=True,
            )
        )
        found: dict[int, Any] = {i: made.states[position] for i, position in sums.items()}
        for position, k in enumerate(self.adjoints):
            found[1 + op.n_sequences + k] = self._first_gradient(made.states[position])
        for (i, _), array in zip(self.collected, made.rows, strict=True):
            found[i] = self._placed(self.node.inputs[i], array[::-1])
        return found

    def _first_gradient(self, g: Any) -> Any:
        """Return the gradient by a first state: zero, if gradients end before they come there."""
        return g if self.op.truncate_gradient < 0 else switch(le(self.made, self.steps), g, 0)

    def _placed(self, sequence: Any, g: Any) -> Any:
        """Return the gradient by a sequence, of whose rows some may not have been read."""
        if self.op.truncate_gradient < 0 and self._has_as_many_rows(sequence):
            return g
        read = zeros_like(sequence)[self.made - self.steps : self.made]
        return set_subtensor(read, g)


def _is_disconnected(g: Any) -> bool:
    return isinstance(g.type, DisconnectedType)


def _kept_values(op: Scan, results: Sequence[Variable]) -> list[Variable]:
    """Return what of the step forwards the step backwards reads and does not compute again.

    That is what a node that is not `_cheap` computes from the rows and states alone, or from what
    is no tensor.
    """
    forwards = set(op.inputs)
    changing = {*op.step.sequences, *op.step.states}
    kept: dict[Variable, None] = {}
    for node in io_toposort([], results):
        if not all(v in forwards or isinstance(v, Constant) for v in node.inputs):
            continue
        forwards.update(node.outputs)
        if changing.isdisjoint(node.inputs):
            continue
        changing.update(node.outputs)
        if not _cheap(node):
            kept.update((v, None) for v in node.outputs if isinstance(v.type, TensorType))
    # others are read by way of these alone
    reached = set(ancestors(results, kept))
    return [v for v in kept if v in reached]


def _cheap(node: Apply) -> bool:
    if not node.op.pure or not all(isinstance(v.type, TensorType) for v in node.inputs):
        return False
    return not isinstance(node.op, MatrixProduct | MatrixOp)
