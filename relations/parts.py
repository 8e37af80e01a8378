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

from typing import Any

from cons import cons
from kanren.core import conde, eq, lall

from relations.kit import parts as kit
from relations.kit.guards import all_zeroo, counts_any_length, foundo
from relations.kit.index_arithmetic import (
    index_before_dimshuffle,
    order_after_index,
    rank_of,
    taken_at,
    takes_everything,
)
from relations.kit.type_guards import integero, ranko, realo, same_dtypeo
from relations.kit.vocabulary import (
    any_dtype_law,
    lvars,
    relation,
    rounding,
)
from relgraph.graph.kanren import argumentso, computo, one_cliento, several, whereo
from relgraph.tensor import CAReduce, DimShuffle, Elemwise, add, second
from relgraph.tensor.assembly import Alloc, ARange, Join
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.math import _dot
from relgraph.tensor.shapes import Shape_i
from relgraph.tensor.subtensor import IncSubtensor, Placeholder, Slice, Subtensor, goes_forward

# -- indexing --------------------------------------------------------------------------------------

a, at, b, i, j, m, n, o, q, s, x, xs, y, ys, z = lvars("a at b i j m n o q s x xs y ys z")
indices, inner, lengths, operands, parts, positions = lvars(
    "indices inner lengths operands parts positions"
)


def parto(part: Any, whole: Any) -> Any:
    """Construct the goal that `part` is ``whole[i]``, where `indices` are the variables in `i`."""
    return argumentso(part, Subtensor(i), cons(whole, indices))


def part_ato(part: Any, whole: Any, at: Any) -> Any:
    """Construct the goal that `part` is the part of `whole` at the `BasicIndex` called `at`."""
    index, inputs = lvars("index inputs")
    return lall(
        computo(index, kit.entries_of, at),
        computo(inputs, kit.inputs_of, at),
        argumentso(part, Subtensor(index), cons(whole, inputs)),
    )


@relation("subtensor-of-subtensor", depth=2)
def subtensor_of_subtensoro(part: Any, direct: Any) -> Any:
    """``x[2:][3] → x[5]``, ``x[::-1][::-1] → x[:]``, ``x[i][j] → x[i, j]``"""
    inner_indices = lvars("inner_indices")
    return lall(
        parto(part, inner),
        argumentso(inner, Subtensor(j), cons(x, inner_indices)),
        *foundo(at, kit.index_of_indexed, x, i, indices, j, inner_indices),
        part_ato(direct, x, at),
    )


COMPOSED = (
    subtensor_of_subtensoro,
    any_dtype_law("subtensor-unneeded", Subtensor(i)(x), x, whereo(takes_everything, i, x)),
)


@relation("subtensor-of-elemwise", tags=("inward",), depth=2)
def subtensor_of_elemwiseo(part: Any, lifted: Any) -> Any:
    """``(x + y)[i, j] → x[i, j] + y[i, j]``, where nothing else reads ``x + y``

    On an axis along which an operand is repeated it keeps what it has: ``y[0, j]`` of a row `y`.
    NumPy's loops over an axis that is reversed are slow: none is made.
    """
    return lall(
        parto(part, inner),
        argumentso(inner, Elemwise(s), operands),
        one_cliento(inner),
        whereo(goes_forward, i),
        whereo(kit.operand_parts_broadcast, i, operands, inner),
        computo(parts, kit.operand_parts, i, indices, operands, inner),
        argumentso(lifted, Elemwise(s), parts),
    )


@relation("diagonal-of-elemwise", tags=("inward",), depth=3)
def diagonal_of_elemwiseo(part: Any, lifted: Any) -> Any:
    """``diag(x + y) → diag(x) + diag(y)``, where nothing else reads ``x + y``"""
    return lall(
        eq(part, ExtractDiag(o)(inner)),
        argumentso(inner, Elemwise(s), operands),
        one_cliento(inner),
        *foundo(parts, kit.diagonals_of, o, operands),
        argumentso(lifted, Elemwise(s), parts),
    )


