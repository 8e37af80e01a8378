"""Parts of arrays that nodes read or write: slices, rows, joined pieces, axes in another order.

A window says how loops go through an array. So a slice is read where it lies, and what is set or
joined is written where it belongs. Bounds of slices are known integers; where the length of an axis
is not known, the bounds say how long it has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply
from relgraph.tensor.assembly import Join
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.shapes import MakeVector, SpecifyShape
from relgraph.tensor.subtensor import WHOLE, IncSubtensor, Placeholder, Slice, Subtensor


class Along(NamedTuple):
    """How loops go along an axis of an array.

    Attributes
    ----------
    start
        The index of the first element; negative if it is counted from the end.
    step
        How far the next element is.
    axis
        The axis of the loops that goes along it; None if there is one element.
    places
        The value that holds the indices of the elements; None if they are a step apart.
    """

    start: int
    step: int
    axis: int | None
    places: Any = None


Window = tuple[Along, ...]
"""How loops go through an array: along each axis that does not broadcast."""


class Taken(NamedTuple):
    """What an index takes of an axis.

    Attributes
    ----------
    start, step
        See `Along`.
    length
        How many elements are taken; None if it is one and the axis is dropped.
    of_axis
        Whether `length` is added to the length of the axis.
    least
        How long the axis has to be.
    by_array
        Whether an array of integers says which elements are taken.
    """

    start: int
    step: int
    length: int | None
    of_axis: bool = False
    least: int = 0
    by_array: bool = False


_ALL = Taken(0, 1, 0, of_axis=True)


def _taken_along(entry: Any, n: int | None) -> Taken | None:
    """Return what an entry of an index takes of an axis of length `n`, or of unknown length."""
    if entry == WHOLE:
        return _ALL
    if isinstance(entry, int):
        return Taken(entry, 1, None, least=entry + 1 if entry >= 0 else -entry)
    if entry is Placeholder.ARRAY:
        return Taken(0, 1, None, least=1, by_array=True)
    if not isinstance(entry, Slice):
        return None
    known = [p for p in entry.parts() if not isinstance(p, Placeholder)]
    if len(known) < 3:
        return None
    start, stop, step = known
    if n is not None:
        places = range(*slice(start, stop, step).indices(n))
        if n == 1 and not places:
            return None  # where the array broadcasts there is no axis to take nothing of
        return Taken(places.start if places else 0, places.step, len(places))
    if (start, stop, step) == (None, None, -1):
        return Taken(-1, -1, 0, of_axis=True)
    if step not in (None, 1):
        return None
    first = start or 0
    if stop is None or (first >= 0 > stop):
        end = stop or 0
        if first < 0:
            return Taken(first, 1, -first, least=-first)
        return Taken(first, 1, end - first, of_axis=True, least=first - end)
    if first < 0 <= stop:
        return None
    return Taken(first, 1, max(stop - first, 0), least=max(first, stop, -first))


def taken(node: Apply) -> list[Taken] | None:
    """Return what the index of a part takes of each axis.

    It is None for what is not compiled: bounds that are not known, and arrays beside other indices.
    """
    arrays = indices_of(node)
    if arrays and not _are_places(node, arrays):
        return None
    shape = node.inputs[0].type.shape
    index = [*node.op.idx_list, *[WHOLE] * (len(shape) - len(node.op.idx_list))]
    found = [_taken_along(entry, n) for entry, n in zip(index, shape, strict=True)]
    known = [t for t in found if t is not None]
    return known if len(known) == len(found) else None


PARTS = (Subtensor, AdvancedSubtensor)
UPDATES = (IncSubtensor, AdvancedIncSubtensor)
MOVERS = (*PARTS, *UPDATES, Join, MakeVector, SpecifyShape)
"""The ops that move elements and compute nothing, besides `DimShuffle`."""


def indices_of(node: Apply) -> list[Any]:
    """Return the inputs that are indices of a part."""
    return node.inputs[2 if isinstance(node.op, UPDATES) else 1 :]


def _are_places(node: Apply, arrays: Sequence[Any]) -> bool:
    """Return whether an index is one vector of integers for each of the first axes."""
    whole = node.inputs[0].type
    return (
        all(entry is Placeholder.ARRAY for entry in node.op.idx_list)
        and all((v.type.ndim, v.type.dtype) == (1, "int64") for v in arrays)
        and not any(v.type.broadcastable[0] for v in arrays)
        and not any(whole.broadcastable[: len(arrays)])
    )


def part_type(node: Apply) -> Any:
    """Return the type of the part that a node takes, or updates."""
    if isinstance(node.op, PARTS):
        return node.outputs[0].type
    types = [v.type for v in indices_of(node)]
    return node.op.part().output_types(node.inputs[0].type, *types)[0]


def window_of(node: Apply, places: Sequence[Any] = ()) -> Window:
    """Return how loops over the part that a node takes, or updates, go through the whole.

    Parameters
    ----------
    places
        The values of the indices that are arrays.
    """
    axes = iter(_axes_of_loops(part_type(node).broadcastable))
    by_arrays = next(axes) if places else None
    rest = iter(places)
    found = []
    for t, b in zip(taken(node) or (), node.inputs[0].type.broadcastable, strict=True):
        if t.by_array:
            found.append(Along(0, 1, by_arrays, next(rest)))
            continue
        axis = None if t.length is None else next(axes)
        if not b:
            found.append(Along(t.start, t.step, axis))
    return tuple(found)


def _axes_of_loops(broadcastable: Sequence[bool]) -> list[int | None]:
    """Return for each axis which one of the loops goes along it; None if it broadcasts."""
    found: list[int | None] = []
    for b in broadcastable:
        found.append(None if b else len(found) - found.count(None))
    return found


def window_of_order(node: Apply) -> Window:
    """Return how loops over the result of a `DimShuffle` go through its input."""
    broadcastable = node.inputs[0].type.broadcastable
    order = [a for a in node.op.shuffle if not broadcastable[a]]
    return tuple(Along(0, 1, order.index(a)) for a, b in enumerate(broadcastable) if not b)


def pieces_of(node: Apply) -> list[Window] | None:
    """Return how loops over each input of a `Join` or a `MakeVector` go through the result; None if
    more than one has an unknown length along the joined axis."""
    if isinstance(node.op, MakeVector):
        return [(Along(k, 1, None),) for k in range(len(node.inputs))]
    at: int = node.op.axis
    counts = [v.type.shape[at] for v in node.inputs]
    if counts.count(None) > 1:
        return None
    unknown = counts.index(None) if None in counts else len(counts)
    found = []
    for k, v in enumerate(node.inputs):
        # behind a piece of unknown length places are counted from the end
        start = sum(counts[:k]) if k <= unknown else -sum(counts[k:])
        axes = _axes_of_loops(v.type.broadcastable)
        broadcastable = node.outputs[0].type.broadcastable
        window = [
            Along(start if axis == at else 0, 1, own)
            for axis, (own, b) in enumerate(zip(axes, broadcastable, strict=True))
            if not b
        ]
        found.append(tuple(window))
    return found


def moves(node: Apply) -> int | None:
    """Return how many times a node that moves elements writes them; None if it is not compiled."""
    op, (x, *others), (out,) = node.op, node.inputs, node.outputs
    if isinstance(op, SpecifyShape):
        # an axis that is found to broadcast has no loop any more
        return 0 if x.type.broadcastable == out.type.broadcastable else None
    if isinstance(op, PARTS):
        by_array = isinstance(op, AdvancedSubtensor)
        return None if bool(others) != by_array or taken(node) is None else int(by_array)
    if isinstance(op, UPDATES):
        by_array = isinstance(op, AdvancedIncSubtensor)
        return 1 if (len(others) > 1) == by_array and _is_update(node) else None
    if any(v.type.dtype != out.type.dtype for v in node.inputs) or all(out.type.broadcastable):
        return None
    apart = isinstance(op, Join) and any(
        v.type.broadcastable[axis] != b
        for v in node.inputs
        for axis, b in enumerate(out.type.broadcastable)
        if axis != op.axis
    )
    return None if apart or pieces_of(node) is None else len(node.inputs)


def _is_update(node: Apply) -> bool:
    """Return whether a part that is known is updated, of an array that a node makes: what is an
    input is not copied where it may be overwritten."""
    x, y, *_ = node.inputs
    if x.owner is None or taken(node) is None:
        return False
    if x.type.dtype != y.type.dtype or all(x.type.broadcastable):
        return False
    if x.type.dtype == "bool" and not node.op.set_instead_of_inc:
        return False
    part = part_type(node).broadcastable
    rest = part[len(part) - y.type.ndim :]
    return all(b or not whole for b, whole in zip(y.type.broadcastable, rest, strict=True))
