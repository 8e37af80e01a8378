"""Arithmetic on axes, orders of axes, slices and basic indices.

The axes of a reduction are a sorted tuple, or None for all. An order says for each axis of a result
which axis of the input it is, or ``"x"`` for a new one of length 1; an axis of the input that it
leaves out is dropped, and has length 1. A basic index is a tuple of entries: ints, `Slice`s and
placeholders for variables, one for each of the first axes (see `indices`). A length `n` is None
where it is not known; what can't be told without it gives None.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from relations.kit.guards import Axes, axis_numbers
from relgraph.graph.kanren.goals import computed
from relgraph.tensor.subtensor import (
    WHOLE,
    Entry,
    IndexList,
    Placeholder,
    Slice,
    Subtensor,
    placeholders,
)

Order = Sequence[int | str]


def rank_of(x: Any) -> int:
    """Return how many axes `x` has."""
    return int(x.type.ndim)


def remaining_axes(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes that a reduction over `axes` leaves, by their numbers before it."""
    reduced = axis_numbers(axes, ndim)
    return tuple([i for i in range(ndim) if i not in reduced])


def order_without(x: Any, axes: Axes) -> tuple[int, ...]:
    """Return the order of the dimshuffle that drops `axes` of `x`."""
    return remaining_axes(axes, x.type.ndim)


def softmax_axis(axes: Axes) -> int | tuple[int, ...] | None:
    """Return the axes of a reduction as the softmax ops have them: an int if there is one."""
    if axes is None:
        return None
    return axes[0] if len(axes) == 1 else tuple(axes)


def as_softmax_axis(a: Any) -> Any:
    """Return the variable of a law for what softmax calls the axes `a` of a reduction."""
    return computed(softmax_axis, a, found=False)


def _is_static(entry: Entry) -> bool:
    """Return whether an entry has no variables."""
    return isinstance(entry, int) or (
        isinstance(entry, Slice) and not any(isinstance(p, Placeholder) for p in entry.parts())
    )


def slice_of_range(wanted: range) -> Slice:
    """Return the slice that takes the positions `wanted` of an axis long enough for them."""
    if not wanted:
        return Slice(0, 0)
    step = wanted.step
    end = wanted[-1] + step
    stop = end if step > 0 or end >= 0 else None
    if len(wanted) == 1:
        step, stop = 1, wanted[0] + 1
    start = None if step > 0 and wanted[0] == 0 else wanted[0]
    return Slice(start, stop, step)


def takes_whole_axis(entry: Entry, n: int | None) -> bool:
    """Return whether an entry takes all of an axis of length `n`, in order."""
    if not isinstance(entry, Slice) or not _is_static(entry):
        return False
    if n is None:
        return entry.start in (None, 0) and entry.stop is None and entry.step is None
    return _positions_taken(entry, n) == range(n)


def _positions_taken(entry: Slice, n: int) -> range:
    """Return the positions that a slice without variables takes of an axis of length `n`."""
    return range(*_as_slice(entry).indices(n))


def _as_slice(entry: Slice) -> slice:
    return slice(*_static_parts(entry))


def _static_parts(entry: Slice) -> tuple[int | None, int | None, int | None]:
    """Return start, stop and step of a slice without variables."""
    start, stop, step = (None if isinstance(p, Placeholder) else p for p in entry.parts())
    return start, stop, step


