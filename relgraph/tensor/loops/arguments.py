"""The arguments of `scan`, checked and brought into one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.scalar.dtypes import is_discrete, number_kind
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import minimum
from relgraph.tensor.shapes.shape import shape_i
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
        What stands for the steps before the first: one row if only the last step is read, else an
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
