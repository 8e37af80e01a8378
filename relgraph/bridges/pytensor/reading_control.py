"""Loops of PyTensor's, branches, checks, graphs within graphs, and what is only about gradients or
storage.

PyTensor's states are arrays with a row for each step, the first rows of which are given; here a
state is handed from step to step, and its rows are collected. A loop is read where these arrays are
new, as `scan` makes them, and is held where they are something else: where rewriting has made them
shorter than the loop is long.

The gradient of a loop goes through such an array too, and changes rows that a step before may have
changed: each step is handed the rows that it may read or change, and one leaves these for good.

A part of such an array is read as what it is: what comes after the first rows is taken of the rows
that the loop collects, and the last row is the last state. Only for the rest a join is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from pytensor.compile import ops
from pytensor.graph.basic import Constant as PyTensorConstant
from pytensor.printing import Print
from pytensor.scalar.basic import Minimum
from pytensor.tensor.basic import Alloc, AllocEmpty, ScalarFromTensor
from pytensor.tensor.subtensor import IncSubtensor, Subtensor

import relgraph.tensor as at
from relations.kit.index_arithmetic import BasicIndex, located_in_join, taken_at, trimmed
from relgraph.bridges.pytensor.counterparts import with_lengths
from relgraph.gradient.barriers import GradientBarrier, grad_clip, grad_scale
from relgraph.graph.basic import Variable
from relgraph.printing import Print as OurPrint
from relgraph.tensor.basic import Assert as OurAssert
from relgraph.tensor.basic import CheckAndRaise
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.subtensor import IndexList
from relgraph.tensor.type import TensorType

# How PyTensor has ``[:stop]``, its stop being the first of the inputs of the index.
_BEGINNING = (slice(None, 0, None),)


def loop(reader: Any, node: Any, *inputs: Any) -> Any:
    """Read a loop, or return None if it can't be said."""
    op, info = node.op, node.op.info
    buffers = [*op.outer_mitsot(node.inputs), *op.outer_sitsot(node.inputs)]
    taps = [*info.mit_sot_in_slices, *info.sit_sot_in_slices]
    first = [
        _first_rows(reader, v, node.inputs[0], -min(t)) for v, t in zip(buffers, taps, strict=True)
    ]
    if any(rows is None for rows in first) or _is_cut_short(node) or not _of_tensors(op):
        return None
    ours = dict(zip(node.inputs, inputs, strict=True))
    windows = [
        _Window(ours[v], reads, changes)
        for v, reads, changes in zip(
            op.outer_mitmot(node.inputs),
            info.mit_mot_in_slices,
            info.mit_mot_out_slices,
            strict=True,
        )
    ]
    if windows and (info.as_while or any(w.least < 0 for w in windows)):
        return None
    chains = [_Chain(rows, t) for rows, t in zip(first, taps, strict=True)]
    untraced = [ours[v] for v in op.outer_untraced_sit_sot(node.inputs)]
    made = _Step(reader, op, windows, chains)
    scan = Scan(
        [*made.sequences, *made.states, *made.untraced, *made.fixed],
        [*made.next_states, *made.next_untraced, *made.rows, *made.stop],
        len(made.sequences),
        len(made.states) + len(untraced),
        bool(made.stop),
    )
    states = [row for window in windows for row in window.rows()]
    states += [row for chain in chains for row in chain.rows()]
    given = [
        *[window.array[window.depth :] for window in windows],
        *[reader.variable(_uncut(v, node.inputs[0])) for v in op.outer_seqs(node.inputs)],
        *[with_lengths(v, s.type) for v, s in zip(states, made.states, strict=True)],
        *untraced,
        *[ours[v] for v in op.outer_non_seqs(node.inputs)],
    ]
    results = scan.split_results(scan(inputs[0], *given, return_list=True))
    last, all_rows = iter(results.states), iter(results.rows)
    changed = [
        w.changed(inputs[0], rows, list(islice(last, w.depth)))
        for w, rows in zip(windows, islice(all_rows, len(windows)), strict=True)
    ]
    of_chains = list(islice(all_rows, len(chains)))
    reader.traces |= {
        theirs: Trace(chain.first, rows, list(islice(last, chain.depth)))
        for theirs, rows, chain in zip(
            node.outputs[len(windows) :], of_chains, chains, strict=False
        )
    }
    traces = [
        at.concatenate([chain.first, rows]) for chain, rows in zip(chains, of_chains, strict=True)
    ]
    return [*changed, *traces, *all_rows, *results.states[len(made.states) :]]


