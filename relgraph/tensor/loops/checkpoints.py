"""`scan_checkpoints`: a loop whose gradient keeps few states, and computes the others again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from relgraph.tensor.assembly.joining import join
from relgraph.tensor.basic import constant
from relgraph.tensor.loops.scan import LoopOptions, applied, build_loop, one_or_list
from relgraph.tensor.loops.scan_op import Scan, StepResults
from relgraph.tensor.math import int_div
from relgraph.tensor.type import TensorType


def scan_checkpoints(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    name: str | None = None,
    n_steps: Any = None,
    save_every_N: int = 10,
) -> tuple[Any, dict[Any, Any]]:
    """Return every N-th output of a loop.

    The gradient keeps the states before every N-th step, and computes those between them again, N
    steps at a time: of n steps it holds n / N + N states in place of n, and makes the steps
    forwards twice. (Griewank and Walther, Evaluating Derivatives, 2008, chapter 12.)

    Parameters
    ----------
    fn, sequences, outputs_info, non_sequences, n_steps, name
        As for `scan`; the steps can't end early.
    save_every_N
        How many steps there are from one state that is kept to the next.

    Returns
    -------
    outputs
        The outputs of every N-th step, and those of the last one.
    updates
        As for `scan`.

    Raises
    ------
    ValueError
        If `save_every_N` is no positive integer, or `fn` returns a condition.
    """
    if not isinstance(save_every_N, int) or save_every_N < 1:
        raise ValueError(
            f"scan_checkpoints: save_every_N is {save_every_N!r}; wanted is a positive integer"
        )
    options = LoopOptions(name=name, apply=partial(_in_parts, save_every_N))
    loop = build_loop(fn, sequences, outputs_info, non_sequences, n_steps, options)
    return one_or_list(loop.outputs), loop.updates


def _in_parts(
    length: int,
    op: Scan,
    steps: Any,
    sequences: Sequence[Any],
    states: Sequence[Any],
    fixed: Sequence[Any],
) -> StepResults:
    """Return what a loop over loops of some length gives, and one over the steps that are left."""
    if op.has_condition:
        raise ValueError("scan_checkpoints: the steps end early, by a condition; scan allows that")
    parts = int_div(steps, length)
    covered = parts * length
    cut = [x[:covered].reshape((parts, length, *_lengths_of_rows(x))) for x in sequences]
    whole = applied(_loop_over_parts(op, length), parts, cut, states, fixed)
    rest = [x[covered:] for x in sequences]
    last = applied(op, steps - covered, rest, whole.states, fixed)
    rows = [join(0, a, b[-1:]) for a, b in zip(whole.rows, last.rows, strict=True)]
    return StepResults(last.states, rows, [])


def _lengths_of_rows(array: Any) -> list[Any]:
    lengths = array.type.shape
    return [array.shape[i] if n is None else n for i, n in enumerate(lengths) if i > 0]


def _loop_over_parts(op: Scan, length: int) -> Scan:
    """Return a loop each step of which makes some steps, and collects the rows of the last one."""
    step = op.step
    cut = [
        TensorType(v.type.dtype, (length, *v.type.shape)).make_variable(v.name)
        for v in step.sequences
    ]
    states = [v.type.make_variable(v.name) for v in step.states]
    fixed = [v.type.make_variable(v.name) for v in step.fixed]
    made = applied(op, constant(length, dtype="int64"), cut, states, fixed)
    return Scan(
        [*cut, *states, *fixed],
        [*made.states, *(row[-1] for row in made.rows)],
        len(cut),
        len(states),
        name=None if op.name is None else f"parts of {op.name}",
    )