@relation("subtensor-of-dimshuffle", tags=("inward",), depth=3)
def subtensor_of_dimshuffleo(part: Any, shuffled: Any) -> Any:
    """``x.T[i] → x[:, i]``"""
    return lall(
        parto(part, inner),
        eq(inner, DimShuffle(n, o)(x)),
        *foundo(at, index_before_dimshuffle, o, i, indices, n),
        computo(y, taken_at, x, at),
        computo(m, rank_of, y),
        computo(q, order_after_index, o, i, n),
        eq(shuffled, DimShuffle(m, q)(y)),
    )


@relation("subtensor-of-dot", tags=("inward",), sound="rounding", depth=2)
def subtensor_of_doto(part: Any, product: Any) -> Any:
    """``(x @ y)[i, j] → x[i] @ y[:, j]``, where nothing else reads ``x @ y``"""
    rows, columns = lvars("rows columns")
    return lall(
        parto(part, inner),
        eq(inner, _dot(x, y)),
        one_cliento(inner),
        # of a complex infinity the BLAS makes nan in its own ways
        realo(x),
        realo(y),
        computo(rows, kit.left_operand_part, i, indices, x, inner),
        computo(columns, kit.right_operand_part, i, indices, y, inner),
        eq(product, _dot(rows, columns)),
    )


@relation("subtensor-of-reduce", tags=("inward",), sound="rounding", depth=2)
def subtensor_of_reduceo(part: Any, reduced: Any) -> Any:
    """``sum(x, axis=1)[i] → sum(x[i], axis=0)``, where nothing else reads the sums"""
    return lall(
        parto(part, inner),
        eq(inner, CAReduce(s, a)(x)),
        one_cliento(inner),
        computo(at, kit.index_before_reduction, i, indices, a, x),
        computo(y, taken_at, x, at),
        computo(b, kit.reduced_axes_after, at, a, x),
        eq(reduced, CAReduce(s, b)(y)),
    )


f = Elemwise(s, ())
"""Any elementwise op."""
turned = Subtensor(kit.REVERSED)
"""``x[::-1]``. NumPy's loops over an axis that is reversed are slow."""
REVERSED = (
    any_dtype_law(
        "op-of-reversed",
        f(several(xs)),
        turned(f(several(ys))),  # f(x[::-1], y[::-1], z) → f(x, y, z)[::-1], of a `z` of one row
        *foundo(ys, kit.not_reversed, xs),
        tries=[f(turned(x)), f(turned(x), turned(y)), f(turned(x), y), f(y, turned(x))],
    ),
)

LIFTS = (
    subtensor_of_elemwiseo,
    diagonal_of_elemwiseo,
    subtensor_of_dimshuffleo,
    subtensor_of_doto,
    subtensor_of_reduceo,
)


@relation("subtensor-of-alloc", depth=2)
def subtensor_of_alloco(part: Any, smaller: Any) -> Any:
    """``alloc(x, 9, n)[2:5, 0] → alloc(x, 3)``, if the integers are known to be within bounds"""
    left = lvars("left")
    return lall(
        parto(part, inner),
        argumentso(inner, Alloc(), cons(x, lengths)),
        whereo(kit.is_within_bounds, i, lengths),
        computo(y, kit.operand_part, i, indices, x, lengths),
        computo(left, kit.lengths_of_part, i, indices, lengths),
        argumentso(smaller, Alloc(), cons(y, left)),
    )


@relation("subtensor-of-join", depth=3)
def subtensor_of_joino(part: Any, direct: Any) -> Any:
    """``join(0, x, y)[2] → x[2]``, if `x` is known to have more than two rows"""
    return lall(
        parto(part, inner),
        argumentso(inner, Join(a), parts),
        *foundo(x, kit.piece_indexed, i, a, parts),
        computo(j, kit.index_into_piece, i, a, parts),
        argumentso(direct, Subtensor(j), cons(x, indices)),
    )


@relation("subtensor-of-set-subtensor", depth=2)
def subtensor_of_set_subtensoro(part: Any, value: Any) -> Any:
    """``set_subtensor(x[i], y)[i] → y``"""
    return lall(
        parto(part, inner),
        argumentso(inner, IncSubtensor(i, False, True), cons(x, cons(value, indices))),
    )