def composed_entry(n: int | None, outer: Entry, inner: Entry) -> Entry:
    """Return the entry that is `inner`, a slice, followed by `outer`: ``x[inner][outer]``.

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
        left = _positions_taken(inner, n)
        if isinstance(outer, int):
            return left[outer] if -len(left) <= outer < len(left) else None
        assert isinstance(outer, Slice)
        return slice_of_range(left[_as_slice(outer)])
    if inner == Slice(None, None, -1):
        return _composed_with_reversal(outer)
    return _composed_forward(outer, inner)


def _composed_with_reversal(outer: Any) -> Entry:
    """Return the entry that is ``[::-1]`` followed by `outer`, whatever the length."""
    if isinstance(outer, int):
        return -1 - outer
    start, stop, step = outer.parts()
    turned = -1 if step is None else -step
    first, end = (None if place is None else -1 - place for place in (start, stop))
    return Slice(first, end, turned)


def _composed_forward(outer: Any, inner: Slice) -> Entry:
    """Return `inner`, a slice with a positive step, followed by `outer`, whatever the length.

    It can be told where all ends count from the front, and of ``[a:-b]`` followed by ``[c:-d]``.
    """
    start, stop, step = _static_parts(inner)
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
    if by == 1 and stride == 1 and _counts_from_end(stop) and _counts_from_end(end):
        taken = (0 if stop is None else stop) + (0 if end is None else end)
        return Slice(first + begin or None, taken or None)
    if (stop is not None and stop < 0) or (end is not None and end < 0):
        return None
    ends = [e for e in (stop, None if end is None else first + by * end) if e is not None]
    return Slice(first + by * begin or None, min(ends, default=None), by * stride)


def _counts_from_end(end: Any) -> bool:
    """Return whether the stop of a slice is the end of its axis, or counts from there."""
    return end is None or end < 0


def located_in_join(entry: Entry, lengths: Sequence[int | None]) -> tuple[int, Entry] | None:
    """Return which piece of a join, along the axis of the join, has all that an entry takes.

    Parameters
    ----------
    lengths
        How long the pieces are, as far as that is known.

    Returns
    -------
    which, entry
        The number of the piece, and the entry into it; None if it can't be told, or is not in one.
    """
    if not _is_static(entry):
        return None
    if None not in lengths:
        # counted from the front
        taken = _positions(entry, sum(n for n in lengths if n is not None))
        if not taken:
            return None
        entry = taken[0] if isinstance(entry, int) else slice_of_range(taken)
    found = _located_from(entry, lengths)
    if found is not None:
        return found
    from_end = _located_from(_composed_with_reversal(entry), lengths[::-1])
    if from_end is None:
        return None
    which, within = from_end
    return len(lengths) - 1 - which, _composed_with_reversal(within)


def _located_from(entry: Entry, lengths: Sequence[int | None]) -> tuple[int, Entry] | None:
    """Return the same, as far as the lengths of the first pieces tell."""
    for which, n in enumerate(lengths[:-1]):
        if n is None or entry is None:
            return None
        if _takes_of_first(entry, n):
            return which, entry
        entry = _without_front(entry, n)
    return None if entry is None else (len(lengths) - 1, entry)


def _takes_of_first(entry: Entry, n: int) -> bool:
    """Return whether an entry takes positions of the first `n` alone: of an axis of that length as
    of any longer one."""
    taken = _positions(entry, n)
    if not taken or max(taken[0], taken[-1]) >= n:
        return False
    return taken == _positions(entry, sys.maxsize)


def _without_front(entry: Any, n: int) -> Entry:
    """Return what an entry is without the first `n` positions of its axis, of which it takes none;
    None if it may take some of them."""
    if n == 0:
        same: Entry = entry
        return same
    if isinstance(entry, int):
        return entry - n if entry >= n else None
    start, stop, step = _static_parts(entry)
    forward = step is None or step > 0
    near, far = (start, stop) if forward else (stop, start)
    least = n if forward else n - 1
    if near is None or near < least:
        return None
    if far is not None and 0 <= far < n:
        return Slice(0, 0)
    beyond = far if far is None or far < 0 else far - n
    ends = ((near - n) or None, beyond) if forward else (beyond, None if near < n else near - n)
    return Slice(*ends, step)


def _positions(entry: Entry, total: int | None) -> range | None:
    """Return the positions that an entry takes of an axis; None if that can't be told.

    Parameters
    ----------
    total
        The length of the axis. If it is not known, a slice is said to take what it takes of an axis
        that is long enough.
    """
    if isinstance(entry, int):
        at = entry if entry >= 0 or total is None else entry + total
        return range(at, at + 1) if at >= 0 else None
    if not isinstance(entry, Slice):
        return None
    if total is not None:
        return _positions_taken(entry, total)
    start, stop, step = _static_parts(entry)
    start, step = (0 if start is None else start), (1 if step is None else step)
    if stop is None or min(start, stop) < 0 or step < 0:
        return None
    return range(start, stop, step)


def are_disjoint_entries(n: int | None, a: Entry, b: Entry) -> bool:
    """Return whether two entries are known to take no position of an axis in common."""
    if not _is_static(a) or not _is_static(b):
        return False
    if n is None and isinstance(a, int) and isinstance(b, int):
        return a != b and (a < 0) == (b < 0)
    first, second = _positions(a, n), _positions(b, n)
    if first is None or second is None:
        return False
    if n is not None and any(p >= n for taken in (first, second) for p in taken[-1:]):
        return False  # one is out of bounds, which is an error at run time
    return _are_disjoint_ranges(first, second)


def _are_disjoint_ranges(a: range, b: range) -> bool:
    if not a or not b:
        return True
    (a_least, a_most), (b_least, b_most) = sorted((a[0], a[-1])), sorted((b[0], b[-1]))
    if a_most < b_least or b_most < a_least:
        return True
    # two progressions meet only if their starts differ by a multiple of the common divisor
    strides = [taken.step if len(taken) > 1 else 0 for taken in (a, b)]
    divisor = math.gcd(*strides)
    return divisor != 0 and (a[0] - b[0]) % divisor != 0


Shape = Sequence[int | None]
EntryWithInputs = tuple[Entry, list[Any]]


@dataclass(frozen=True)
class BasicIndex:
    """A basic index, and the variables that its placeholders represent."""

    entries: IndexList
    inputs: tuple[Any, ...] = ()

    def each(self, ndim: int = 0) -> Iterator[EntryWithInputs]:
        """Yield the entry for each of `ndim` axes, or of its own, with the variables in it."""
        rest = iter(self.inputs)
        for entry in padded(self.entries, ndim):
            yield entry, [next(rest) for _ in placeholders((entry,))]


def trimmed(entries: Sequence[Any]) -> tuple[Any, ...]:
    """Return an index without the whole slices at its end."""
    kept = list(entries)
    while kept and kept[-1] == WHOLE:
        kept.pop()
    return tuple(kept)


def padded(index: IndexList, ndim: int) -> tuple[Entry, ...]:
    """Return an index with an entry for each of `ndim` axes."""
    return (*index, *[WHOLE] * (ndim - len(index)))


def basic_index(pairs: Sequence[EntryWithInputs]) -> BasicIndex:
    """Return the index made of entries and the variables of their placeholders."""
    return BasicIndex(
        trimmed([entry for entry, _ in pairs]), tuple([v for _, given in pairs for v in given])
    )


def composed_index(x: Any, outer: BasicIndex, inner: BasicIndex) -> BasicIndex | None:
    """Return the index into `x` that is `inner`, followed by `outer`.

    An entry that is a variable can be composed with a whole slice only.

    Returns
    -------
    index
        None if it can't be told.
    """
    after = outer.each(x.type.ndim)
    pairs: list[EntryWithInputs] = []
    for n, (entry, given) in zip(x.type.shape, inner.each(x.type.ndim), strict=True):
        if not isinstance(entry, Slice):
            pairs.append((entry, given))
            continue
        then, then_given = next(after)
        both = composed_entry(n, then, entry)
        if both is None:
            return None
        pairs.append((both, [*given, *then_given]))
    return basic_index(pairs)


def index_into_operand(index: BasicIndex, shape: Shape, whole: Shape) -> BasicIndex:
    """Return the index into an operand for what `index` takes of an elementwise result.

    Parameters
    ----------
    shape, whole
        The shapes of the operand and of the result, to which it broadcasts, as far as types tell.
    """
    missing = len(whole) - len(shape)
    pairs: list[EntryWithInputs] = []
    for axis, (entry, given) in enumerate(index.each()):
        if axis < missing:
            continue
        if shape[axis - missing] == 1 and whole[axis] != 1:
            pairs.append((WHOLE, []) if isinstance(entry, Slice) else (0, []))
        else:
            pairs.append((entry, given))
    return basic_index(pairs)


def index_before_dimshuffle(order: Order, index: BasicIndex, ndim: int) -> BasicIndex | None:
    """Return the index into a tensor of `ndim` axes for what `index` takes of its dimshuffle.

    Returns
    -------
    index
        None if `index` does not take all of an axis that is new in `order`.
    """
    taken: dict[int, EntryWithInputs] = {}
    for axis, (entry, given) in zip(order, index.each(), strict=False):
        if not isinstance(axis, str):
            taken[axis] = entry, given
        elif not (takes_whole_axis(entry, 1) or (isinstance(entry, int) and entry in (0, -1))):
            return None
    return basic_index([taken.get(axis, (WHOLE, [])) for axis in range(ndim)])


def order_left(order: Order, axes: Axes, ndim: int) -> tuple[int | str, ...]:
    """Return the order of a dimshuffle of `ndim` axes where some axes of its result, and so those
    of its input, are no more."""
    gone = axis_numbers(axes, len(order))
    left = remaining_axes([a for a in map(order.__getitem__, gone) if not isinstance(a, str)], ndim)
    return tuple(
        [a if isinstance(a, str) else left.index(a) for i, a in enumerate(order) if i not in gone]
    )


def _axes_of_integers(index: IndexList) -> list[int]:
    """Return the axes of which an index takes one position: the part does not have them."""
    return [axis for axis, entry in enumerate(index) if not isinstance(entry, Slice)]


def order_after_index(order: Order, index: IndexList, ndim: int) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that follows `index_before_dimshuffle`."""
    return order_left(order, _axes_of_integers(index), ndim)


