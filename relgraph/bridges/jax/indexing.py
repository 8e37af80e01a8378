"""Primitives that take or change parts: gather, scatter, dynamic slices.

All are one index of a tensor here. Each axis of the operand that starts somewhere is indexed by an
array of integers; that of a window that is more than one element long has the places in the window
on an axis of its own. Where JAX moves a window that would stand out of the operand back into it,
its start is clipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

import relgraph.tensor as at
from relgraph.bridges.jax.primitives import Equation, Reader, insist, ordered
from relgraph.graph.basic import Constant, graph_inputs
from relgraph.graph.reference import evaluate

# An axis of a part: ("batch", which) or ("window", the operand's axis).
Axis = tuple[str, int]


@dataclass(frozen=True)
class Windows:
    """Where windows of an operand stand.

    Attributes
    ----------
    operand
        The operand.
    starts
        By axis of the operand the first place of each window, an integer tensor whose axes are
        those of the batch; 0 for axes that are not there.
    own
        Axes along which the windows lie side by side with the batch: each has the number of an axis
        of the batch.
    sizes
        How long the windows are along each axis of the operand.
    dropped
        The axes of the operand, along which windows have one element, that a part has not.
    batch
        The lengths of the axes of the batch.
    """

    operand: Any
    starts: dict[int, Any]
    own: dict[int, int]
    sizes: Sequence[int]
    dropped: frozenset[int]
    batch: tuple[int, ...]

    def clipped(self) -> Windows:
        """Return the windows, moved to where they are inside of the operand."""
        starts = {d: at.clip(start, *self._bounds(d)) for d, start in self.starts.items()}
        return replace(self, starts=starts)

    def _bounds(self, d: int) -> tuple[Any, Any]:
        """Return the first and the last place along an axis where a window is inside."""
        last = self.operand.type.shape[d] - self.sizes[d]
        return np.asarray(0, self.starts[d].dtype), np.asarray(last, self.starts[d].dtype)

    def inside(self) -> Any:
        """Return which windows of the batch are inside of the operand."""
        found = []
        for d, start in self.starts.items():
            first, last = self._bounds(d)
            found.append(at.and_(at.ge(start, first), at.le(start, last)))
        return at.and_(*found) if len(found) > 1 else found[0]

    def are_known_inside(self) -> bool:
        """Return whether the starts are constants, and all windows inside."""
        leaves = graph_inputs(list(self.starts.values()))
        if not all(isinstance(v, Constant) for v in leaves):
            return False
        return not self.starts or bool(np.all(evaluate([self.inside()])[0]))

    def _moves(self, d: int) -> bool:
        whole = self.sizes[d] == self.operand.type.shape[d] and d not in self.dropped
        return d in self.own or (d in self.starts and not whole)

    def part(self) -> tuple[Any, list[Axis]]:
        """Return the windows as a part of the operand, and the axes that it has.

        An axis of one element that is not dropped is not among them.
        """
        ndim, batch = self.operand.type.ndim, len(self.batch)
        moving = [d for d in range(ndim) if self._moves(d)]
        wide = [d for d in moving if self.sizes[d] > 1]
        pairs = zip(self.sizes, self.operand.type.shape, strict=True)
        key: list[Any] = [slice(None) if n == m else slice(0, n) for n, m in pairs]
        for d in moving:
            key[d] = self._places(d, batch, wide)
        of_arrays: list[Axis] = [("batch", i) for i in range(batch)]
        of_arrays += [("window", d) for d in wide]
        whole: list[Axis] = [("window", d) for d in range(ndim) if d not in moving]
        at_once = not moving or moving[-1] - moving[0] == len(moving) - 1
        first = moving[0] if moving and at_once else 0
        return self.operand[tuple(key)], [*whole[:first], *of_arrays, *whole[first:]]

    def _places(self, d: int, batch: int, wide: list[int]) -> Any:
        """Return the places that are taken along an axis: the batch, then the wide windows."""
        if d in self.own:
            n = self.operand.type.shape[d]
            order = ["x" if i != self.own[d] else 0 for i in range(batch)]
            start = at.arange(n).dimshuffle(*order) if batch else at.arange(n)
        else:
            start = self.starts[d]
        if not wide:
            return start
        start = start.dimshuffle(*range(batch), *["x"] * len(wide))
        if d not in wide:
            return start
        along = ["x"] * batch + ["x" if other != d else 0 for other in wide]
        places = at.arange(self.sizes[d], dtype=start.type.dtype)
        return start + places.dimshuffle(*along)

    def axes(self, of_windows: Sequence[int], ndim: int) -> list[Axis]:
        """Return the axes of an array of windows, by the places where those of windows stand."""
        kept = iter([d for d in range(self.operand.type.ndim) if d not in self.dropped])
        others = iter(range(ndim))
        places = {int(i) for i in of_windows}
        return [
            ("window", next(kept)) if i in places else ("batch", next(others)) for i in range(ndim)
        ]


def _reordered(x: Any, there: Sequence[Axis], wanted: Sequence[Axis]) -> Any:
    """Return a tensor with its axes in another order; what only one side has is of length 1."""
    x = at.squeeze(x, tuple(i for i, axis in enumerate(there) if axis not in wanted))
    left = [axis for axis in there if axis in wanted]
    return ordered(x, [left.index(axis) if axis in left else "x" for axis in wanted])


def _columns(indices: Any, axes: Sequence[int]) -> dict[int, Any]:
    """Return what the last axis of an array of indices holds, by axes of the operand."""
    batch = (slice(None),) * (indices.type.ndim - 1)
    return {int(d): indices[(*batch, j)] for j, d in enumerate(axes)}


def _gather(equation: Equation, operand: Any, indices: Any) -> Any:
    numbers, mode = equation["dimension_numbers"], equation["mode"]
    insist(mode != GatherScatterMode.ONE_HOT)
    beside = numbers.operand_batching_dims
    windows = Windows(
        operand,
        _columns(indices, numbers.start_index_map),
        dict(zip(map(int, beside), map(int, numbers.start_indices_batching_dims), strict=True)),
        [int(n) for n in equation["slice_sizes"]],
        frozenset(int(d) for d in (*numbers.collapsed_slice_dims, *beside)),
        indices.type.shape[:-1],
    )
    part, there = windows.clipped().part()
    wanted = windows.axes(numbers.offset_dims, len(equation.shape))
    found = _reordered(part, there, wanted)
    if mode != GatherScatterMode.FILL_OR_DROP or windows.are_known_inside():
        return found
    fill = _fill_value(found.type.dtype, equation["fill_value"])
    return at.where(_reordered_inside(windows, wanted), found, fill)


def _reordered_inside(windows: Windows, wanted: Sequence[Axis]) -> Any:
    batch: list[Axis] = [("batch", i) for i in range(len(windows.batch))]
    return _reordered(windows.inside(), batch, wanted)


def _fill_value(dtype: str, given: Any) -> Any:
    if given is not None:
        return np.asarray(given, dtype)
    kind = np.dtype(dtype).kind
    if kind in "fc":
        return np.asarray(np.nan, dtype)
    if kind == "b":
        return np.asarray(True)
    limits = np.iinfo(dtype)
    return np.asarray(limits.min if kind == "i" else limits.max, dtype)


def _dynamic(operand: Any, starts: Sequence[Any], sizes: Sequence[int]) -> Windows:
    """Return one window."""
    return Windows(operand, dict(enumerate(starts)), {}, sizes, frozenset(), ()).clipped()


def _dynamic_slice(equation: Equation, operand: Any, *starts: Any) -> Any:
    windows = _dynamic(operand, starts, [int(n) for n in equation["slice_sizes"]])
    part, there = windows.part()
    return _reordered(part, there, windows.axes(range(operand.type.ndim), operand.type.ndim))


def _dynamic_update_slice(equation: Equation, operand: Any, update: Any, *starts: Any) -> Any:
    if operand.type.shape == update.type.shape:
        return update
    windows = _dynamic(operand, starts, update.type.shape)
    part, there = windows.part()
    given = windows.axes(range(operand.type.ndim), operand.type.ndim)
    return at.set_subtensor(part, _reordered(update, given, there))


def _scatter(equation: Equation, operand: Any, indices: Any, updates: Any) -> Any:
    numbers, mode = equation["dimension_numbers"], equation["mode"]
    insist(mode != GatherScatterMode.ONE_HOT and bool(operand.type.ndim))
    beside = numbers.operand_batching_dims
    dropped = frozenset(int(d) for d in (*numbers.inserted_window_dims, *beside))
    lengths = iter(updates.type.shape[int(i)] for i in sorted(numbers.update_window_dims))
    windows = Windows(
        operand,
        _columns(indices, numbers.scatter_dims_to_operand_dims),
        dict(zip(map(int, beside), map(int, numbers.scatter_indices_batching_dims), strict=True)),
        [1 if d in dropped else next(lengths) for d in range(operand.type.ndim)],
        dropped,
        indices.type.shape[:-1],
    )
    part, there = windows.clipped().part()
    insist(part is not operand and part.owner is not None)
    given = windows.axes(numbers.update_window_dims, updates.type.ndim)
    new = _reordered(updates, given, there)
    inside = None
    if mode == GatherScatterMode.FILL_OR_DROP and not windows.are_known_inside():
        inside = _reordered_inside(windows, there)
    if equation.primitive == "scatter":
        # of several windows, one that is moved inside might be set after the one that is there
        insist(inside is None or prod(windows.batch) == 1)
        return at.set_subtensor(part, new if inside is None else at.where(inside, new, part))
    if equation.primitive == "scatter-sub":
        new = at.neg(new)
    nothing = np.asarray(0, new.type.dtype)
    return at.inc_subtensor(part, new if inside is None else at.where(inside, new, nothing))


READERS: dict[str, Reader] = {
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
    "scatter": _scatter,
    "scatter-add": _scatter,
    "scatter-sub": _scatter,
}
