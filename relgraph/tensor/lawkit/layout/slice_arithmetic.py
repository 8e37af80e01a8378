"""Arithmetic on basic indices: what indexing twice, or indexing a result, comes down to.

An index is a tuple of ints, `Slice`s and placeholders, one for each of the first axes (see
`indices`). What can't be told without a length that isn't known gives None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.tensor.indexing.indices import (
    WHOLE,
    Entry,
    IndexList,
    Placeholder,
    Slice,
    placeholders,
)

Shape = Sequence[int | None]


@dataclass(frozen=True)
class Part:
    """An index, and the variables that its placeholders stand for."""

    index: IndexList
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


def _is_static(entry: Entry) -> bool:
    return isinstance(entry, int) or (
        isinstance(entry, Slice) and not any(isinstance(p, Placeholder) for p in entry.parts())
    )


def slice_of(wanted: range) -> Slice:
    """Return the slice that takes the places `wanted`, of an axis long enough for them."""
    if not wanted:
        return Slice(0, 0)
    step = wanted.step
    end = wanted[-1] + step
    stop = end if step > 0 or end >= 0 else None
    if len(wanted) == 1:
        step, stop = 1, wanted[0] + 1
    start = None if step > 0 and wanted[0] == 0 else wanted[0]
    return Slice(start, stop, None if step == 1 else step)


def covers_axis(entry: Entry, n: int | None) -> bool:
    """Return whether an entry takes the whole of an axis of length `n`, in order."""
    if not isinstance(entry, Slice) or not _is_static(entry):
        return False
    if n is None:
        return entry.start in (None, 0) and entry.stop is None and entry.step in (None, 1)
    return _taken(entry, n) == range(n)


def _taken(entry: Slice, n: int) -> range:
    """Return the places that a slice without variables takes of an axis of length `n`."""
    return range(*_as_slice(entry).indices(n))


def _as_slice(entry: Slice) -> slice:
    return slice(*_ends(entry))


def _ends(entry: Slice) -> tuple[int | None, int | None, int | None]:
    """Return start, stop and step of a slice without variables."""
    start, stop, step = (None if isinstance(p, Placeholder) else p for p in entry.parts())
    return start, stop, step


def composed_entry(n: int | None, outer: Entry, inner: Entry) -> Entry:
    """Return the entry that does on an axis of length `n` what the slice `inner` and then `outer`
    do.

    Returns
    -------
    entry
        None if that can't be told, or if `outer` is out of bounds.
    """
    if outer == WHOLE:
        return inner
    if inner == WHOLE:
        return outer
    if not isinstance(inner, Slice) or not _is_static(inner) or not _is_static(outer):
        return None
    if n is not None:
        left = _taken(inner, n)
        if isinstance(outer, int):
            return left[outer] if -len(left) <= outer < len(left) else None
        assert isinstance(outer, Slice)
        return slice_of(left[_as_slice(outer)])
    if inner == Slice(None, None, -1):
        return _reversed(outer)
    return _composed_forward(outer, inner)


def _reversed(outer: Any) -> Entry:
    """Return what `outer` takes of an axis that is turned round, whatever its length."""
    if isinstance(outer, int):
        return -1 - outer
    start, stop, step = outer.parts()
    turned = -1 if step is None else -step
    return Slice(
        None if start is None else -1 - start,
        None if stop is None else -1 - stop,
        None if turned == 1 else turned,
    )


def _composed_forward(outer: Any, inner: Slice) -> Entry:
    """Compose with a slice forward of an axis of unknown length.

    With ends counted from the front, or ``[a:-b]`` of ``[c:-d]``.
    """
    start, stop, step = _ends(inner)
    first, by = (0 if start is None else start), (1 if step is None else step)
    if first < 0 or by < 0:
        return None
    if isinstance(outer, int):
        at = first + by * outer
        within = stop is None or at < stop
        return at if outer >= 0 and within else None
    begin, end, stride = outer.parts()
    begin, stride = (0 if begin is None else begin), (1 if stride is None else stride)
    if begin < 0 or stride < 0:
        return None
    if by == 1 and stride == 1 and _counts_back(stop) and _counts_back(end):
        taken = (0 if stop is None else stop) + (0 if end is None else end)
        return Slice(first + begin or None, taken or None)
    if (stop is not None and stop < 0) or (end is not None and end < 0):
        return None
    ends = [e for e in (stop, None if end is None else first + by * end) if e is not None]
    return Slice(
        first + by * begin or None,
        min(ends) if ends else None,
        None if by * stride == 1 else by * stride,
    )


def _counts_back(end: Any) -> bool:
    """Return whether a slice stops at the end of its axis, or some elements before it."""
    return end is None or end < 0


def _each(index: IndexList, inputs: Sequence[Any]) -> Iterator[tuple[Entry, list[Any]]]:
    """Yield each entry with the variables that its placeholders stand for."""
    rest = iter(inputs)
    for entry in index:
        yield entry, [next(rest) for _ in placeholders((entry,))]


def part_of(pairs: Sequence[tuple[Entry, list[Any]]]) -> Part:
    """Return the index made of entries and the variables of their placeholders."""
    return Part(
        trimmed([entry for entry, _ in pairs]), tuple([v for _, given in pairs for v in given])
    )


def composed(
    shape: Shape,
    outer: IndexList,
    outer_inputs: Sequence[Any],
    inner: IndexList,
    inner_inputs: Sequence[Any],
) -> Part | None:
    """Return the index that does on a tensor of `shape` what `inner` and then `outer` do.

    An entry that is a variable can be composed only with a whole slice, or with one of the two
    that takes all there is.
    """
    after = _each(padded(outer, len(shape)), outer_inputs)
    pairs: list[tuple[Entry, list[Any]]] = []
    first = padded(inner, len(shape))
    for n, (entry, given) in zip(shape, _each(first, inner_inputs), strict=True):
        if not isinstance(entry, Slice):
            pairs.append((entry, given))
            continue
        then, then_given = next(after)
        both = composed_entry(n, then, entry)
        if both is None:
            return None
        pairs.append((both, [*given, *then_given]))
    return part_of(pairs)


def into_operand(index: IndexList, inputs: Sequence[Any], shape: Shape, whole: Shape) -> Part:
    """Return the index into a tensor of `shape` that gives its share of a part of what it is
    broadcast to.

    Parameters
    ----------
    whole
        The shape that it is broadcast to, as far as types tell.
    """
    missing = len(whole) - len(shape)
    pairs: list[tuple[Entry, list[Any]]] = []
    for axis, (entry, given) in enumerate(_each(index, inputs)):
        if axis < missing:
            continue
        if shape[axis - missing] == 1 and whole[axis] != 1:
            pairs.append((WHOLE, []) if isinstance(entry, Slice) else (0, []))
        else:
            pairs.append((entry, given))
    return part_of(pairs)


def before_order(
    order: Sequence[int | str], index: IndexList, inputs: Sequence[Any], ndim: int
) -> Part | None:
    """Return the index into a tensor of `ndim` axes that gives what `index` takes of its
    dimshuffle to `order`; None if it takes no whole new axis."""
    taken: dict[int, tuple[Entry, list[Any]]] = {}
    for axis, (entry, given) in zip(order, _each(index, inputs), strict=False):
        if not isinstance(axis, str):
            taken[axis] = entry, given
        elif not (covers_axis(entry, 1) or (isinstance(entry, int) and entry in (0, -1))):
            return None
    return part_of([taken.get(axis, (WHOLE, [])) for axis in range(ndim)])


def order_of_part(order: Sequence[int | str], index: IndexList, ndim: int) -> tuple[int | str, ...]:
    """Return how the axes that are left by `before_order` have to be ordered."""
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


def past_axes(index: IndexList, inputs: Sequence[Any], axes: Sequence[int], ndim: int) -> Part:
    """Return the index into a tensor of `ndim` axes that leaves `axes` whole, and takes of the
    others what `index` does."""
    entries = _each(padded(index, ndim - len(axes)), inputs)
    return part_of([(WHOLE, []) if axis in axes else next(entries) for axis in range(ndim)])


def axes_after(index: IndexList, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Return where `axes`, which `index` leaves whole, are in the part that it takes."""
    entries = padded(index, ndim)
    left = [axis for axis in range(ndim) if isinstance(entries[axis], Slice)]
    return tuple([left.index(axis) for axis in axes])


