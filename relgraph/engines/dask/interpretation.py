"""`Run`: lowers what the outputs of a graph need, and computes what has to be known on the way.

A loop of which only the sequences are cut runs a block of steps in one task, any other one a step
at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed

from relgraph.engines.dask.blocks import (
    Blocks,
    has_several,
    is_blocked,
    performed,
    whole_task,
    without_empty_blocks,
)
from relgraph.engines.dask.lowering.dispatch import (
    TABLE,
    becomes_large,
    entry_of,
    from_task,
    is_in_memory,
    lower,
    on_the_whole,
    output_shapes,
    register,
)
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.traversal import general_toposort
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.loops.scan_op import LoopParts, Scan, number_of_steps, run_steps
from relgraph.tensor.type import TensorType

WAY_OF_BRANCHES = "the condition is computed, and what needs the branch that is taken"
TABLE[IfElse] = TABLE[Op]._replace(way=WAY_OF_BRANCHES, reads=lambda node: [0])


class Run:
    """The values of variables, as far as they are lowered.

    Parameters
    ----------
    values
        Those of the inputs.
    blocks
        How arrays are cut.
    """

    def __init__(self, values: Mapping[Variable, Any], blocks: Blocks) -> None:
        self._values = dict(values)
        self._blocks = blocks

    def outputs(self, variables: Sequence[Variable]) -> list[Any]:
        """Return the values of variables: NumPy arrays, Dask arrays, or what is no array.

        Values that have to be known are computed together, once everything that can be lowered
        without them is.
        """
        while missing := [v for v in variables if not self._has(v)]:
            needed: dict[Variable, None] = {}
            pending = self._pending(missing)
            readers = _readers(pending, variables)
            for node in pending:
                if all(map(self._has, self._inputs(node))):
                    wanted = self._to_compute(node)
                    needed.update(dict.fromkeys(wanted))
                    if not wanted:
                        self._lower(node)
                        self._drop(node, readers)
            if needed:
                self._compute(needed)
        return [self._value(v) for v in variables]

    # -- what is there, and what is missing --------------------------------------------------------

    def _has(self, v: Variable) -> bool:
        return v in self._values or isinstance(v, Constant)

    def _value(self, v: Variable) -> Any:
        if v not in self._values and isinstance(v, Constant):
            self._values[v] = self._blocks.cut(v.data)
        return self._values[v]

    def _inputs(self, node: Apply) -> Sequence[Variable]:
        """Return what a node needs: an `IfElse` its condition, and then the branch taken."""
        if not isinstance(node.op, IfElse):
            return node.inputs
        condition = node.inputs[0]
        if not self._has(condition) or not is_in_memory(self._value(condition)):
            return [condition]
        return [condition, *self._taken(node)]

    def _taken(self, node: Apply) -> Sequence[Variable]:
        op: Any = node.op
        then, other = op.branches(node.inputs)
        taken: Sequence[Variable] = then if self._value(node.inputs[0]) else other
        return taken

    def _pending(self, variables: Iterable[Variable]) -> list[Apply]:
        """Return the nodes that variables need and that are not lowered, inputs first."""

        def owners(variables: Iterable[Variable]) -> list[Apply]:
            return [v.owner for v in variables if v.owner is not None and not self._has(v)]

        return general_toposort(owners(variables), lambda node: owners(self._inputs(node)))

    def _to_compute(self, node: Apply) -> list[Variable]:
        """Return the inputs of a node that have to be computed before it is lowered."""
        read = set(entry_of(type(node.op)).reads(node))
        if not isinstance(node.op, IfElse):
            read.update(self._blocks.to_settle(map(self._value, node.inputs)))
        return [
            node.inputs[i] for i in sorted(read) if not is_in_memory(self._value(node.inputs[i]))
        ]

    # -- lowering and computing --------------------------------------------------------------------

    def _lower(self, node: Apply) -> None:
        if isinstance(node.op, IfElse):
            found: Any = [self._value(v) for v in self._taken(node)]
        else:
            values = [self._value(v) for v in node.inputs]
            found = self._lowered(node, values)
            self._blocks.note(values, found)
        for v, x in zip(node.outputs, found, strict=True):
            self._values[v] = x

    def _drop(self, node: Apply, readers: Counter[Variable]) -> None:
        """Forget the inputs of a node that no other one reads, so that their memory is free."""
        for v in dict.fromkeys(node.inputs):
            readers[v] -= 1
            if readers[v] == 0 and v.owner is not None:
                del self._values[v]

    def _lowered(self, node: Apply, values: Sequence[Any]) -> Sequence[Any]:
        if all(map(is_in_memory, values)) and not becomes_large(node, values, self._blocks):
            return [self._blocks.cut(x) for x in performed(node, values)]
        found = lower(node.op, node, values, self._blocks)
        several = found if isinstance(found, tuple) else (found,)
        return [without_empty_blocks(x) for x in several]

    def _compute(self, needed: Iterable[Variable]) -> None:
        """Compute variables, and with them what else all blocks of an array go into."""
        also = [v for v, x in self._values.items() if self._blocks.is_settled_early(x)]
        together = list(dict.fromkeys([*needed, *also]))
        found = dask.compute(*[self._values[v] for v in together])
        for v, x in zip(together, found, strict=True):
            self._values[v] = np.asarray(x) if isinstance(v.type, TensorType) else x


def _readers(pending: Sequence[Apply], outputs: Sequence[Variable]) -> Counter[Variable]:
    """Return by how many nodes each variable is read that nothing else will read; empty if branches
    are not known yet, which may read anything."""
    if any(isinstance(node.op, IfElse) for node in pending):
        return Counter()
    readers = Counter(v for node in pending for v in dict.fromkeys(node.inputs))
    readers.update(outputs)
    return readers


WAY = (
    "a block of steps in one task; if states or what is fixed have blocks, step by step; with a "
    "condition the whole in one task"
)


@register(
    Scan,
    way=WAY,
    reads=lambda node: [0],
)
def _scan(op: Scan, node: Apply, values: Sequence[Any], blocks: Blocks) -> Any:
    if any(isinstance(x, Delayed) for x in values):
        return on_the_whole(node, values, blocks)
    steps = number_of_steps(op, values)
    outer = op.parts(values[1:])
    if steps == 0 or not has_several(values):
        return on_the_whole(node, values, blocks)
    if has_several((*outer.states, *outer.fixed)):
        return _step_by_step(op, outer, steps, blocks)
    shapes = output_shapes(node, values)
    if op.has_condition or shapes is None:
        return on_the_whole(node, values, blocks)
    return _by_blocks_of_steps(op, node, values, steps, shapes, blocks)


def _by_blocks_of_steps(
    op: Scan, node: Apply, values: Sequence[Any], steps: int, shapes: Sequence[Any], blocks: Blocks
) -> Any:
    """Run a loop over the blocks of its sequences; each task hands its states to the next one."""
    sequences, states, fixed = op.parts(values[1:])
    lengths = next(x.chunks[0] for x in sequences if is_blocked(x))
    task, rows, start = whole_task(node), [], 0
    for length in lengths:
        length = min(length, steps - start)
        if length <= 0:
            break
        parts = [x[start : start + length] for x in sequences]
        count = np.asarray(length, "int64")
        of_block = [
            *shapes[: op.n_states],
            *[
                (length if kept is None else min(length, kept), *shape[1:])
                for shape, kept in zip(shapes[op.n_states :], op.kept, strict=True)
            ],
        ]
        found = from_task(task, [count, *parts, *states, *fixed], node.outputs, of_block, blocks)
        states = list(found[: op.n_states])
        rows.append(found[op.n_states :])
        start += length
    whole = map(da.concatenate, zip(*rows, strict=True))
    collected = [x[-shape[0] :] for x, shape in zip(whole, shapes[op.n_states :], strict=True)]
    return (*states, *collected)


def _step_by_step(op: Scan, outer: LoopParts, steps: int, blocks: Blocks) -> Any:
    """Run a loop whose states or fixed values have blocks: each step is lowered by itself."""

    def step(*values: Any) -> list[Any]:
        run = Run(dict(zip(op.inputs, values, strict=True)), blocks)
        return _settled(run.outputs(op.outputs), blocks)

    states, collected, made = run_steps(op, step, steps, outer)
    stacked = [
        da.stack(rows) if any(map(is_blocked, rows)) else np.stack(rows) for rows in collected
    ]
    count = [np.asarray(made, "int64")] if op.has_condition else []
    return (*states, *stacked, *count)


def _settled(values: list[Any], blocks: Blocks) -> list[Any]:
    """Return the results of a step; what all blocks of an array go into is computed, all at once,
    so that the next step reads the blocks again."""
    now = [i for i, x in enumerate(values) if blocks.is_settled_early(x)]
    for i, x in zip(now, dask.compute(*[values[i] for i in now]), strict=True):
        values[i] = np.asarray(x)
    return values
