"""How a loop runs: rows are read, states handed on, and rows collected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.shared_values import copy_value

if TYPE_CHECKING:
    from relgraph.tensor.loops.scan_op import Scan

Step = Callable[..., list[Any]]
"""Takes the values of the inputs of a step; returns those of its outputs."""


def step_of_nodes(
    inputs: Sequence[Variable], nodes: Sequence[Apply], outputs: Sequence[Variable]
) -> Step:
    """Return a function that runs the `perform` of one node after the other."""

    def step(*values: Any) -> list[Any]:
        known: dict[Variable, Any] = dict(zip(inputs, values, strict=True))
        for node in nodes:
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            given = [v.data if isinstance(v, Constant) else known[v] for v in node.inputs]
            node.op.perform(node, given, cells)
            known.update(zip(node.outputs, (cell[0] for cell in cells), strict=True))
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
    collected: list[list[Any]] = [[] for _ in range(op.n_rows)]
    made = 0
    for t in range(steps):
        given = [np.asarray(x[t]) for x in sequences]
        found = op.split_results(step(*given, *states, *fixed))
        _check_states(op, states, found.states)
        states = [copy_value(x) if i in op.copied_states else x for i, x in enumerate(found.states)]
        for rows, row, kept in zip(collected, found.rows, op.kept, strict=True):
            rows.append(np.array(row))
            if kept is not None and len(rows) > kept:
                del rows[0]
        made += 1
        if found.stop and found.stop[0]:
            break
    arrays = (
        [_stacked(op, i, rows) for i, rows in enumerate(collected)]
        if made
        else op.rows_of_no_step(inputs)
    )
    count = [np.asarray(made, "int64")] if op.has_condition else []
    return [*(copy_value(x) for x in states), *arrays, *count]


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


def _check_states(op: Scan, old: Sequence[Any], new: Sequence[Any]) -> None:
    for i, (a, b) in enumerate(zip(old, new, strict=True)):
        if np.shape(a) != np.shape(b):
            wrong_state(op, i, np.shape(a), np.shape(b))


def _stacked(op: Scan, i: int, rows: Sequence[Any]) -> Any:
    for row in rows:
        if row.shape != rows[0].shape:
            wrong_row(op, i, rows[0].shape, row.shape)
    return np.stack(rows)