@relation("subtensor-of-inc-subtensor", depth=2)
def subtensor_of_inc_subtensoro(part: Any, total: Any) -> Any:
    """``inc_subtensor(x[i], y)[i] → x[i] + y``"""
    return lall(
        parto(part, inner),
        argumentso(inner, IncSubtensor(i, False, False), cons(x, cons(y, indices))),
        parto(z, x),
        eq(total, z + y),
    )


@relation("subtensor-of-change-elsewhere", depth=2)
def subtensor_of_changeo(part: Any, direct: Any) -> Any:
    """``set_subtensor(x[0], y)[1] → x[1]``, and the same for an increment"""
    others = lvars("others")
    return lall(
        parto(part, inner),
        argumentso(inner, IncSubtensor(j, False, b), cons(x, cons(y, others))),
        whereo(kit.are_disjoint_in, x, i, j),
        parto(direct, x),
    )


MADE = (
    subtensor_of_alloco,
    subtensor_of_joino,
    subtensor_of_set_subtensoro,
    subtensor_of_inc_subtensoro,
    subtensor_of_changeo,
)

FRONT, BY_ARRAY = (Slice(None, 2),), (Placeholder.ARRAY,)

taken = AdvancedSubtensor(BY_ARRAY)
"""Indexing by one array: the rows of a tensor at the positions in a vector."""


@relation("row-of-taken", depth=3)
def row_of_takeno(part: Any, row: Any) -> Any:
    """``x[positions][i] → x[positions[i]]``"""
    index, inputs, position = lvars("index inputs position")
    return lall(
        parto(part, inner),
        eq(inner, taken(x, positions)),
        integero(positions),
        ranko(positions, 1),
        whereo(kit.begins_with_integer, i),
        computo(at, kit.first_entry, i, indices, inner),
        computo(position, taken_at, positions, at),
        computo(index, kit.with_variable_first, i),
        computo(inputs, kit.inputs_with_first, i, indices, inner, position),
        argumentso(row, Subtensor(index), cons(x, inputs)),
    )


@relation("slice-of-taken", depth=2)
def slice_of_takeno(part: Any, rows: Any) -> Any:
    """``x[positions][2:] → x[positions[2:]]``"""
    fewer = lvars("fewer")
    return lall(
        parto(part, inner),
        eq(inner, taken(x, positions)),
        integero(positions),
        ranko(positions, 1),
        whereo(kit.is_one_slice, i),
        parto(fewer, positions),
        eq(rows, taken(x, fewer)),
    )


TAKEN = (
    any_dtype_law(
        "take-all",
        taken(x, ARange(o)(0, Shape_i(0)(x), 1)),
        x,  # x[arange(len(x))] → x
        whereo(counts_any_length, o),
    ),
    any_dtype_law(
        "take-run",
        taken(x, positions),
        Subtensor(j)(x),  # x[[1, 3, 5]] → x[1:6:2]
        *foundo(j, kit.equivalent_slice, positions, x),
    ),
    row_of_takeno,
    slice_of_takeno,
)


# -- parts that are set or incremented -------------------------------------------------------------

part = lvars("part")


def changeo(changed: Any, kind: Any, is_set: Any, v: Any, value: Any) -> Any:
    """Construct the goal that `changed` is `v` with its part ``v[i]`` set to, or incremented by,
    `value`.

    Parameters
    ----------
    kind
        `IncSubtensor` or `AdvancedIncSubtensor`.
    is_set
        Whether it is set, and not incremented.
    """
    return argumentso(changed, kind(i, False, is_set), cons(v, cons(value, indices)))


def of_either_kind(goals: Any) -> Any:
    """Construct the goal that holds of parts by slices or of parts by arrays.

    Parameters
    ----------
    goals
        Gives the goals for the ops that take a part and that change it.
    """
    return conde(goals(Subtensor, IncSubtensor), goals(AdvancedSubtensor, AdvancedIncSubtensor))


