"""Tensors with more around them, as `numpy.pad` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.assembly.creation import arange, full, zeros
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.basic import as_argument
from relgraph.tensor.functions.parts import length
from relgraph.tensor.indexing.functions import take
from relgraph.tensor.math import cast, maximum, minimum
from relgraph.tensor.reductions.reduction import max as max_
from relgraph.tensor.reductions.reduction import min as min_
from relgraph.tensor.reductions.statistics import mean
from relgraph.tensor.shapes.shape import lengths


def pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """Return `array` with elements added at the ends of its axes.

    Parameters
    ----------
    pad_width
        How many: an int, a pair for all axes, or a pair for each axis.
    mode
        ``constant``, ``edge``, ``wrap``, ``reflect``, ``symmetric``, ``maximum``, ``minimum`` or
        ``mean``, as in `numpy.pad`.
    constant_values
        What is added if the mode is ``constant``, given as `pad_width` is.
    """
    x = as_argument(array, "pad")
    widths = np.broadcast_to(np.asarray(pad_width), (x.type.ndim, 2)).tolist()
    if mode not in _PADDED:
        raise ValueError(f"pad: the mode is one of {', '.join(sorted(_PADDED))}, not {mode!r}")
    values = _pairs(constant_values, x.type.ndim)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = _PADDED[mode](x, axis, before, after, values[axis])
    return x


def _pairs(values: Any, ndim: int) -> list[Any]:
    if isinstance(values, Variable):
        return [(values, values)] * ndim
    pairs = np.broadcast_to(np.asarray(values), (ndim, 2))
    return [tuple(pair) for pair in pairs]


def _with_constants(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
    shape = list(lengths(x))
    ends = []
    for n, value in zip((before, after), values, strict=True):
        shape[axis] = n
        ends.append(full(tuple(shape), cast(as_argument(value, "pad"), x.type.dtype)))
    return join(axis, ends[0], x, ends[1])


def _periodic(fold: bool, skip: int) -> Any:
    """Return what takes elements at positions that go round, or there and back."""

    def padded(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
        n = length(x, axis)
        position = arange(-before, n + after)
        if not fold:
            return take(x, position % n, axis)
        round_trip = maximum(2 * n - 2 * skip, 1)
        place = position % round_trip
        return take(x, minimum(place, round_trip - (1 - skip) - place), axis)

    return padded


def _edge(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
    n = length(x, axis)
    return take(x, maximum(minimum(arange(-before, n + after), n - 1), 0), axis)


def _statistic(function: Any) -> Any:
    def padded(x: Any, axis: int, before: int, after: int, values: Any) -> Any:
        one = function(x, axis=axis, keepdims=True)
        one = one if one.type.dtype == x.type.dtype else cast(one, x.type.dtype)
        ends = [take(one, zeros((n,), dtype="int64"), axis) for n in (before, after)]
        return join(axis, ends[0], x, ends[1])

    return padded


_PADDED = {
    "constant": _with_constants,
    "edge": _edge,
    "wrap": _periodic(False, 0),
    "reflect": _periodic(True, 1),
    "symmetric": _periodic(True, 0),
    "maximum": _statistic(max_),
    "minimum": _statistic(min_),
    "mean": _statistic(mean),
}


__all__ = ["pad"]