def index_around_axes(index: BasicIndex, axes: Axes, x: Any) -> BasicIndex:
    """Return the index into `x` that takes all of `axes`, and of the others what `index` does."""
    ndim = x.type.ndim
    whole = axis_numbers(axes, ndim)
    entries = index.each(ndim - len(whole))
    return basic_index([(WHOLE, []) if axis in whole else next(entries) for axis in range(ndim)])


def axes_after_index(index: BasicIndex, axes: Axes, x: Any) -> tuple[int, ...]:
    """Return the numbers of `axes` of `x`, all of which `index` takes, among those that it
    leaves."""
    left = remaining_axes(_axes_of_integers(index.entries), x.type.ndim)
    return tuple([left.index(axis) for axis in axis_numbers(axes, x.type.ndim)])


def split_index(index: BasicIndex, axis: int, ndim: int) -> tuple[BasicIndex, BasicIndex]:
    """Return an index into `ndim` axes as two: for the axes before `axis`, and from there on."""
    pairs = list(index.each(ndim))
    return basic_index(pairs[:axis]), basic_index(pairs[axis:])


def are_disjoint(x: Any, a: IndexList, b: IndexList) -> bool:
    """Return whether two indices are known to take different elements of `x`."""
    return any(are_disjoint_entries(n, p, q) for n, p, q in zip(x.type.shape, a, b, strict=False))


