"""Points at which a law takes each of the branches that it decides between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.testing.instances.input_values import InputSpec, decode_values
from relgraph.testing.instances.instance import Instance
from relgraph.testing.judge.evaluation import array_of
from relgraph.testing.plan.edge_sweep import decoded, each_layout, encoded

Array = np.ndarray[Any, Any]

Points = dict[int, list[tuple[int, ...]]]
"""Points by the byte that says of which numbers all inputs are made; of each input the index of the
number that it is there."""

# Which of some numbers in the order of their size are taken: so many parts of all are less.
_PARTS = (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1)


def points_by_branch(instance: Instance, examples: Sequence[bytes]) -> Points:
    """Return a few points for each way in which the decisions of a new side come out.

    Small, middling and large numbers are among them; the old side is finite there.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs, for `decode_values`.
    """
    found: dict[int, dict[tuple[int, ...], None]] = {}
    for data in examples:
        values = decode_values(data, instance.inputs)
        numbers = [part for _, part in decoded(data, instance.inputs)]
        points = found.setdefault(data[0], {})
        for places in _places_by_branch(instance, values):
            for of_input in values:
                by_size = places[np.argsort(np.abs(of_input[places]), kind="stable")]
                for place in by_size[_spread(len(places))]:
                    points[tuple([part[place] for part in numbers])] = None
    return {first: list(points) for first, points in found.items() if points}


def _places_by_branch(instance: Instance, values: Sequence[Array]) -> list[Array]:
    """Return the places of vectors where the old side is finite, by the decisions of the new."""
    decisions, old = decisions_of(instance, values)
    alike: dict[bytes, list[int]] = {}
    for place in np.flatnonzero(np.isfinite(old)).tolist():
        alike.setdefault(decisions[:, place].tobytes(), []).append(place)
    return [np.array(places) for places in alike.values()]


def _spread(count: int) -> list[int]:
    """Return places between the first and the last one of so many."""
    return sorted({round((count - 1) * part) for part in _PARTS})


def decisions_of(instance: Instance, values: Sequence[Array]) -> tuple[Array, Array]:
    """Return how the decisions of a new side come out, each a row of booleans, and the old side.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    values
        The values of its inputs.
    """
    pair = instance.pair
    known = pair.run(values)
    old = array_of(known[pair.old])
    conditions = [
        np.broadcast_to(array_of(known[node.inputs[0]]).astype(bool), old.shape)
        for node in pair.nodes_of(pair.new)
        if isinstance(node.op, Elemwise) and node.op.scalar_op.name == "switch"
    ]
    return np.array(conditions, bool).reshape(-1, old.size), old


def at_points(points: Points, inputs: Sequence[InputSpec]) -> Iterator[bytes]:
    """Yield values of inputs that have the numbers of some points, each at one place of all.

    Numbers are given one at a time, and arrays in each memory layout.

    Parameters
    ----------
    points
        The points.
    inputs
        Inputs of one shape.
    """
    size = inputs[0].size
    for first, some in points.items():
        layouts = each_layout() if inputs[0].shape else [0] * len(some)
        for turn, layout in enumerate(layouts):
            chosen = [some[(turn * size + i) % len(some)] for i in range(size)]
            yield encoded(first, [(layout, numbers) for numbers in zip(*chosen, strict=True)])
