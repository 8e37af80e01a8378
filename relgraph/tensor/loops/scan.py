"""`scan` builds a loop from a function that builds its step; so do `map`, `reduce` and the folds.

`scan_checkpoints` builds one whose gradient keeps few states, and computes the others again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from relgraph.graph.basic import Variable
from relgraph.graph.shared_values import SharedVariable
from relgraph.tensor.assembly import join
from relgraph.tensor.basic import as_tensor_variable, constant
from relgraph.tensor.loops.scan_op import Scan, StepResults
from relgraph.tensor.loops.step import (
    State,
    StateArgument,
    Step,
    Until,
    as_list,
    read_sequences,
    read_states,
    read_steps,
    row_of,
    split_result,
)
from relgraph.tensor.math import int_div
from relgraph.tensor.shapes import lengths
from relgraph.tensor.type import TensorType


def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    *,
    name: str | None = None,
    strict: bool = False,
    return_list: bool = False,
) -> tuple[Any, dict[SharedVariable, Variable]]:
    """Return what a loop computes, whose step is built by one call of `fn`.

    Parameters
    ----------
    fn
        Takes for each sequence its row at each of its taps, for each output with a first value what
        was computed at each of its taps, and then `non_sequences`. Returns the outputs of the step,
        one or a list; it may add the updates of shared variables, a dict or a list of pairs, and
        `until(condition)`, which makes this step the last one if it is true: ``outputs, updates``
        or ``outputs, updates, until(condition)``. It may use any variable from outside.
    sequences
        Tensors whose rows the steps read, one or a list; or dicts ``{"input": tensor, "taps":
        [-1, 0]}``, where the step t reads the rows ``t - 1`` and ``t`` beside each other.
    outputs_info
        For each output, None if the steps don't read it; its value before the first step; or a dict
        ``{"initial": tensor, "taps": [-2, -1]}`` with as many first rows as the furthest tap goes
        back; of the tap -1 alone, the value itself. If it is left out, no output is read.
    non_sequences
        What `fn` is called with besides.
    n_steps
        The number of steps, an integer or an integer variable of rank 0; by default as many as the
        shortest sequence has rows for.
    truncate_gradient
        Through how many steps, from the last one back, gradients flow; -1 for all.
    go_backwards
        Whether the rows of the sequences are read from the last one to the first.
    name
        The name of the loop in errors and reports.
    strict
        Whether to refuse what `fn` uses from outside without being given it: only constants and
        `non_sequences` are allowed.
    return_list
        Whether the outputs are a list even if there is one.

    Returns
    -------
    outputs
        Each output of the steps with a new axis in front, of the length `n_steps` (or of as many
        steps as were made until the condition was true): one variable, or a list of them; None if
        there is none.
    updates
        For each shared variable that the steps update, its value after the loop; for `function`.
        A generator that updates itself does so without that.

    Raises
    ------
    TypeError
        If a state has another dtype or rank after a step, or an argument is none of these.
    ValueError
        If `outputs_info` is for another number of outputs, or nothing gives a number of steps.
    """
    options = LoopOptions(truncate_gradient, go_backwards, name, strict)
    loop = build_loop(fn, sequences, outputs_info, non_sequences, n_steps, options)
    return one_or_list(loop.outputs, return_list), loop.updates


def applied(
    op: Scan, steps: Any, sequences: Sequence[Any], states: Sequence[Any], fixed: Sequence[Any]
) -> StepResults:
    """Return the outputs of a node of a loop."""
    return op.split_results(op(steps, *sequences, *states, *fixed, return_list=True))


class LoopOptions(NamedTuple):
    """How a loop is built.

    Attributes
    ----------
    truncate_gradient, go_backwards, name, strict
        As for `scan`.
    apply
        Takes a loop, the number of steps, and lists of sequences, first states and what is the same
        at each step; returns what a node of it gives.
    """

    truncate_gradient: int = -1
    go_backwards: bool = False
    name: str | None = None
    strict: bool = False
    apply: Callable[[Scan, Any, Sequence[Any], Sequence[Any], Sequence[Any]], StepResults] = applied


class Loop(NamedTuple):
    """A loop as it was built.

    Attributes
    ----------
    outputs
        What is collected.
    last
        For each of these its value after the last step, which is the first one if there is none;
        None if no step reads it.
    updates
        The values of shared variables after the loop.
    """

    outputs: list[Any]
    last: list[Any]
    updates: dict[SharedVariable, Variable]


def build_loop(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any,
    n_steps: Any,
    options: LoopOptions,
) -> Loop:
    """Return a loop; parameters and errors are as for `scan`."""
    limit = options.truncate_gradient
    if not isinstance(limit, int) or limit == 0 or limit < -1:
        raise ValueError(
            f"scan: truncate_gradient is {limit!r}; wanted is a number of steps, or -1"
        )
    steps = read_steps(n_steps, given := read_sequences(sequences))
    arrays = [part for sequence in given for part in sequence.rows(options.go_backwards)]
    rows = [row_of(array) for array in arrays]
    infos = read_states(outputs_info)
    chains = [[] if info is None else _chain(info, i) for i, info in enumerate(infos)]
    read = [
        chain[-tap - 1].variable
        for info, chain in zip(infos, chains, strict=True)
        if info is not None
        for tap in info.taps
    ]
    others = [_as_variable(v) for v in as_list(non_sequences)]
    outputs, updates, stop = split_result(fn(*rows, *read, *others))
    if outputs_info is None:
        chains = [[] for _ in outputs]
    if len(chains) != len(outputs):
        raise ValueError(
            f"scan: the step has {len(outputs)} outputs, and outputs_info is for {len(chains)}; "
            "None represents one that the steps don't read"
        )
    step = Step(rows, outputs, stop)
    for chain, output in zip(chains, outputs, strict=True):
        _hand_on(step, chain, output)
    automatic = step.add_updates(updates)
    step.settle_types()
    if options.strict:
        _check_declared(step, others)
    made, after = _applied(step, steps, arrays, options)
    changed = {s.shared: v for s, v in after.items() if s.shared is not None}
    for shared in automatic:
        shared.default_update = changed[shared]
    return Loop(made.rows, [after[chain[0]] if chain else None for chain in chains], changed)


def _applied(
    step: Step, steps: Any, arrays: Sequence[Any], options: LoopOptions
) -> tuple[StepResults, dict[State, Any]]:
    """Return the outputs of the loop over a step, and the value of each state after it."""
    fixed = step.separate()
    op = Scan(
        step.inputs,
        step.outputs,
        len(arrays),
        len(step.states),
        bool(step.stop),
        None,
        options.truncate_gradient,
        options.name,
    )
    initial = [state.initial for state in step.states]
    made = options.apply(op, steps, arrays, initial, fixed)
    return made, dict(zip(step.states, made.states, strict=True))


def one_or_list(outputs: list[Any], return_list: bool = False) -> Any:
    """Return some outputs as `scan` does: alone if there is one, and None for none."""
    if return_list or len(outputs) > 1:
        return outputs
    return outputs[0] if outputs else None


def _chain(info: StateArgument, i: int) -> list[State]:
    """Return the states that hold what was computed 1, 2, … steps back."""
    return [State(first, f"scan: output {i}", info.is_number) for first in info.first_rows()]


def _hand_on(step: Step, chain: Sequence[State], output: Variable) -> None:
    """Note that the states of a chain move back by one with each step."""
    for state, new in zip(chain, [output, *(s.variable for s in chain)], strict=False):
        state.new = new
        step.states.append(state)


def _as_variable(given: Any) -> Variable:
    return given if isinstance(given, Variable) else as_tensor_variable(given)


def _check_declared(step: Step, declared: Sequence[Variable]) -> None:
    for leaf in step.leaves(declared):
        raise ValueError(
            f"scan: the step uses {leaf} ({leaf.type}), which is not among non_sequences; "
            "strict=True wants all of them there"
        )


def until(condition: Any) -> Until:
    """Return what a step of `scan` returns beside its outputs to be the last one.

    Parameters
    ----------
    condition
        A tensor of rank 0; the step is the last one if it is not zero.

    Raises
    ------
    TypeError
        If it has axes.
    """
    made = as_tensor_variable(condition)
    if made.type.ndim != 0:
        raise TypeError(f"until: the condition is a {made.type}; wanted is a rank of 0")
    return Until(made)


def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return what `fn` gives for the rows of sequences; parameters and results are as for `scan`.

    No step reads what another one has computed.
    """
    return scan(
        fn, sequences, None, non_sequences, None, truncate_gradient, go_backwards, name=name
    )


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return the outputs of the last step of a loop, or their first values if no step is made.

    Parameters
    ----------
    fn, sequences, non_sequences, go_backwards, name
        As for `scan`.
    outputs_info
        The value of each output before the first step.

    Returns
    -------
    outputs, updates
        As for `scan`, without the new axis.
    """
    options = LoopOptions(go_backwards=go_backwards, name=name)
    loop = build_loop(fn, sequences, outputs_info, non_sequences, None, options)
    last = [
        found[-1] if value is None else value
        for found, value in zip(loop.outputs, loop.last, strict=True)
    ]
    return one_or_list(last), loop.updates


def foldl(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return `reduce` from the first row to the last."""
    return reduce(fn, sequences, outputs_info, non_sequences, name=name)


def foldr(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return `reduce` from the last row to the first."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=True, name=name)


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
    cut = [x[:covered].reshape((parts, length, *lengths(x)[1:])) for x in sequences]
    whole = applied(_loop_over_parts(op, length), parts, cut, states, fixed)
    rest = [x[covered:] for x in sequences]
    last = applied(op, steps - covered, rest, whole.states, fixed)
    rows = [join(0, a, b[-1:]) for a, b in zip(whole.rows, last.rows, strict=True)]
    return StepResults(last.states, rows, [])


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