def split_at(index: IndexList, inputs: Sequence[Any], axis: int, ndim: int) -> tuple[Part, Part]:
    """Return an index into `ndim` axes as two: for the axes before `axis`, and from there on."""
    pairs = list(_each(padded(index, ndim), inputs))
    return part_of(pairs[:axis]), part_of(pairs[axis:])


def within_join(entry: Entry, lengths: Sequence[int | None]) -> tuple[int, Entry] | None:
    """Return which of several parts, one after the other on an axis, an entry lies in.

    Parameters
    ----------
    lengths
        How long the parts are, as far as that is known.

    Returns
    -------
    which, entry
        The number of the part, and the entry into it; None if there is no one part.
    """
    if not _is_static(entry):
        return None
    front = _in_prefix(entry, lengths)
    if front is not None or not isinstance(entry, int) or entry >= 0:
        return front
    behind = 0
    for which in reversed(range(len(lengths))):
        n = lengths[which]
        if n is None:
            return None
        if -entry <= behind + n:
            return which, entry + behind
        behind += n
    return None


def _in_prefix(entry: Entry, lengths: Sequence[int | None]) -> tuple[int, Entry] | None:
    """Find the part from the front, as far as lengths are known there."""
    total = None if None in lengths else sum(n for n in lengths if n is not None)
    places = _places(entry, total)
    before = 0
    for which, n in enumerate(lengths):
        if n is None or not places:
            return None
        if before <= min(places[0], places[-1]) and max(places[0], places[-1]) < before + n:
            if isinstance(entry, int):
                return which, places[0] - before
            return which, slice_of(range(places.start - before, places.stop - before, places.step))
        before += n
    return None


