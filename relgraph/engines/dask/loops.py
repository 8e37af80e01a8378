"""Loops: a block of steps in one task where only sequences are cut, else a step at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed

from relgraph.engines.dask.blocks import Blocks, is_blocked, known
from relgraph.engines.dask.interpretation import Run
from relgraph.engines.dask.lowering.dispatch import (
    from_task,
    on_the_whole,
    output_shapes,
    register,
)
from relgraph.engines.dask.tasks import whole_task
from relgraph.graph.basic import Apply
from relgraph.tensor.loops.running import number_of_steps, wrong_row, wrong_state
from relgraph.tensor.loops.scan_op import Scan

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
    cut = [x for x in (*outer.states, *outer.fixed) if is_blocked(x) and x.npartitions > 1]
    if steps == 0 or not any(is_blocked(x) and x.npartitions > 1 for x in values):
        return on_the_whole(node, values, blocks)
    if cut:
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
        several = found if isinstance(found, tuple) else (found,)
        states = list(several[: op.n_states])
        rows.append(several[op.n_states :])
        start += length
    whole = [blocks.run_on(da.concatenate(parts)) for parts in zip(*rows, strict=True)]
    collected = [x[-shape[0] :] for x, shape in zip(whole, shapes[op.n_states :], strict=True)]
    for x in states:  # all blocks go into the last states
        if is_blocked(x):
            blocks.gather(x)
    blocks.hand_on(whole, collected)
    return (*states, *collected)


def _step_by_step(op: Scan, outer: Any, steps: int, blocks: Blocks) -> Any:
    """Run a loop whose states or fixed values have blocks: each step is lowered by itself."""
    sequences, states, fixed = outer
    collected: list[list[Any]] = [[] for _ in range(op.n_rows)]
    made = 0
    for t in range(steps):
        given = [x[t] if is_blocked(x) else np.asarray(x[t]) for x in sequences]
        run = Run(dict(zip(op.inputs, [*given, *states, *fixed], strict=True)), blocks)
        found = op.split_results(_settled(run.outputs(op.outputs), blocks))
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
        made += 1
        if found.stop and known(found.stop[0]):
            break
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
