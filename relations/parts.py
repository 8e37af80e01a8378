"""Parts of tensors: indexing, parts that are set or incremented, and sums of increments.

An index moves toward the leaves, so that what is not asked for isn't computed. Where it is out of
bounds of something that a law leaves out (an allocation, a row of a table that another index
skips), its error is left out too.

The laws about changed parts hold of slices and integers. Most also hold of arrays of positions,
which may name an element more than once.

A sum of two increments makes two copies of the tensor; an increment of an increment makes none that
can't be overwritten. The document's ``inc(a, b, i) + inc(a, c, i) → inc(inc(a, b, i), c, i)`` holds
where `a` is zero, as in a gradient. What holds of any `a` is ``inc(a, b, i) + z → inc(a + z, b,
i)``; the document's line follows from it by ``0 + x → x``. The other terms may have increments in
them too. These are done at the same time, one after the other on the sum of the rest: in the laws
about sums `x` is the sum of all the other terms, written so.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from relations.kit import parts as kit
from relations.kit.guards import all_zeroo, counts_any_length
from relations.kit.index_arithmetic import (
    BasicIndex,
    are_disjoint,
    axes_after_index,
    composed_index,
    index_around_axes,
    index_before_dimshuffle,
    order_after_index,
    rank_of,
    taken_at,
    takes_everything,
)
from relations.kit.type_guards import integero, realo, same_dtypeo, vectoro
from relations.kit.vocabulary import Law, any_dtype_law, any_dtype_rounding, lvars, rounding
from relgraph.graph.kanren import computed, one_cliento, several, whereo
from relgraph.tensor import CAReduce, DimShuffle, Elemwise, add, second
from relgraph.tensor.assembly import Alloc, ARange, Join
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.math import _dot
from relgraph.tensor.shapes import Shape_i
from relgraph.tensor.subtensor import IncSubtensor, Placeholder, Slice, Subtensor, goes_forward

# -- indexing --------------------------------------------------------------------------------------

a, at, b, i, j, m, n, o, q, s, x, xs, y, ys, z = lvars("a at b i j m n o q s x xs y ys z")
indices, lengths, operands, parts = lvars("indices lengths operands parts")
positions, (t, u) = lvars("positions", integero, vectoro), lvars("t u", realo)
"""Positions along an axis, and real numbers."""


index = computed(BasicIndex, i, indices)
"""The basic index of the entries `i`, with the variables in them."""


def part_of(whole: Any) -> Any:
    """Return the term ``whole[i]``, where `indices` are the variables in `i`."""
    return Subtensor(i)(whole, several(indices))


f = Elemwise(s, ())
"""Any elementwise op."""
turned = Subtensor(kit.REVERSED)
"""``x[::-1]``. NumPy's loops over an axis that is reversed are slow."""
elementwise, reduced = f(several(operands)), CAReduce(s, a)(x)
moved = computed(taken_at, x, computed(index_before_dimshuffle, o, index, n))
inner = computed(index_around_axes, index, a, x)


inward, inward_rounding = (
    partial(kind, tags=("inward",)) for kind in (any_dtype_law, any_dtype_rounding)
)
"""Laws by which a part of a result is computed of parts."""

LIFTS = (
    # (x + y)[i, j] → x[i, j] + y[i, j]; on an axis along which an operand is repeated it keeps what
    # it has: y[0, j] of a row y
    inward(
        "subtensor-of-elemwise",
        part_of(elementwise),
        f(several(computed(kit.operand_parts, index, operands))),
        one_cliento(elementwise),
        # NumPy's loops over an axis that is reversed are slow: none is made
        whereo(goes_forward, i),
    ),
    inward(
        "diagonal-of-elemwise",
        ExtractDiag(o)(elementwise),
        # diag(x + y) → diag(x) + diag(y)
        f(several(computed(kit.diagonals_of, o, operands))),
        one_cliento(elementwise),
    ),
    inward(
        "subtensor-of-dimshuffle",
        part_of(DimShuffle(n, o)(x)),
        # x.T[i] → x[:, i]
        DimShuffle(computed(rank_of, moved), computed(order_after_index, o, i, n))(moved),
    ),
    # of a complex infinity the BLAS makes nan in its own ways
    inward_rounding(
        "subtensor-of-dot",
        part_of(_dot(t, u)),
        # (t @ u)[i, j] → t[i] @ u[:, j]
        _dot(
            computed(kit.left_operand_part, index, t, u),
            computed(kit.right_operand_part, index, t, u),
        ),
        one_cliento(_dot(t, u)),
    ),
    inward_rounding(
        "subtensor-of-reduce",
        part_of(reduced),
        # sum(x, axis=1)[i] → sum(x[i], axis=0)
        CAReduce(s, computed(axes_after_index, inner, a, x))(computed(taken_at, x, inner)),
        one_cliento(reduced),
    ),
)
"""Where nothing else reads the result of which a part is taken."""


