"""What laws about parts of tensors compute: indices into the operands of what is indexed.

A computation that has no result gives None, which `is_known` tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import constant
from relgraph.tensor.indexing.indices import (
    WHOLE,
    IndexList,
    Placeholder,
    Slice,
    symbolic_index,
    symbolic_length,
)
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.types import seen_constant
from relgraph.tensor.lawkit.layout.axis_orders import Axes, axes_of
from relgraph.tensor.lawkit.layout.slice_arithmetic import (
    Part,
    are_apart,
    axes_after,
    before_order,
    composed,
    covers_axis,
    into_operand,
    padded,
    past_axes,
    slice_of,
    split_at,
    trimmed,
    within_join,
)
from relgraph.tensor.math import cast


def is_known(value: Any) -> bool:
    """Return whether a computation that may have no result has one."""
    return value is not None


def index_of(part: Part) -> IndexList:
    """Return the index of a part."""
    return part.index


def inputs_of(part: Part) -> list[Any]:
    """Return the variables that the placeholders of a part stand for."""
    return list(part.inputs)


def part_taken(x: Any, part: Part) -> Any:
    """Return the part of `x`, which is `x` itself if the index is empty."""
    return Subtensor(part.index)(x, *part.inputs) if part.index else x


def takes_everything(index: IndexList, x: Any) -> bool:
    """Return whether an index takes all of `x`, in order."""
    return all(covers_axis(entry, n) for entry, n in zip(index, x.type.shape, strict=False))


def composed_part(
    x: Any,
    outer: IndexList,
    outer_inputs: Sequence[Any],
    inner: IndexList,
    inner_inputs: Sequence[Any],
) -> Part | None:
    """Return the part of `x` that `outer` takes of what `inner` takes; None if it can't be told."""
    return composed(x.type.shape, outer, outer_inputs, inner, inner_inputs)


def takes_shares(index: IndexList, operands: Sequence[Any], whole: Any) -> bool:
    """Return whether the parts of `operands` broadcast as these do.

    A length that is known of the `whole`, and not of an operand, is not known of its parts: one of
    the others might then be taken for an axis that broadcasts.
    """
    ndim = whole.type.ndim
    return all(
        entry == WHOLE
        or not isinstance(entry, Slice)
        or n is None
        or all(_length_from_right(v, ndim - axis) is not None for v in operands)
        for axis, (entry, n) in enumerate(zip(index, whole.type.shape, strict=False))
    )


def _length_from_right(v: Any, place: int) -> int | None:
    known: tuple[int | None, ...] = v.type.shape
    return known[-place] if place <= len(known) else 1


def shares(
    index: IndexList, inputs: Sequence[Any], operands: Sequence[Any], whole: Any
) -> list[Any]:
    """Return the parts of `operands` that make up a part of the `whole` they broadcast to."""
    return [share(index, inputs, v, whole.type.shape) for v in operands]


def share(index: IndexList, inputs: Sequence[Any], v: Any, shape: Sequence[Any]) -> Any:
    """Return the part of `v` that makes up a part of its broadcast to `shape`."""
    known = [static_int(n) for n in shape]
    return part_taken(v, into_operand(index, inputs, v.type.shape, known))


def lengths_of_part(
    index: IndexList, inputs: Sequence[Any], lengths: Sequence[Any]
) -> list[Variable]:
    """Return the lengths, int64s of rank 0, of a part of what has `lengths`."""
    entries = symbolic_index(index, inputs)
    known = [n if (given := static_int(n)) is None else given for n in lengths]
    left = [
        symbolic_length(n, e) for n, e in zip(known, entries, strict=False) if isinstance(e, slice)
    ]
    return [
        constant(n, dtype="int64") if isinstance(n, int) else cast(n, "int64")
        for n in (*left, *known[len(entries) :])
    ]


def is_within(index: IndexList, lengths: Sequence[Any]) -> bool:
    """Return whether the integers in an index are known to be within bounds."""
    for entry, length in zip(index, lengths, strict=False):
        n = static_int(length)
        if isinstance(entry, Placeholder):
            return False
        if isinstance(entry, int) and (n is None or not -n <= entry < n):
            return False
    return True


def part_before_order(
    order: Sequence[int | str], index: IndexList, inputs: Sequence[Any], x: Any
) -> Part | None:
    """Return the part of `x` that `index` takes of its dimshuffle; None if it takes no whole axis
    of the new ones."""
    return before_order(order, index, inputs, x.type.ndim)


def _in_join(index: IndexList, axis: int, parts: Sequence[Any]) -> Any:
    if len(index) <= axis:
        return None
    return within_join(index[axis], [v.type.shape[axis] for v in parts])


def part_in_join(index: IndexList, axis: int, parts: Sequence[Any]) -> Any:
    """Return the one of several tensors, side by side on `axis`, that an index lies in, or None."""
    found = _in_join(index, axis, parts)
    return None if found is None else parts[found[0]]


def index_in_join(index: IndexList, axis: int, parts: Sequence[Any]) -> IndexList:
    """Return the index into that tensor."""
    entry = _in_join(index, axis, parts)[1]
    return trimmed((*index[:axis], entry, *index[axis + 1 :]))


