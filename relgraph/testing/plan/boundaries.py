"""Numbers close to where a law decides otherwise: wrong decisions show there first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from relgraph.testing.draw.arrays import edge_numbers
from relgraph.testing.instances.input_values import decode_values
from relgraph.testing.instances.instance import Instance
from relgraph.testing.plan.branch_points import decisions_of
from relgraph.testing.plan.edge_sweep import notable_in_order

Array = np.ndarray[Any, Any]

_PAIRS = 36
_TRIED = 400
# After these steps of the bisection both ends are taken: near a boundary, nearer and very near.
_TAKEN = (4, 7, 11)
# The same after the steps that find the order of magnitude.
_TAKEN_BY_SIZE = (1, 4, 12)


def near_boundaries(
    instance: Instance, examples: Sequence[bytes], random: Random
) -> list[tuple[Instance, bytes]]:
    """Return instances with numbers near the boundaries of its branches, which are its values.

    Between pairs of points at which the decisions of the new side differ, places where they change
    are found by bisection: of the distance, and of how many floats lie between, which finds those
    of another order of magnitude.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs, for `decode_values`.
    random
        Chooses the pairs.

    Returns
    -------
    found
        Instances, whose inputs have other lengths and notable numbers, each with values for
        `decode_values`; none if there are no such pairs.
    """
    sets = [decode_values(data, instance.inputs) for data in examples]
    values = [np.concatenate(parts) for parts in zip(*sets, strict=True)]
    with np.errstate(all="ignore"):
        finite = np.isfinite(np.sum(values, axis=0))
        decisions, old = decisions_of(instance, values)
        places = np.flatnonzero(finite & np.isfinite(old))
        if not len(places):
            return []
        pairs = np.array(random.choices(places.tolist(), k=2 * _TRIED)).reshape(2, _TRIED)
        differ = np.any(decisions[:, pairs[0]] != decisions[:, pairs[1]], axis=0)
        low, high = (p[differ][:_PAIRS] for p in pairs)
        if not len(low):
            return []
        ends = [
            _bisected(instance, [v[low] for v in values], [v[high] for v in values], *how)
            for how in ((_halfway, _TAKEN), (_float_between, _after_size(values)))
        ]
    return [_of_numbers(instance, numbers) for numbers in ends]


def neighbours(instance: Instance, random: Random) -> tuple[Instance, bytes] | None:
    """Return an instance whose inputs are edge values beside their neighbours: what nearly cancels.

    One input has edge values, or numbers whose squares are the greatest, and the others have the
    same, the next one, or minus these.

    Parameters
    ----------
    instance
        An instance of vectors of floats.
    random
        Chooses among them.

    Returns
    -------
    found
        One of what `near_boundaries` returns; None if some input may not have any values, or is no
        float.
    """
    if any(spec.allowed is not None for spec in instance.inputs):
        return None
    dtypes: list[Any] = [np.dtype(spec.var.type.dtype) for spec in instance.inputs]
    if any(dtype != dtypes[0] for dtype in dtypes) or dtypes[0].kind != "f":
        return None
    edges = _edges_and_roots(dtypes[0])
    with np.errstate(all="ignore"):
        beside = [edges, *(np.nextafter(edges, edges.dtype.type(s)) for s in (np.inf, -np.inf))]
    either = np.array([*beside, *(-part for part in beside)])
    columns = [np.tile(edges, len(either))]
    for _ in dtypes[1:]:
        columns.append(np.concatenate(random.sample(list(either), len(either))))
    columns = random.sample(columns, len(columns))
    return _of_numbers(instance, columns)


def _edges_and_roots(dtype: Any) -> Array:
    """Return the edge values of floats, and the largest ones whose squares do not overflow."""
    root = np.sqrt(np.finfo(dtype).max)
    return np.array([*edge_numbers(dtype.name), root, -root], dtype)


def _of_numbers(instance: Instance, numbers: Sequence[Array]) -> tuple[Instance, bytes]:
    """Return an instance over vectors that has some numbers among its values, and these values."""
    inputs = [
        replace(spec, shape=of_input.shape, notable=tuple(of_input.tolist()))
        for spec, of_input in zip(instance.inputs, numbers, strict=True)
    ]
    return replace(instance, inputs=inputs), notable_in_order(inputs)


def _after_size(values: Sequence[Array]) -> tuple[int, ...]:
    """Return after which steps of a bisection by floats both ends are taken."""
    of_size = max([1 + np.finfo(v.dtype).iexp for v in values if v.dtype.kind == "f"], default=0)
    return tuple([of_size + step for step in _TAKEN_BY_SIZE])


def _halfway(low: Array, high: Array) -> Array:
    return np.asarray((low / 2 + high / 2).astype(low.dtype))


def _float_between(low: Array, high: Array) -> Array:
    """Return the floats with as many floats above as below, between two each; of other numbers
    those halfway."""
    if low.dtype.kind != "f":
        return _halfway(low, high)
    places = [_place(x) for x in (low, high)]
    # half of each, lest the sum leaves the range
    middle = (places[0] >> 1) + (places[1] >> 1)
    least = np.iinfo(middle.dtype).min
    return np.asarray(np.where(middle < 0, least - middle, middle).view(low.dtype))


def _place(x: Array) -> Array:
    """Return where floats stand among all of their dtype: integers in the same order."""
    bits = x.view(f"int{8 * x.dtype.itemsize}")
    return np.asarray(np.where(bits < 0, np.iinfo(bits.dtype).min - bits, bits))


def _bisected(
    instance: Instance,
    low: list[Array],
    high: list[Array],
    between: Callable[[Array, Array], Array],
    taken: Sequence[int],
) -> list[Array]:
    """Return for each input the numbers at both ends of bisected lines between points.

    Parameters
    ----------
    instance
        The instance whose decisions are asked for.
    low, high
        The ends of the lines, for each input.
    between
        Returns what lies between two points.
    taken
        After which steps both ends are taken.
    """
    before, _ = decisions_of(instance, low)
    ends = []
    for step in range(max(taken) + 1):
        middle = [between(a, b) for a, b in zip(low, high, strict=True)]
        same = np.all(decisions_of(instance, middle)[0] == before, axis=0)
        low = [np.where(same, m, a) for m, a in zip(middle, low, strict=True)]
        high = [np.where(same, b, m) for m, b in zip(middle, high, strict=True)]
        if step in taken:
            ends += [low, high]
    return [np.concatenate(parts) for parts in zip(*ends, strict=True)]