def changed(index: Any, is_set: Any, whole: Any, value: Any) -> Any:
    """Return the term for `whole` with its part at an index set to, or incremented by, `value`."""
    return IncSubtensor(index, False, is_set)(whole, value, several(indices))


one = DimShuffle(0, ("x",))
ENDED = (Join(0)([0.0], one(x), one(y)), Join(0)(one(x), [1.0, 1.0]))

STEPS = (
    # diff(join(0, 0, x, 1)) → join(0, x[0], diff(x), 1 - x[-1]), with one number at either end: a
    # law may be about what is left of 1
    any_dtype_law(
        "steps-of-join",
        Subtensor(i)(x) - Subtensor(j)(x),
        computed(kit.steps_of_join, i, j, x),
        tries=[
            Subtensor((Slice(1),))(ended) - Subtensor((Slice(None, -1),))(ended) for ended in ENDED
        ],
    ),
)

FRONT, BY_ARRAY = (Slice(None, 2),), (Placeholder.ARRAY,)

taken = AdvancedSubtensor(BY_ARRAY)
"""Indexing by one array: the rows of a tensor at the positions in a vector."""


COMPOSED_AND_MADE = (
    # x[2:][3] → x[5], x[::-1][::-1] → x[:], x[i][j] → x[i, j]
    any_dtype_law(
        "subtensor-of-subtensor",
        part_of(Subtensor(j)(x, several(xs))),
        computed(taken_at, x, computed(composed_index, x, index, computed(BasicIndex, j, xs))),
    ),
    any_dtype_law("subtensor-unneeded", Subtensor(i)(x), x, whereo(takes_everything, i, x)),
    any_dtype_law(
        "op-of-reversed",
        f(several(xs)),
        # f(x[::-1], y[::-1], z) → f(x, y, z)[::-1], of a `z` of one row
        turned(f(several(computed(kit.not_reversed, xs)))),
        tries=[f(turned(x)), f(turned(x), turned(y)), f(turned(x), y), f(y, turned(x))],
    ),
    # alloc(x, 9, n)[2:5, 0] → alloc(x, 3)
    any_dtype_law(
        "subtensor-of-alloc",
        part_of(Alloc()(x, several(lengths))),
        Alloc()(
            computed(kit.operand_part, index, x, lengths),
            several(computed(kit.lengths_of_part, index, lengths)),
        ),
        whereo(kit.is_within_bounds, i, lengths),
    ),
    any_dtype_law(
        "subtensor-of-join",
        part_of(Join(a)(several(parts))),
        # join(0, x, y)[2] → x[2], of an x of three rows
        computed(kit.part_of_piece, index, a, parts),
    ),
    # set_subtensor(x[i], y)[i] → y, inc_subtensor(x[i], y)[i] → x[i] + y
    any_dtype_law("subtensor-of-set-subtensor", part_of(changed(i, True, x, y)), y),
    any_dtype_law(
        "subtensor-of-inc-subtensor",
        part_of(changed(i, False, x, y)),
        computed(taken_at, x, index) + y,
    ),
    any_dtype_law(
        "subtensor-of-change-elsewhere",
        part_of(IncSubtensor(j, False, b)(x, y, several(xs))),
        part_of(x),  # set_subtensor(x[0], y)[1] → x[1], and the same for an increment
        whereo(are_disjoint, x, i, j),
    ),
    any_dtype_law(
        "take-all",
        taken(x, ARange(o)(0, Shape_i(0)(x), 1)),
        x,  # x[arange(len(x))] → x
        whereo(counts_any_length, o),
    ),
    any_dtype_law(
        "take-run",
        taken(x, positions),
        Subtensor(computed(kit.equivalent_slice, positions, x))(x),  # x[[1, 3, 5]] → x[1:6:2]
    ),
    any_dtype_law(
        "row-of-taken",
        part_of(taken(x, positions)),
        # x[positions][i] → x[positions[i]]
        computed(taken_at, x, computed(kit.index_by_position, index, x, positions)),
        whereo(kit.begins_with_integer, i),
    ),
    any_dtype_law(
        "slice-of-taken",
        part_of(taken(x, positions)),
        # x[positions][2:] → x[positions[2:]]; others may be out of bounds
        taken(x, computed(taken_at, positions, index)),
        whereo(kit.is_one_slice, i),
    ),
)


