"""Indices into the operands of what is indexed, and sums of increments, for `relations.parts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import (
    Heads,
    containing_any_of,
    depends_on_levels,
    in_dtype,
    requires_heads,
)
from relations.kit.index_arithmetic import (
    BasicIndex,
    index_around_axes,
    index_into_operand,
    located_in_join,
    padded,
    slice_of_range,
    split_index,
    taken_at,
    trimmed,
)
from relations.kit.type_guards import have_same_dtype
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation import number_of
from relgraph.tensor.assembly import Join
from relgraph.tensor.basic import static_int
from relgraph.tensor.indexing import AdvancedIncSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.math import add, second
from relgraph.tensor.shapes import known_length
from relgraph.tensor.subtensor import (
    WHOLE,
    IncSubtensor,
    IndexList,
    Placeholder,
    Slice,
    Subtensor,
    symbolic_index,
    symbolic_length,
)

# -- of an index, an elementwise op, a product, a reduction ----------------------------------------


REVERSED = (Slice(None, None, -1),)
"""The index in ``x[::-1]``."""


@requires_heads(containing_any_of(Subtensor(REVERSED)))
def not_reversed(operands: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the operands of an elementwise op without the reversal of their first axis; None if
    none is reversed, or if another one may have more than one row."""
    turned = [v.head is Subtensor(REVERSED) for v in operands]
    if not any(turned) or not all(
        there or v.type.shape[:1] == (1,) for there, v in zip(turned, operands, strict=True)
    ):
        return None
    return tuple(
        v.owner.inputs[0] if there else v for there, v in zip(turned, operands, strict=True)
    )


def operand_parts(index: BasicIndex, operands: Sequence[Any]) -> list[Any] | None:
    """Return the parts of `operands` of which an elementwise op makes the part of its result at an
    index; None if they are not known to broadcast as `operands` do.

    A length that is known of the result, and not of an operand, is not known of its part: that of
    another operand might then be taken for an axis that broadcasts.
    """
    lengths: list[int | None] = []
    columns = zip(*(v.type.shape for v in operands), strict=True)
    for column, entry in zip(columns, padded(index.entries, operands[0].type.ndim), strict=True):
        known = [n for n in column if n is not None and n != 1]
        if known and None in column and isinstance(entry, Slice) and entry != WHOLE:
            return None
        lengths.append(known[0] if known else None if None in column else 1)
    return [operand_part(index, v, lengths) for v in operands]


def diagonals_of(offset: int, operands: Sequence[Any]) -> list[Any] | None:
    """Return the diagonals of operands, of which those that are repeated along one of the last two
    axes alone have none: then None."""
    found = []
    for v in operands:
        repeated = v.type.broadcastable[-2:]
        if len(repeated) < 2 or any(repeated) != all(repeated):
            return None
        one = any(repeated)
        found.append(v.dimshuffle(*range(v.type.ndim - 1)) if one else ExtractDiag(offset)(v))
    return found


def operand_part(index: BasicIndex, v: Any, lengths: Sequence[Any]) -> Any:
    """Return the part of `v` that broadcasts to the part at `index` of what `v` broadcasts to.

    Parameters
    ----------
    lengths
        Those that `v` broadcasts to: ints, integer variables, or None.
    """
    known = [static_int(n) for n in lengths]
    return taken_at(v, index_into_operand(index, v.type.shape, known))


def left_operand_part(index: BasicIndex, x: Any, y: Any) -> Any:
    """Return the rows of `x` whose product with something has the rows of ``(x @ y)[index]``."""
    return taken_at(x, split_index(index, x.type.ndim - 1, x.type.ndim + y.type.ndim - 2)[0])


def right_operand_part(index: BasicIndex, x: Any, y: Any) -> Any:
    """Return the columns of `y` that are multiplied for the columns of ``(x @ y)[index]``."""
    columns = split_index(index, x.type.ndim - 1, x.type.ndim + y.type.ndim - 2)[1]
    return taken_at(y, index_around_axes(columns, (0,), y))


# -- of what is allocated, joined, or changed elsewhere --------------------------------------------


def is_within_bounds(index: IndexList, lengths: Sequence[Any]) -> bool:
    """Return whether the integers in an index are known to be within `lengths`."""
    for entry, length in zip(index, lengths, strict=False):
        n = static_int(length)
        if isinstance(entry, Placeholder):
            return False
        if isinstance(entry, int) and (n is None or not -n <= entry < n):
            return False
    return True


def lengths_of_part(index: BasicIndex, lengths: Sequence[Any]) -> list[Variable]:
    """Return the lengths, int64s of rank 0, of a part of what has `lengths`."""
    entries = symbolic_index(index.entries, index.inputs)
    known = [known_length(n) for n in lengths]
    left = [
        symbolic_length(n, e) for n, e in zip(known, entries, strict=False) if isinstance(e, slice)
    ]
    return [in_dtype(n, "int64") for n in (*left, *known[len(entries) :])]


def part_of_piece(index: BasicIndex, axis: int, pieces: Sequence[Any]) -> Any:
    """Return what `index` takes of a join, as a part of that one of its pieces in which all of it
    is; None if there is none."""
    entries = index.entries
    if len(entries) <= axis:
        return None
    found = located_in_join(entries[axis], [v.type.shape[axis] for v in pieces])
    if found is None:
        return None
    which, entry = found
    within = trimmed((*entries[:axis], entry, *entries[axis + 1 :]))
    return taken_at(pieces[which], BasicIndex(within, index.inputs))


