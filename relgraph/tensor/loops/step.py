"""The step of a loop while it is built: its types are settled, and what is fixed is moved out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.shared_values import SharedVariable
from relgraph.graph.traversal import ancestors, graph_inputs, io_toposort
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.type import TensorType


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
        What stands for it in the step.
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
        What stands for the rows of the sequences.
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
    """Return what stands for a row of an array in a step."""
    kind = array.type
    return TensorType(kind.dtype, kind.shape[1:]).make_variable(_named(array, "[t]"))


def split_result(
    result: Any,
) -> tuple[list[Variable], dict[SharedVariable, Any], list[Variable]]:
    """Return the outputs, updates and condition that the function of a step has returned.

    Raises
    ------
    TypeError
        If it is none of what `scan` says.
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
    outputs = []
    for i, part in enumerate(parts):
        try:
            outputs.append(as_tensor_variable(part))
        except (TypeError, ValueError) as error:
            raise TypeError(f"scan: output {i} of the step: {error}") from None
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