@relation(
    "set-own-part",
    depth=2,
    tries=[
        IncSubtensor(FRONT, False, True)(x, Subtensor(FRONT)(x)),
        AdvancedIncSubtensor(BY_ARRAY, False, True)(x, taken(x, positions), positions),
    ],
)
def set_own_parto(changed: Any, same: Any) -> Any:
    """``set_subtensor(x[i], x[i]) → x``"""
    return of_either_kind(
        lambda take, change: [
            changeo(changed, change, True, same, part),
            argumentso(part, take(i), cons(same, indices)),
        ]
    )


@relation("set-after-change", depth=2)
def set_after_changeo(changed: Any, once: Any) -> Any:
    """``set_subtensor(set_subtensor(x[i], y)[i], z) → set_subtensor(x[i], z)``, and the same after
    an increment"""
    return of_either_kind(
        lambda _, change: [
            changeo(changed, change, True, inner, z),
            changeo(inner, change, b, x, y),
            changeo(once, change, True, x, z),
        ]
    )


@relation("inc-twice", sound="rounding", depth=2)
def inc_twiceo(changed: Any, once: Any) -> Any:
    """``inc_subtensor(inc_subtensor(x[i], y)[i], z) → inc_subtensor(x[i], y + z)``"""
    return of_either_kind(
        lambda _, change: [
            changeo(changed, change, False, inner, z),
            changeo(inner, change, False, x, y),
            same_dtypeo(x, y, z),
            changeo(once, change, False, x, y + z),
        ]
    )


@relation("inc-by-zero", sound="rounding", depth=2)  # -0 + 0 is 0
def inc_by_zeroo(changed: Any, same: Any) -> Any:
    """``inc_subtensor(x[i], 0) → x``"""
    return of_either_kind(
        lambda _, change: [changeo(changed, change, False, same, y), all_zeroo(y)]
    )


@relation("inc-after-set", depth=2)
def inc_after_seto(changed: Any, once: Any) -> Any:
    """``inc_subtensor(set_subtensor(x[i], y)[i], z) → set_subtensor(x[i], y + z)``"""
    return lall(
        changeo(changed, IncSubtensor, False, inner, z),
        changeo(inner, IncSubtensor, True, x, y),
        same_dtypeo(x, y, z),
        changeo(once, IncSubtensor, True, x, y + z),
    )


CHANGES = (set_own_parto, set_after_changeo, inc_twiceo, inc_by_zeroo, inc_after_seto)

everything = whereo(takes_everything, i, x)

EVERYTHING = (
    any_dtype_law("set-everything", IncSubtensor(i, False, True)(x, y), y, everything),
    any_dtype_law("inc-everything", IncSubtensor(i, False, False)(x, y), x + y, everything),
)


@relation("inc-of-zeros", sound="rounding", depth=2)  # 0 + -0 is 0
def inc_of_zeroso(changed: Any, once: Any) -> Any:
    """``inc_subtensor(zeros[i], y) → set_subtensor(zeros[i], y)``"""
    return lall(
        changeo(changed, IncSubtensor, False, x, y),
        all_zeroo(x),
        changeo(once, IncSubtensor, True, x, y),
    )


ZEROS = (inc_of_zeroso,)


# -- sums of increments ----------------------------------------------------------------------------

e = lvars("e")
inc, put = IncSubtensor(e, False, False), IncSubtensor(e, False, True)

# increments may be made in any order, so those of the same elements are one
TOGETHER = (
    rounding(
        "inc-past",
        inc(x, b),
        y,  # inc(inc(inc(x, c, i), d, j), b, i) → inc(inc(x, c + b, i), d, j)
        *foundo(y, kit.increments_together, e, x, b),
        complex=True,
        tries=[inc(IncSubtensor(j, False, False)(inc(x, y), z), b)],
    ),
)

SERIALIZE = (
    rounding(
        "inc-serialize",
        add(several(xs)),
        y,  # inc(x, b, i) + z → inc(x + z, b, i)
        *foundo(y, kit.sum_incremented_last, xs),
        tags=("inc_subtensor_serialize",),
        complex=True,
        tries=[
            inc(x, b) + z,
            inc(x, b, i) + z,
            put(second(y, 0), b) + z,
            AdvancedIncSubtensor(BY_ARRAY, False, False)(x, b, i) + z,
        ],
    ),
)
