"""Primitives that move elements, or make arrays of places and one value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.bridges.jax.reading.equation import Equation, Reader, insist


def _broadcast_in_dim(equation: Equation) -> Any:
    x = equation.inputs[0]
    places = [int(i) for i in equation["broadcast_dimensions"]]
    order = [places.index(i) if i in places else "x" for i in range(len(equation.shape))]
    return spread(x if order == list(range(len(order))) else x.dimshuffle(*order), equation.shape)


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """Return a tensor that is broadcast to a shape of its rank."""
    return x if x.type.shape == shape else at.broadcast_to(x, shape)


def _integers(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(int(n) for n in values)


def _reshape(equation: Equation) -> Any:
    insist(equation["dimensions"] is None)
    return at.reshape(equation.inputs[0], equation.shape)


def _split(equation: Equation) -> Any:
    (x,) = equation.inputs
    ends = np.cumsum([0, *equation["sizes"]]).tolist()
    axis = int(equation["axis"])
    return [x[(*[slice(None)] * axis, slice(i, j))] for i, j in pairwise(ends)]


def _pad(equation: Equation) -> Any:
    x, value = equation.inputs
    config = [tuple(map(int, entry)) for entry in equation["padding_config"]]
    # Elements that a negative number takes away are taken away at the end.
    added = [(max(low, 0), max(high, 0), between) for low, high, between in config]
    lengths = x.type.shape
    insist(all(lengths) or not any(between for _, _, between in config))
    spans = [n + max(n - 1, 0) * between for n, (_, _, between) in zip(lengths, added, strict=True)]
    whole = at.full(
        [low + n + high for n, (low, high, _) in zip(spans, added, strict=True)], value, value.dtype
    )
    inner = tuple(
        slice(low, low + n, between + 1) for n, (low, _, between) in zip(spans, added, strict=True)
    )
    if not config:
        return x
    padded = at.set_subtensor(whole[inner], x)
    kept = tuple(
        slice(max(-low, 0), max(low, 0) + n + max(high, 0) - max(-high, 0))
        for n, (low, high, _) in zip(spans, config, strict=True)
    )
    return padded[kept] if any(low < 0 or high < 0 for low, high, _ in config) else padded


def _rev(equation: Equation) -> Any:
    (x,) = equation.inputs
    turned = {int(i) for i in equation["dimensions"]}
    key = tuple(slice(None, None, -1 if i in turned else None) for i in range(x.type.ndim))
    return x[key] if turned else x


def _slice(equation: Equation) -> Any:
    starts, limits = equation["start_indices"], equation["limit_indices"]
    strides = equation["strides"] or [1] * len(starts)
    key = tuple(
        slice(int(i), int(j), None if step == 1 else int(step))
        for i, j, step in zip(starts, limits, strides, strict=True)
    )
    return equation.inputs[0][_without_whole(key, equation.inputs[0].type.shape)]


def _without_whole(key: tuple[slice, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return an index in which slices of whole axes say no numbers."""
    return tuple(
        slice(None) if (part.start, part.stop, part.step) == (0, n, None) else part
        for part, n in zip(key, shape, strict=True)
    )


def _iota(equation: Equation) -> Any:
    insist(not equation.inputs)
    axis, shape = int(equation["dimension"]), equation.shape
    along = at.arange(shape[axis], dtype=str(np.dtype(equation["dtype"])))
    order = ["x" if i != axis else 0 for i in range(len(shape))]
    return spread(along.dimshuffle(*order), shape)


READERS: dict[str, Reader] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": lambda eq: at.concatenate(list(eq.inputs), int(eq["dimension"])),
    "iota": _iota,
    "pad": _pad,
    "reshape": _reshape,
    "rev": _rev,
    "slice": _slice,
    "split": _split,
    "squeeze": lambda eq: at.squeeze(eq.inputs[0], _integers(eq["dimensions"])),
    "stack": lambda eq: at.stack(list(eq.inputs), int(eq["axis"])),
    "tile": lambda eq: at.tile(eq.inputs[0], _integers(eq["reps"])),
    "transpose": lambda eq: eq.inputs[0].dimshuffle(*_integers(eq["permutation"])),
}