def _places(entry: Entry, total: int | None) -> range | None:
    """Return the places that an entry takes of an axis; None if that can't be told.

    Without the length of the axis, of a slice that may end before its stop these are all places
    that it may take.
    """
    if isinstance(entry, int):
        at = entry if entry >= 0 or total is None else entry + total
        return range(at, at + 1) if at >= 0 else None
    if not isinstance(entry, Slice):
        return None
    if total is not None:
        return _taken(entry, total)
    start, stop, step = _ends(entry)
    start, step = (0 if start is None else start), (1 if step is None else step)
    if stop is None or min(start, stop) < 0 or step < 0:
        return None
    return range(start, stop, step)


def are_apart(shape: Shape, a: IndexList, b: IndexList) -> bool:
    """Return whether two indices are known to take different elements of a tensor of `shape`."""
    return any(_axis_apart(n, p, q) for n, p, q in zip(shape, a, b, strict=False))


def _axis_apart(n: int | None, a: Entry, b: Entry) -> bool:
    if not _is_static(a) or not _is_static(b):
        return False
    if n is None and isinstance(a, int) and isinstance(b, int):
        return a != b and (a < 0) == (b < 0)
    first, second = _places(a, n), _places(b, n)
    if first is None or second is None:
        return False
    if n is not None and any(p >= n for places in (first, second) for p in places[-1:]):
        return False  # out of bounds, which is another matter
    return _no_common_place(first, second)


def _no_common_place(a: range, b: range) -> bool:
    if not a or not b:
        return True
    (a_least, a_most), (b_least, b_most) = sorted((a[0], a[-1])), sorted((b[0], b[-1]))
    if a_most < b_least or b_most < a_least:
        return True
    # the places that both strides reach are as far apart as their common multiple
    strides = [places.step if len(places) > 1 else 0 for places in (a, b)]
    apart = math.gcd(*strides)
    return apart != 0 and (a[0] - b[0]) % apart != 0