class Trace(NamedTuple):
    """The array of a state.

    Attributes
    ----------
    first, rows
        Its first rows, and those of the steps.
    last
        The last values of the state, as many as there are first rows, the oldest first.
    """

    first: Variable
    rows: Variable
    last: list[Variable]

    def part(self, index: IndexList, inputs: Sequence[Any]) -> Any:
        """Return a part that is known to need no array of all rows, or None."""
        at, *others = index
        located = located_in_join(at, [len(self.last), None])
        if located is not None:
            which, entry = located
            return taken_at((self.first, self.rows)[which], _index(entry, *others, inputs=inputs))
        if isinstance(at, int) and -len(self.last) <= at < 0:
            return taken_at(self.last[at], _index(*others, inputs=inputs))
        return None


def _index(*entries: Any, inputs: Sequence[Any]) -> BasicIndex:
    return BasicIndex(trimmed(entries), tuple(inputs))


def _of_tensors(op: Any) -> bool:
    """Return whether what is the same at each step are tensors, and what is read row by row."""
    return all(hasattr(v.type, "dtype") for v in op.inner_seqs(op.inner_inputs))


def _is_cut_short(node: Any) -> bool:
    """Return whether a loop is the gradient of one that goes a few steps back alone: it collects
    its rows in longer arrays."""
    steps = node.inputs[0].owner
    is_least = steps is not None and isinstance(getattr(steps.op, "scalar_op", None), Minimum)
    return is_least and any(n is not node.inputs[0] for n in node.op.outer_nitsot(node.inputs))


def _uncut(sequence: Any, steps: Any) -> Any:
    """Return a sequence that is cut to the number of steps as it was before: here it may be longer
    than the loop."""
    node = sequence.owner
    if node is None or not isinstance(node.op, Subtensor) or node.op.idx_list != _BEGINNING:
        return sequence
    whole, stop = node.inputs
    if stop.owner is not None and isinstance(stop.owner.op, ScalarFromTensor):
        stop = stop.owner.inputs[0]
    return whole if stop is steps else sequence


def _first_rows(reader: Any, buffer: Any, steps: Any, depth: int) -> Any:
    """Return the first rows, read, of an array that is otherwise new, and has a row more for each
    step; None if it is another one.

    Parameters
    ----------
    depth
        How many rows there are if they are as new as the others.
    """
    node = buffer.owner
    if node is not None and isinstance(node.op, Alloc):
        is_new = _is_longer_by(node.inputs[1], steps, lambda v: _number(v) == depth, depth)
        return reader.variable(buffer)[:depth] if is_new else None
    if node is None or not isinstance(node.op, IncSubtensor) or not node.op.set_instead_of_inc:
        return None
    array, rows = node.inputs[:2]
    whole = node.op.idx_list == _BEGINNING
    is_new = array.owner is not None and isinstance(array.owner.op, AllocEmpty | Alloc)
    if not (whole and is_new and rows.type.ndim == array.type.ndim):
        return None
    lengths = array.owner.inputs[isinstance(array.owner.op, Alloc) :]
    count = rows.type.shape[0]
    is_new = _is_longer_by(lengths[0], steps, lambda v: _is_length_of(v, rows), count)
    return reader.variable(rows) if is_new else None


