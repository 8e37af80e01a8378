"""Arithmetic on basic indices: what indexing twice, or indexing a result, comes down to.

A basic index is a tuple of ints, `Slice`s and placeholders, one for each of the first axes (see
`indices`). What can't be told without a length that isn't known gives None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.tensor.indexing.indices import (
    WHOLE,
    Entry,
    IndexList,
    Slice,
    placeholders,
)
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.arithmetic.slices import (
    are_disjoint_entries,
    composed_entry,
    takes_whole_axis,
)

Shape = Sequence[int | None]
EntryWithInputs = tuple[Entry, list[Any]]


@dataclass(frozen=True)
class BasicIndex:
    """A basic index, and the variables that its placeholders stand for."""

    entries: IndexList
    inputs: tuple[Any, ...]


def trimmed(entries: Sequence[Any]) -> tuple[Any, ...]:
    """Return an index without the whole slices at its end."""
    kept = list(entries)
    while kept and kept[-1] == WHOLE:
        kept.pop()
    return tuple(kept)


def padded(index: IndexList, ndim: int) -> tuple[Entry, ...]:
    """Return an index with an entry for each of `ndim` axes."""
    return (*index, *[WHOLE] * (ndim - len(index)))


def _entries_with_inputs(index: IndexList, inputs: Sequence[Any]) -> Iterator[EntryWithInputs]:
    """Yield each entry with the variables that its placeholders stand for."""
    rest = iter(inputs)
    for entry in index:
        yield entry, [next(rest) for _ in placeholders((entry,))]


def basic_index(pairs: Sequence[EntryWithInputs]) -> BasicIndex:
    """Return the index made of entries and the variables of their placeholders."""
    return BasicIndex(
        trimmed([entry for entry, _ in pairs]), tuple([v for _, given in pairs for v in given])
    )


def composed_index(
    shape: Shape,
    outer: IndexList,
    outer_inputs: Sequence[Any],
    inner: IndexList,
    inner_inputs: Sequence[Any],
) -> BasicIndex | None:
    """Return the index that is `inner` into a tensor of `shape`, followed by `outer`.

    An entry that is a variable can be composed with a whole slice only.

    Returns
    -------
    index
        None if it can't be told.
    """
    after = _entries_with_inputs(padded(outer, len(shape)), outer_inputs)
    pairs: list[EntryWithInputs] = []
    first = padded(inner, len(shape))
    for n, (entry, given) in zip(shape, _entries_with_inputs(first, inner_inputs), strict=True):
        if not isinstance(entry, Slice):
            pairs.append((entry, given))
            continue
        then, then_given = next(after)
        both = composed_entry(n, then, entry)
        if both is None:
            return None
        pairs.append((both, [*given, *then_given]))
    return basic_index(pairs)


def index_into_operand(
    index: IndexList, inputs: Sequence[Any], shape: Shape, whole: Shape
) -> BasicIndex:
    """Return the index into an operand for what `index` takes of an elementwise result.

    Parameters
    ----------
    shape, whole
        The shapes of the operand and of the result, to which it broadcasts, as far as types tell.
    """
    missing = len(whole) - len(shape)
    pairs: list[EntryWithInputs] = []
    for axis, (entry, given) in enumerate(_entries_with_inputs(index, inputs)):
        if axis < missing:
            continue
        if shape[axis - missing] == 1 and whole[axis] != 1:
            pairs.append((WHOLE, []) if isinstance(entry, Slice) else (0, []))
        else:
            pairs.append((entry, given))
    return basic_index(pairs)


def index_before_dimshuffle(
    order: Sequence[int | str], index: IndexList, inputs: Sequence[Any], ndim: int
) -> BasicIndex | None:
    """Return the index into a tensor of `ndim` axes for what `index` takes of its dimshuffle.

    Returns
    -------
    index
        None if `index` does not take all of an axis that is new in `order`.
    """
    taken: dict[int, EntryWithInputs] = {}
    for axis, (entry, given) in zip(order, _entries_with_inputs(index, inputs), strict=False):
        if not isinstance(axis, str):
            taken[axis] = entry, given
        elif not (takes_whole_axis(entry, 1) or (isinstance(entry, int) and entry in (0, -1))):
            return None
    return basic_index([taken.get(axis, (WHOLE, [])) for axis in range(ndim)])


def order_after_index(
    order: Sequence[int | str], index: IndexList, ndim: int
) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that follows `index_before_dimshuffle`."""
    entries = padded(index, len(order))
    gone = {a for a, e in zip(order, entries, strict=True) if not isinstance(e, Slice)}
    places: dict[Any, int] = {}
    for axis in range(ndim):
        if axis not in gone:
            places[axis] = len(places)
    return tuple(
        [
            a if isinstance(a, str) else places[a]
            for a, e in zip(order, entries, strict=True)
            if isinstance(e, Slice)
        ]
    )


def index_around_axes(
    index: IndexList, inputs: Sequence[Any], axes: Sequence[int], ndim: int
) -> BasicIndex:
    """Return the index into a tensor of `ndim` axes that takes all of `axes`, and of the others
    what `index` does."""
    entries = _entries_with_inputs(padded(index, ndim - len(axes)), inputs)
    return basic_index([(WHOLE, []) if axis in axes else next(entries) for axis in range(ndim)])


def axes_after_index(index: IndexList, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Return the numbers of `axes`, all of which `index` takes, among those that it leaves."""
    entries = padded(index, ndim)
    left = [axis for axis in range(ndim) if isinstance(entries[axis], Slice)]
    return tuple([left.index(axis) for axis in axes])


def split_index(
    index: IndexList, inputs: Sequence[Any], axis: int, ndim: int
) -> tuple[BasicIndex, BasicIndex]:
    """Return an index into `ndim` axes as two: for the axes before `axis`, and from there on."""
    pairs = list(_entries_with_inputs(padded(index, ndim), inputs))
    return basic_index(pairs[:axis]), basic_index(pairs[axis:])


def are_disjoint(shape: Shape, a: IndexList, b: IndexList) -> bool:
    """Return whether two indices are known to take different elements of a tensor of `shape`."""
    return any(are_disjoint_entries(n, p, q) for n, p, q in zip(shape, a, b, strict=False))


def taken_at(x: Any, index: BasicIndex) -> Any:
    """Return ``x[index]``, which is `x` itself if the index is empty."""
    return Subtensor(index.entries)(x, *index.inputs) if index.entries else x


def takes_everything(index: IndexList, x: Any) -> bool:
    """Return whether an index takes all of `x`, in order."""
    return all(takes_whole_axis(entry, n) for entry, n in zip(index, x.type.shape, strict=False))