def are_apart_in(x: Any, a: IndexList, b: IndexList) -> bool:
    """Return whether two indices are known to take different elements of `x`."""
    return are_apart(x.type.shape, a, b)


def is_constant_zero(x: Any) -> bool:
    """Return whether `x` is known to be zero everywhere."""
    data = seen_constant(x)
    return data is not None and not np.any(data)


def run_of(positions: Any, x: Any) -> IndexList | None:
    """Return the slice that takes the rows of `x` at constant `positions`, or None.

    They have to be evenly spaced, and known to be within bounds.
    """
    n = x.type.shape[0]
    if not isinstance(positions, Constant) or n is None:
        return None
    data = np.asarray(positions.data)
    if data.ndim != 1 or data.dtype.kind not in "iu" or len(data) < 2:
        return None
    rows = [int(i) + (n if i < 0 else 0) for i in data]
    step = rows[1] - rows[0]
    if step == 0 or min(rows) < 0 or max(rows) >= n:
        return None
    run = range(rows[0], rows[-1] + (1 if step > 0 else -1), step)
    return (slice_of(run),) if list(run) == rows else None


def names_row(index: IndexList) -> bool:
    """Return whether an index begins with an integer."""
    return bool(index) and not isinstance(index[0], Slice)


def is_one_slice(index: IndexList) -> bool:
    """Return whether an index is one slice."""
    return len(index) == 1 and isinstance(index[0], Slice)


def row_part(index: IndexList, inputs: Sequence[Any], x: Any) -> Part:
    """Return the first entry of an index into `x`, as an index of its own."""
    return split_at(index, inputs, 1, x.type.ndim)[0]


def index_by_row(index: IndexList) -> IndexList:
    """Return an index the first entry of which is a variable."""
    return (Placeholder.INTEGER, *index[1:])


def inputs_by_row(index: IndexList, inputs: Sequence[Any], x: Any, row: Any) -> list[Any]:
    """Return the variables for `index_by_row`: `row`, and those of the other entries."""
    return [row, *split_at(index, inputs, 1, x.type.ndim)[1].inputs]


def left_share(index: IndexList, inputs: Sequence[Any], x: Any, product: Any) -> Any:
    """Return the rows of `x` that make up a part of its product with something."""
    rows = split_at(index, inputs, x.type.ndim - 1, product.type.ndim)[0]
    return part_taken(x, rows)


def right_share(index: IndexList, inputs: Sequence[Any], y: Any, product: Any) -> Any:
    """Return the columns of `y` that make up a part of the product of something with it."""
    before = product.type.ndim - (y.type.ndim - 1)
    columns = split_at(index, inputs, before, product.type.ndim)[1]
    return part_taken(y, past_axes(columns.index, columns.inputs, (0,), y.type.ndim))


def part_before_axes(index: IndexList, inputs: Sequence[Any], axes: Axes, x: Any) -> Part:
    """Return the part of `x` that has to be reduced for a part of its reduction over `axes`."""
    return past_axes(index, inputs, axes_of(axes, x.type.ndim), x.type.ndim)


def axes_in_part(part: Part, axes: Axes, x: Any) -> tuple[int, ...]:
    """Return which axes of that part have to be reduced."""
    return axes_after(part.index, axes_of(axes, x.type.ndim), x.type.ndim)


def axis_in_part(index: IndexList, axis: int, x: Any) -> int:
    """Return which axis of a part of `x` the `axis` is, which a slice takes some of."""
    return sum(isinstance(entry, Slice) for entry in padded(index, x.type.ndim)[:axis])


def is_prefix(index: IndexList, axis: int) -> bool:
    """Return whether an index takes of `axis` all elements up to some place."""
    if len(index) <= axis:
        return True
    entry = index[axis]
    return isinstance(entry, Slice) and entry.start in (None, 0) and entry.step in (None, 1)


def is_last(index: IndexList, axis: int) -> bool:
    """Return whether an index takes the last element on `axis`, and all of the other axes."""
    return index == (*[WHOLE] * axis, -1)


def neighbours(axis: int, a: IndexList, b: IndexList) -> IndexList | None:
    """Return the index that takes what `a` and, next to it on `axis`, `b` take; or None."""
    first, second = padded(a, axis + 1), padded(b, axis + 1)
    if not all(isinstance(entry, Slice) for entry in first[:axis]):
        return None  # the axis of the join is another one of the tensor
    others = (*first[:axis], *first[axis + 1 :]) == (*second[:axis], *second[axis + 1 :])
    low, high = first[axis], second[axis]
    if not others or not isinstance(low, Slice) or not isinstance(high, Slice):
        return None
    if {low.step, high.step} - {None, 1} or low.stop is None or low.stop != high.start:
        return None
    ends = (low.start, low.stop, high.stop)
    whole = low.start is None and high.stop is None
    counted = [e for e in ends if e is not None]
    placed = [e for e in counted if isinstance(e, int) and e >= 0]
    rising = placed == counted == sorted(placed)
    if not whole and not rising:
        return None
    return trimmed((*first[:axis], Slice(low.start, high.stop), *first[axis + 1 :]))