@depends_on_levels(2)
def steps_of_join(after: IndexList, before: IndexList, x: Any) -> Any:
    """Return ``x[after] - x[before]``, the differences of neighbours along the axis of a join, made
    of those within its pieces and those where two meet.

    Returns
    -------
    differences
        None if `x` is no join, or has no piece that is a number; if it is not known that no piece
        is empty; or if the indices are others.
    """
    if x.owner is None or not isinstance(x.owner.op, Join):
        return None
    axis, pieces = x.owner.op.axis, x.owner.inputs
    whole = (WHOLE,) * axis
    if (after, before) != ((*whole, Slice(1)), (*whole, Slice(None, -1))):
        return None
    counts = [v.type.shape[axis] for v in pieces]
    has_number = any(number_of(v) is not None for v in pieces)
    if not all(counts) or not has_number or not have_same_dtype(x, *pieces):
        return None

    def along(v: Any, part: Slice) -> Any:
        # of one row, a number stays known as one
        return v if v.type.shape[axis] == 1 else Subtensor((*whole, part))(v)

    steps = []
    for k, (v, count) in enumerate(zip(pieces, counts, strict=True)):
        if k:
            steps.append(along(v, Slice(None, 1)) - along(pieces[k - 1], Slice(-1)))
        if count > 1:
            steps.append(along(v, Slice(1)) - along(v, Slice(None, -1)))
    return Join(axis)(*steps)


# -- of rows at positions --------------------------------------------------------------------------


def equivalent_slice(positions: Any, x: Any) -> IndexList | None:
    """Return the index of a slice that takes the rows of `x` at constant `positions`, or None.

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
    return (slice_of_range(run),) if list(run) == rows else None


def begins_with_integer(index: IndexList) -> bool:
    """Return whether the first entry of an index is an integer, or a variable one."""
    return bool(index) and not isinstance(index[0], Slice)


def is_one_slice(index: IndexList) -> bool:
    """Return whether an index is one slice."""
    return len(index) == 1 and isinstance(index[0], Slice)


def index_by_position(index: BasicIndex, x: Any, positions: Any) -> BasicIndex:
    """Return the index into `x` that is ``x[positions][index]``, of an integer and others."""
    row, others = split_index(index, 1, x.type.ndim)
    inputs = (taken_at(positions, row), *others.inputs)
    return BasicIndex((Placeholder.INTEGER, *index.entries[1:]), inputs)


def has_no_broadcast_axis(a: Any) -> bool:
    """Return whether no axis of `a` broadcasts: every sum with it has its shape."""
    return not any(a.type.broadcastable)


def _containing_increment(heads: Heads) -> bool:
    return any(isinstance(head, IncSubtensor | AdvancedIncSubtensor) for head in heads)


@requires_heads(_containing_increment)
@depends_on_levels(2)
def sum_incremented_last(terms: Sequence[Any]) -> Variable | None:
    """Return the sum of some terms, with the increments among them done on the sum of the rest.

    ``inc(a, b, i) + inc(zeros, c, j) + z`` is ``inc(inc(a + z, c, j), b, i)``. All are taken at
    once: in a gradient there may be as many as there are nodes. None if there are none, or if the
    rest might have another shape.
    """
    places = (i for i, v in enumerate(terms) if _base_and_increment(v)[1] is not None)
    first = next(places, None)
    if first is None or len({v.type.dtype for v in terms}) > 1:
        return None
    every = [terms[first], *terms[:first], *terms[first + 1 :]]
    summed: list[Variable] = []
    increments: list[tuple[Any, Sequence[Variable]]] = []
    for var in every:
        base, increment = _base_and_increment(var)
        if increment is None or (base is None and not summed and var is every[-1]):
            summed.append(var)
            continue
        increments.append(increment)
        if base is not None:
            summed.append(base)
    total = applied(add, summed)
    if not has_no_broadcast_axis(total):
        return None
    for op, inputs in reversed(increments):
        total = op(total, *inputs)
    assert isinstance(total, Variable)
    return total


_MOST_BETWEEN = 5


@requires_heads(_containing_increment)
@depends_on_levels(_MOST_BETWEEN + 1)
def increments_together(index: IndexList, x: Any, b: Any) -> Variable | None:
    """Return `x` with an increment of the elements at an index that `b` is added to, too; None if
    there is none, a few other increments down, or if it is the first. Indices have no variables.
    """
    between: list[tuple[Any, Variable]] = []
    while _is_plain_increment(x) and len(between) <= _MOST_BETWEEN:
        inner, value = x.owner.inputs
        if x.owner.op.idx_list == index and have_same_dtype(x, value, b):
            x = x.owner.op(inner, value + b)
            for op, added in reversed(between):
                x = op(x, added)
            return x if between else None
        between.append((x.owner.op, value))
        x = inner
    return None


def _is_plain_increment(x: Any) -> bool:
    op = None if x.owner is None else x.owner.op
    plain = isinstance(op, IncSubtensor) and not (op.inplace or op.set_instead_of_inc)
    return plain and len(x.owner.inputs) == 2


def _base_and_increment(var: Variable) -> tuple[Variable | None, Any]:
    """Return the tensor a part of which is incremented in `var`, None for zeros, and the increment:
    its op and all of its inputs but the first.

    The increment is None if `var` is not made by one, or not of a tensor that has its shape.
    """
    node = var.owner
    if node is None or not isinstance(node.op, IncSubtensor | AdvancedIncSubtensor):
        return None, None
    base, op = node.inputs[0], node.op
    if not has_no_broadcast_axis(base) or base.type.dtype != var.type.dtype or op.inplace:
        return None, None
    if not op.set_instead_of_inc:
        return base, (op, node.inputs[1:])
    # elements that an array names twice are set once, but would be added to twice
    if not isinstance(op, IncSubtensor) or base.head is not second or number_of(base) != 0:
        return None, None
    return None, (IncSubtensor(op.idx_list, False, False), node.inputs[1:])