def taken_at(x: Any, index: BasicIndex) -> Any:
    """Return ``x[index]``, which is `x` itself if the index is empty."""
    return Subtensor(index.entries)(x, *index.inputs) if index.entries else x


def index_within(part: Any, whole: Any) -> BasicIndex | None:
    """Return the index that takes `part` of `whole`, both of which may be parts of one tensor; None
    if that can't be told."""
    (base, taken), (other, first) = _whole_and_index(part), _whole_and_index(whole)
    if base is whole:
        return taken
    if base is not other:
        return None
    pairs: list[EntryWithInputs] = []
    ndim = base.type.ndim
    for (entry, given), (before, known) in zip(taken.each(ndim), first.each(ndim), strict=True):
        if before == WHOLE:
            pairs.append((entry, given))
        elif entry != before or any(a is not b for a, b in zip(given, known, strict=True)):
            return None
        elif isinstance(before, Slice):
            pairs.append((WHOLE, []))
    return basic_index(pairs)


def _whole_and_index(part: Any) -> tuple[Any, BasicIndex]:
    """Return of what a variable is a part, and which."""
    if part.owner is None or not isinstance(part.owner.op, Subtensor):
        return part, BasicIndex(())
    whole, *inputs = part.owner.inputs
    return whole, BasicIndex(part.owner.op.idx_list, tuple(inputs))


def takes_everything(index: IndexList, x: Any) -> bool:
    """Return whether an index takes all of `x`, in order."""
    return all(takes_whole_axis(entry, n) for entry, n in zip(index, x.type.shape, strict=False))