def _is_longer_by(
    length: Any, steps: Any, is_count: Callable[[Any], bool], count: int | None
) -> bool:
    """Return whether a length is written as the number of steps and that of the first rows, or all
    three are known."""
    known = _number(length), _number(steps)
    if None not in known:
        return bool(count is not None and known[0] == known[1] + count)
    if length.owner is None or len(length.owner.inputs) != 2:
        return False
    parts = length.owner.inputs
    return str(length.owner.op) == "Add" and any(
        a is steps and is_count(b) for a, b in (parts, parts[::-1])
    )


def _number(v: Any) -> Any:
    """Return the number that a constant of rank 0 is, else None."""
    is_number = isinstance(v, PyTensorConstant) and np.ndim(v.data) == 0
    return int(v.data) if is_number else None


def _is_length_of(v: Any, rows: Any) -> bool:
    """Return whether `v` is written ``rows.shape[0]``."""
    node = v.owner
    if node is None or not node.inputs or node.inputs[0].owner is None:
        return False
    shape = node.inputs[0].owner
    return type(shape.op).__name__ == "Shape" and shape.inputs[0] is rows


class _Chain:
    """The last values of a state, the oldest first.

    Parameters
    ----------
    first
        Its first rows.
    taps
        Which of them a step reads: -1 for the last one.
    """

    def __init__(self, first: Any, taps: Sequence[int]) -> None:
        self.taps = tuple(taps)
        self.depth = -min(taps)
        self.first = first if first.type.shape[0] == self.depth else first[: self.depth]

    def rows(self) -> list[Any]:
        return [self.first[i] for i in range(self.depth)]


class _Window:
    """The rows of an array that a step may read or change: at step t those from t on.

    Parameters
    ----------
    array
        The array as it is before the loop.
    reads, changes
        Which rows a step reads and changes: 0 for row t.
    """

    def __init__(self, array: Any, reads: Sequence[int], changes: Sequence[int]) -> None:
        self.array, self.reads, self.changes = array, tuple(reads), tuple(changes)
        self.least, self.depth = min((*reads, *changes)), max((*reads, *changes))

    def rows(self) -> list[Any]:
        return [self.array[i] for i in range(self.depth)]

    def changed(self, steps: Any, left: Any, last: Sequence[Any]) -> Any:
        """Return the array after the loop, of the rows that were left and those of the end."""
        parts = [left, *(at.expand_dims(row, 0) for row in last)]
        return at.concatenate([*parts, self.array[steps + self.depth :]])


class _Step:
    """The step of a loop, read: its inputs and outputs by use, as `Scan` takes them."""

    def __init__(
        self, reader: Any, op: Any, windows: Sequence[_Window], chains: Sequence[_Chain]
    ) -> None:
        fresh = {v: reader.fresh(v) for v in op.inner_inputs}
        self.windows: list[list[Any]] = []
        for window, group in zip(windows, op.inner_mitmot_grouped(op.inner_inputs), strict=True):
            self.windows.append(_row_variables(fresh, window.reads, group, range(window.depth + 1)))
        self.sequences = [window[-1] for window in self.windows]
        self.sequences += [fresh[v] for v in op.inner_seqs(op.inner_inputs)]
        self.untraced = [fresh[v] for v in op.inner_untraced_sit_sot(op.inner_inputs)]
        self.fixed = [fresh[v] for v in op.inner_non_seqs(op.inner_inputs)]
        self.states: list[Any] = [row for window in self.windows for row in window[:-1]]
        read = [*op.inner_mitsot_grouped(op.inner_inputs)]
        read += [[v] for v in op.inner_sitsot(op.inner_inputs)]
        for chain, group in zip(chains, read, strict=True):
            self.states += _row_variables(fresh, chain.taps, group, range(-chain.depth, 0))
        ours = dict(zip(op.inner_outputs, reader.inner(op.fgraph, fresh.values()), strict=False))
        self.next_states: list[Any] = []
        self.rows: list[Any] = []
        grouped = op.inner_mitmot_outs_grouped(op.inner_outputs)
        for window, rows, outs in zip(windows, self.windows, grouped, strict=True):
            after = list(rows)
            for place, out in zip(window.changes, outs, strict=True):
                after[place] = with_lengths(ours[out], rows[place].type)
            self.rows.append(after[0])
            self.next_states += after[1:]
        self._split(op, ours, chains)

    def _split(self, op: Any, ours: dict[Any, Any], chains: Sequence[_Chain]) -> None:
        outputs = op.inner_outputs
        traced = [*op.inner_mitsot_outs(outputs), *op.inner_sitsot_outs(outputs)]
        at_state = len(self.next_states)
        for chain, out in zip(chains, traced, strict=True):
            old = self.states[at_state : at_state + chain.depth]
            new = with_lengths(ours[out], old[-1].type)
            self.next_states += [*old[1:], new]
            self.rows.append(new)
            at_state += chain.depth
        self.rows += [ours[v] for v in op.inner_nitsot_outs(outputs)]
        self.next_untraced = [ours[v] for v in op.inner_untraced_sit_sot_outs(outputs)]
        self.stop = [ours[outputs[-1]]] if op.info.as_while else []