# -- parts that are set or incremented -------------------------------------------------------------


of_one_dtype = same_dtypeo(x, y, z)


def of_changes(ending: str, take: Any, change: Any) -> tuple[Law, ...]:
    """Return the laws about parts that one op takes and another one changes."""

    def put(whole: Any, value: Any) -> Any:
        return change(i, False, True)(whole, value, several(indices))

    def raised(whole: Any, value: Any) -> Any:
        return change(i, False, False)(whole, value, several(indices))

    of_either = change(i, False, b)(x, y, several(indices))
    return (
        # set_subtensor(x[i], x[i]) → x
        any_dtype_law(f"set-own-part{ending}", put(x, take(i)(x, several(indices))), x),
        # set_subtensor(set_subtensor(x[i], y)[i], z) → set_subtensor(x[i], z); so of an increment
        any_dtype_law(f"set-after-change{ending}", put(of_either, z), put(x, z)),
        # inc_subtensor(inc_subtensor(x[i], y)[i], z) → inc_subtensor(x[i], y + z)
        any_dtype_rounding(
            f"inc-twice{ending}", raised(raised(x, y), z), raised(x, y + z), of_one_dtype
        ),
        # inc_subtensor(x[i], 0) → x; -0 + 0 is 0
        any_dtype_rounding(f"inc-by-zero{ending}", raised(x, y), x, all_zeroo(y)),
    )


everything = whereo(takes_everything, i, x)

CHANGES = (
    *of_changes("", Subtensor, IncSubtensor),
    *of_changes("-by-array", AdvancedSubtensor, AdvancedIncSubtensor),
    any_dtype_law(
        "inc-after-set",
        changed(i, False, changed(i, True, x, y), z),
        changed(i, True, x, y + z),
        of_one_dtype,
    ),
    # everything
    any_dtype_law("set-everything", IncSubtensor(i, False, True)(x, y), y, everything),
    any_dtype_law("inc-everything", IncSubtensor(i, False, False)(x, y), x + y, everything),
    # zeros; 0 + -0 is 0
    any_dtype_rounding(
        "inc-of-zeros", changed(i, False, x, y), changed(i, True, x, y), all_zeroo(x)
    ),
)


# -- sums of increments ----------------------------------------------------------------------------

e = lvars("e")
inc, put = IncSubtensor(e, False, False), IncSubtensor(e, False, True)


SERIALIZE = (
    rounding(
        "inc-serialize",
        add(several(xs)),
        computed(kit.sum_incremented_last, xs),  # inc(x, b, i) + z → inc(x + z, b, i)
        tags=("inc_subtensor_serialize",),
        complex=True,
        tries=[
            inc(x, b) + z,
            inc(x, b, i) + z,
            put(second(y, 0), b) + z,
            AdvancedIncSubtensor(BY_ARRAY, False, False)(x, b, i) + z,
        ],
    ),
    # increments may be made in any order, so those of the same elements are one
    rounding(
        "inc-past",
        inc(x, b),
        # inc(inc(inc(x, c, i), d, j), b, i) → inc(inc(x, c + b, i), d, j)
        computed(kit.increments_together, e, x, b),
        complex=True,
        tries=[inc(IncSubtensor(j, False, False)(inc(x, y), z), b)],
    ),
)
