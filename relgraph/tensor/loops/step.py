"""What `scan` is given: its arguments in one form, and the step while it is built.

The types of the step are settled, and what is the same in each step is moved out of the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.shared_values import SharedVariable
from relgraph.graph.traversal import ancestors, graph_inputs, io_toposort
from relgraph.scalar.type import is_discrete, number_kind
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import minimum
from relgraph.tensor.shapes import shape_i
from relgraph.tensor.type import TensorType


@dataclass
class SequenceArgument:
    """A sequence, of which each step reads the rows at some distances from its own.

    Attributes
    ----------
    array
        The sequence.
    taps
        The distances.
    """

    array: Any
    taps: list[int]

    @property
    def reach(self) -> int:
        """How many rows more than one the steps need."""
        return max(0, *self.taps) - min(0, *self.taps)

    def rows(self, go_backwards: bool) -> list[Any]:
        """Return for each tap the array whose row t the step t reads."""
        before = -min(0, *self.taps)
        found = []
        for tap in self.taps:
            start = before + tap
            stop = start - self.reach
            part = self.array if self.reach == 0 else self.array[start : stop if stop else None]
            found.append(part[::-1] if go_backwards else part)
        return found


@dataclass
class StateArgument:
    """What a step reads of what earlier ones have computed.

    Attributes
    ----------
    initial
        The values before the first step: one row if only the last step is read, else an
        array with a row for each step before the first.
    taps
        How many steps back the rows are that a step reads, as negative numbers.
    is_number
        Whether `initial` was given as a number of Python, whose dtype does not count.
    """

    initial: Any
    taps: list[int]
    is_number: bool

    @property
    def depth(self) -> int:
        """How many steps back the furthest row is."""
        return -min(self.taps)

    def first_rows(self) -> list[Any]:
        """Return the rows 1, 2, … steps before the first."""
        if self.taps == [-1]:
            return [self.initial]
        return [self.initial[self.depth - back] for back in range(1, self.depth + 1)]


def as_list(given: Any) -> list[Any]:
    """Return a list of what was given alone or in a list; that of None is empty."""
    if given is None:
        return []
    return list(given) if isinstance(given, list | tuple) else [given]


def read_sequences(sequences: Any) -> list[SequenceArgument]:
    """Return the sequences.

    Raises
    ------
    TypeError
        If one is no tensor, or has no axes; or a tap is no integer.
    ValueError
        If a dict has other keys than ``input`` and ``taps``.
    """
    found = []
    for i, given in enumerate(as_list(sequences)):
        what = f"scan: sequence {i}"
        parts = _parts(given, what, "input", 0)
        array = _as_tensor(parts["input"], what)
        if array.type.ndim == 0:
            raise TypeError(f"{what}, {array}, is a {array.type}; wanted is at least one axis")
        found.append(SequenceArgument(array, _taps(parts["taps"], what)))
    return found


def read_states(outputs_info: Any) -> list[StateArgument | None]:
    """Return for each output what a step reads of earlier ones; None where it reads nothing.

    Raises
    ------
    TypeError, ValueError
        As for `read_sequences`; and if a tap is not negative, or there are too few first rows.
    """
    given = as_list(outputs_info)
    return [_state(info, f"scan: outputs_info[{i}]") for i, info in enumerate(given)]


def _state(info: Any, what: str) -> StateArgument | None:
    if info is None or (isinstance(info, Mapping) and info.get("initial") is None):
        if isinstance(info, Mapping) and info.get("taps"):
            raise ValueError(f"{what} has taps and no initial value for them")
        return None
    parts = _parts(info, what, "initial", -1)
    taps = _taps(parts["taps"], what)
    if any(tap >= 0 for tap in taps):
        raise ValueError(f"{what} has the taps {taps}; those of an output are negative")
    initial = parts["initial"]
    made = initial if _is_other(initial) else _as_tensor(initial, what)
    argument = StateArgument(made, taps, number_kind(initial) is not None)
    if taps != [-1]:
        _check_first_rows(argument, what)
    return argument


def _is_other(value: Any) -> bool:
    """Return whether a value is a variable of another type than tensors: a generator, say."""
    return isinstance(value, Variable) and not isinstance(value.type, TensorType)


def _check_first_rows(argument: StateArgument, what: str) -> None:
    type_ = argument.initial.type
    if getattr(type_, "ndim", 0) == 0:
        raise TypeError(
            f"{what} has the taps {argument.taps}, and its initial value is a {type_}; wanted is "
            "an array with a row for each of the steps before the first"
        )
    rows = type_.shape[0]
    if rows is not None and rows < argument.depth:
        raise ValueError(
            f"{what} has {rows} initial rows; the taps {argument.taps} need {argument.depth}"
        )


def _parts(given: Any, what: str, key: str, tap: int) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        return {key: given, "taps": [tap]}
    unknown = set(given) - {key, "taps"}
    if unknown or key not in given:
        raise ValueError(
            f"{what} is a dict with the keys {', '.join(map(repr, given))}; those of one are "
            f"{key!r} and 'taps'"
        )
    taps = given.get("taps")
    return {key: given[key], "taps": [tap] if taps is None else taps}


def _taps(taps: Any, what: str) -> list[int]:
    found = list(taps) if isinstance(taps, Iterable) else [taps]
    if not found or not all(isinstance(t, int | np.integer) for t in found):
        raise TypeError(f"{what} has the taps {taps!r}; wanted are integers")
    return [int(t) for t in found]


def _as_tensor(given: Any, what: str) -> Any:
    try:
        return as_tensor_variable(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: {error}") from None


def read_steps(n_steps: Any, sequences: Sequence[SequenceArgument]) -> Any:
    """Return the number of steps: the given one, or as many as the shortest sequence allows.

    Raises
    ------
    TypeError
        If it is no integer of rank 0.
    ValueError
        If it is negative, or neither it nor a sequence is given.
    """
    if n_steps is not None:
        steps = _as_tensor(n_steps, "scan: n_steps")
        if steps.type.ndim != 0 or not is_discrete(steps.type.dtype):
            raise TypeError(f"scan: n_steps is a {steps.type}; wanted is an integer of rank 0")
        if getattr(steps, "data", 0) < 0:
            raise ValueError(f"scan: n_steps is {steps}; wanted is 0 or more")
        return steps
    if not sequences:
        raise ValueError("scan: there is neither a sequence nor n_steps, so it would not end")
    steps = None
    for sequence in sequences:
        length = shape_i(sequence.array, 0)
        if sequence.reach:
            length = length - sequence.reach
        steps = length if steps is None else minimum(steps, length)
    return steps


@dataclass(frozen=True)
class Until:
    """What makes a step the last one: see `relgraph.until`."""

    condition: Variable


class State:
    """A value that each step hands on to the next.

    Parameters
    ----------
    initial
        Its value before the first step.
    what
        What errors call it.
    is_number
        Whether `initial` was a number of Python, whose dtype does not count.
    shared
        The shared variable that it is the value of, or None.

    Attributes
    ----------
    variable
        Its variable in the step.
    new
        Its value for the next step.
    """

    new: Variable

    def __init__(
        self,
        initial: Any,
        what: str,
        is_number: bool = False,
        shared: SharedVariable | None = None,
    ) -> None:
        self.initial = initial
        self.what = what
        self.is_number = is_number
        self.shared = shared
        self.variable: Variable = initial.type.make_variable(_named(initial, "[t-1]"))

    def wider_type(self, new: Any) -> Any:
        """Return the type of which the state is before and after a step whose result is `new`.

        Raises
        ------
        TypeError
            If there is none: the dtype, the rank or a known length changes.
        """
        old: Any = self.variable.type
        if old.is_super(new):
            return old
        if not isinstance(old, TensorType) or not isinstance(new, TensorType):
            raise self._error(old, new, "type")
        dtype = old.dtype
        if new.dtype != dtype:
            if not self.is_number or not np.can_cast(dtype, new.dtype):
                raise self._error(old, new, "dtype", "; cast one of them")
            dtype = new.dtype
        if old.ndim != new.ndim:
            raise self._error(old, new, "rank")
        lengths = list(zip(old.shape, new.shape, strict=True))
        if any(n != m and None not in (n, m) for n, m in lengths):
            raise self._error(old, new, "shape")
        return TensorType(dtype, [n if n == m else None for n, m in lengths])

    def _error(self, old: Any, new: Any, what: str, advice: str = "") -> TypeError:
        return TypeError(
            f"{self.what} changes its {what}: it is a {old} at first and a {new} after a step; "
            f"wanted is one {what}{advice}"
        )


class Step:
    """The inner graph of a loop.

    Parameters
    ----------
    rows
        The variables for rows of the sequences.
    collected
        What is collected at each step.
    stop
        The condition that ends the loop, or an empty list.

    Attributes
    ----------
    states
        What is handed on from step to step.
    inputs, outputs
        Those of the inner graph, when `separate` has made it.
    """

    def __init__(
        self, rows: Sequence[Variable], collected: Sequence[Variable], stop: Sequence[Variable]
    ) -> None:
        self.rows = list(rows)
        self.collected = list(collected)
        self.stop = list(stop)
        self.states: list[State] = []
        self.inputs: list[Variable] = []

    @property
    def outputs(self) -> list[Variable]:
        return [*(s.new for s in self.states), *self.collected, *self.stop]

    def add_updates(self, updates: Mapping[SharedVariable, Any]) -> list[SharedVariable]:
        """Make the shared variables that are updated states; return those that update themselves.

        Raises
        ------
        TypeError
            If the value after a step does not fit the variable.
        """
        known = dict(updates)
        automatic: list[SharedVariable] = []
        while True:
            seen = ancestors([*self.outputs, *known.values()])
            found = {
                v: v.default_update
                for v in seen
                if isinstance(v, SharedVariable) and v.default_update is not None and v not in known
            }
            if not found:
                break
            known.update(found)
            automatic += found
        for shared, new in known.items():
            state = State(shared, f"scan: the update of {shared}", shared=shared)
            try:
                state.new = shared.type.filter_variable(new)
            except (TypeError, ValueError) as error:
                raise TypeError(f"scan: the update of {shared}: {error}") from None
            self.states.append(state)
        stands_for = {s.shared: s.variable for s in self.states if s.shared is not None}
        if stands_for:
            self._replace(stands_for)
        return automatic

    def settle_types(self) -> None:
        """Give each state a type that it has before and after each step.

        Raises
        ------
        TypeError
            If there is none.
        """
        while True:
            wider: dict[Variable, Variable] = {}
            for state in self.states:
                type_ = state.wider_type(state.new.type)
                if type_ != state.variable.type:
                    wider[state.variable] = type_.make_variable(state.variable.name)
            if not wider:
                break
            for state in self.states:
                state.variable = wider.get(state.variable, state.variable)
            self._replace(wider)
        for state in self.states:
            if state.is_number and state.initial.type.dtype != state.variable.type.dtype:
                state.initial = as_tensor_variable(
                    np.asarray(state.initial.data, state.variable.type.dtype)
                )

    def leaves(self, declared: Collection[Variable]) -> Iterable[Variable]:
        """Yield the variables from outside that the step uses, but for some and for constants."""
        known = {*self._inside, *declared}
        for leaf in graph_inputs(self.outputs, known):
            if leaf not in known and not isinstance(leaf, Constant):
                yield leaf

    @property
    def _inside(self) -> list[Variable]:
        return [*self.rows, *(s.variable for s in self.states)]

    def separate(self) -> list[Variable]:
        """Leave in the step what depends on it; return the variables outside that it reads.

        What is made of constants alone stays in the step too, where laws see it.
        """
        changing = set(self._inside)
        outside: set[Variable] = set()
        nodes = io_toposort(changing, self.outputs)
        for node in nodes:
            if not changing.isdisjoint(node.inputs):
                changing.update(node.outputs)
            elif any(_is_outside(v, outside) for v in node.inputs):
                outside.update(node.outputs)
        inside = [node for node in nodes if node.outputs[0] not in outside]
        read = dict.fromkeys([*(v for node in inside for v in node.inputs), *self.outputs])
        fixed = [v for v in read if v not in changing and _is_outside(v, outside)]
        stands_for = {v: v.type.make_variable(v.name) for v in fixed}
        self._replace(stands_for)
        self.inputs = [*self._inside, *stands_for.values()]
        return fixed

    def _replace(self, stands_for: Mapping[Any, Variable]) -> None:
        """Build the step anew with some variables replaced by others, maybe of other types."""
        memo: dict[Variable, Variable] = dict(stands_for)
        for node in io_toposort(memo, self.outputs):
            if memo.keys().isdisjoint(node.inputs):
                continue
            inputs = [memo.get(v, v) for v in node.inputs]
            made = node.clone_with_new_inputs(inputs, strict=False)
            for old, new in zip(node.outputs, made.outputs, strict=True):
                new.name = old.name
                memo[old] = new
        for state in self.states:
            state.new = memo.get(state.new, state.new)
        self.collected = [memo.get(v, v) for v in self.collected]
        self.stop = [memo.get(v, v) for v in self.stop]


def _is_outside(var: Variable, outside: Collection[Variable]) -> bool:
    return var in outside or (var.owner is None and not isinstance(var, Constant))


def _named(var: Variable, suffix: str) -> str | None:
    return None if var.name is None else f"{var.name}{suffix}"


def row_of(array: Any) -> Variable:
    """Return the variable for a row of an array in a step."""
    kind = array.type
    return TensorType(kind.dtype, kind.shape[1:]).make_variable(_named(array, "[t]"))


def split_result(
    result: Any,
) -> tuple[list[Variable], dict[SharedVariable, Any], list[Variable]]:
    """Return the outputs, updates and condition that the function of a step has returned.

    Raises
    ------
    TypeError
        If it is none of the forms that `scan` lists.
    """
    parts = list(result) if isinstance(result, list | tuple) else [result]
    stop: list[Variable] = []
    updates: dict[SharedVariable, Any] = {}
    if parts and isinstance(parts[-1], Until):
        stop = [parts.pop().condition]
    if parts and _is_updates(parts[-1]):
        updates = dict(parts.pop())
    if len(parts) == 1 and (parts[0] is None or isinstance(parts[0], list | tuple)):
        parts = [] if parts[0] is None else list(parts[0])
    outputs = [_as_tensor(part, f"scan: output {i} of the step") for i, part in enumerate(parts)]
    return outputs, updates, stop


def _is_updates(part: Any) -> bool:
    """Return whether a part of a result is a dict or a list of pairs of updates."""
    if isinstance(part, Mapping):
        return True
    return (
        isinstance(part, list | tuple)
        and bool(part)
        and all(
            isinstance(pair, tuple | list)
            and len(pair) == 2
            and isinstance(pair[0], SharedVariable)
            for pair in part
        )
    )