def _row_variables(
    fresh: dict[Any, Any], places: Sequence[int], group: Sequence[Any], wanted: Iterable[int]
) -> list[Any]:
    """Return the variables of the rows at some places; new ones for those that no step reads.

    Parameters
    ----------
    fresh
        The variables, by PyTensor's.
    places, group
        The places that a step reads, and PyTensor's variables for them.
    """
    known = dict(zip(places, group, strict=True))
    return [fresh[known[k]] if k in known else fresh[group[0]].clone() for k in wanted]


def branches(reader: Any, node: Any, condition: Any, *values: Any) -> Any:
    """Read an IfElse on tensors; a branch that is no tensor is held."""
    n = node.op.n_outs
    if not all(isinstance(v.type, TensorType) for v in values):
        return None
    return IfElse(n)(condition, *values, return_list=True)


def checked(reader: Any, node: Any, value: Any, *conditions: Any) -> Any:
    """Read an Assert, or a check that raises another error."""
    if not conditions or not isinstance(value.type, TensorType):
        return None
    error = node.op.exc_type
    op = OurAssert(node.op.msg) if error is AssertionError else CheckAndRaise(error, node.op.msg)
    return op(value, *conditions)


def inlined(reader: Any, node: Any, *inputs: Any) -> Any:
    """Read the graph within an OpFromGraph in its place."""
    inner = node.op.fgraph
    fitting = [
        at.cast(x, v.type.dtype) if _other_dtype(x, v) else x
        for x, v in zip(inputs, inner.inputs, strict=True)
    ]
    return reader.inner(inner, fitting)


def _other_dtype(x: Any, v: Any) -> bool:
    return isinstance(x.type, TensorType) and bool(x.type.dtype != v.type.dtype)


def printed(reader: Any, node: Any, x: Any) -> Any:
    """Read a Print of the value alone."""
    op = node.op
    plain = tuple(op.attrs) == ("__str__",) and op.global_fn is Print("").global_fn
    return OurPrint(op.message)(x) if plain else None


def same(reader: Any, node: Any, x: Any) -> Any:
    """Read an op that is about storage alone; those derived from it are about gradients."""
    return x if type(node.op) in (ops.ViewOp, ops.DeepCopyOp) else None


TABLE: dict[str, Callable[..., Any]] = {
    "scan.op.Scan": loop,
    "conditional.op.IfElse": branches,
    "raise_op.Assert": checked,
    "raise_op.CheckAndRaise": checked,
    "compile.builders.OpFromGraph": inlined,
    "printing.Print": printed,
    "compile.ops.ViewOp": same,
    "compile.ops.DeepCopyOp": same,
    "gradient.DisconnectedGrad": lambda reader, node, x: GradientBarrier(False)(x),
    "gradient.GradClip": lambda reader, node, x: grad_clip(
        x, node.op.clip_lower_bound, node.op.clip_upper_bound
    ),
    "gradient.GradScale": lambda reader, node, x: grad_scale(x, node.op.multiplier),
    "gradient.ZeroGrad": lambda reader, node, x: GradientBarrier(True)(x),
}
