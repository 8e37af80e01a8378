"""Parts of tensors: an index moves toward the leaves, so that what is not asked for isn't computed.

Where an index is out of bounds of something that a law leaves out (an allocation, a row of a table
that another index skips), its error is left out too.
"""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph.graph.kanren import argumentso, computo, one_cliento, whereo
from relgraph.tensor import CAReduce, DimShuffle, Elemwise
from relgraph.tensor.assembly.creation import Alloc, ARange
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder, Slice
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.lawkit.arithmetic.axis_orders import rank_of
from relgraph.tensor.lawkit.arithmetic.basic_indices import (
    index_before_dimshuffle,
    order_after_index,
    taken_at,
    takes_everything,
)
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import integero, ranko, realo
from relgraph.tensor.lawkit.parts.indexing import (
    are_disjoint_in,
    begins_with_integer,
    entries_of,
    equivalent_slice,
    first_entry,
    goes_forward,
    index_before_reduction,
    index_into_piece,
    index_of_indexed,
    inputs_of,
    inputs_with_first,
    is_one_slice,
    is_repeated,
    is_within_bounds,
    left_operand_part,
    lengths_of_part,
    operand_part,
    operand_parts,
    operand_parts_broadcast,
    piece_indexed,
    reduced_axes_after,
    right_operand_part,
    with_variable_first,
)
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, lvars, relation
from relgraph.tensor.math import _dot
from relgraph.tensor.shapes.shape import Shape_i

a, at, b, i, j, m, n, o, q, s, x, y, z = lvars("a at b i j m n o q s x y z")
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
        computo(index, entries_of, at),
        computo(inputs, inputs_of, at),
        argumentso(part, Subtensor(index), cons(whole, inputs)),
    )


@relation("subtensor-of-subtensor", depth=2)
def subtensor_of_subtensoro(part: Any, direct: Any) -> Any:
    """``x[2:][3] → x[5]``, ``x[::-1][::-1] → x[:]``, ``x[i][j] → x[i, j]``"""
    inner_indices = lvars("inner_indices")
    return lall(
        parto(part, inner),
        argumentso(inner, Subtensor(j), cons(x, inner_indices)),
        computo(at, index_of_indexed, x, i, indices, j, inner_indices),
        whereo(is_found, at),
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
        whereo(operand_parts_broadcast, i, operands, inner),
        computo(parts, operand_parts, i, indices, operands, inner),
        argumentso(lifted, Elemwise(s), parts),
    )


@relation("subtensor-of-dimshuffle", tags=("inward",), depth=3)
def subtensor_of_dimshuffleo(part: Any, shuffled: Any) -> Any:
    """``x.T[i] → x[:, i]``"""
    return lall(
        parto(part, inner),
        eq(inner, DimShuffle(n, o)(x)),
        computo(at, index_before_dimshuffle, o, i, indices, n),
        whereo(is_found, at),
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
        computo(rows, left_operand_part, i, indices, x, inner),
        computo(columns, right_operand_part, i, indices, y, inner),
        eq(product, _dot(rows, columns)),
    )


@relation("subtensor-of-reduce", tags=("inward",), sound="rounding", depth=2)
def subtensor_of_reduceo(part: Any, reduced: Any) -> Any:
    """``sum(x, axis=1)[i] → sum(x[i], axis=0)``, where nothing else reads the sums"""
    return lall(
        parto(part, inner),
        eq(inner, CAReduce(s, a)(x)),
        one_cliento(inner),
        computo(at, index_before_reduction, i, indices, a, x),
        computo(y, taken_at, x, at),
        computo(b, reduced_axes_after, at, a, x),
        eq(reduced, CAReduce(s, b)(y)),
    )


f = Elemwise(s, ())
"""Any elementwise op."""
turned = Subtensor((Slice(None, None, -1),))
"""``x[::-1]``. NumPy's loops over an axis that is reversed are slow."""
repeated = whereo(is_repeated, y)
"""That `y` is the same along the axis."""

REVERSED = (
    any_dtype_law("op-of-reversed", f(turned(x)), turned(f(x))),
    any_dtype_law("op-of-two-reversed", f(turned(x), turned(y)), turned(f(x, y))),
    any_dtype_law("op-of-reversed-left", f(turned(x), y), turned(f(x, y)), repeated),
    any_dtype_law("op-of-reversed-right", f(y, turned(x)), turned(f(y, x)), repeated),
)

LIFTS = (
    subtensor_of_elemwiseo,
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
        whereo(is_within_bounds, i, lengths),
        computo(y, operand_part, i, indices, x, lengths),
        computo(left, lengths_of_part, i, indices, lengths),
        argumentso(smaller, Alloc(), cons(y, left)),
    )


@relation("subtensor-of-join", depth=3)
def subtensor_of_joino(part: Any, direct: Any) -> Any:
    """``join(0, x, y)[2] → x[2]``, if `x` is known to have more than two rows"""
    return lall(
        parto(part, inner),
        argumentso(inner, Join(a), parts),
        computo(x, piece_indexed, i, a, parts),
        whereo(is_found, x),
        computo(j, index_into_piece, i, a, parts),
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
        whereo(are_disjoint_in, x, i, j),
        parto(direct, x),
    )


MADE = (
    subtensor_of_alloco,
    subtensor_of_joino,
    subtensor_of_set_subtensoro,
    subtensor_of_inc_subtensoro,
    subtensor_of_changeo,
)

taken = AdvancedSubtensor((Placeholder.ARRAY,))
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
        whereo(begins_with_integer, i),
        computo(at, first_entry, i, indices, inner),
        computo(position, taken_at, positions, at),
        computo(index, with_variable_first, i),
        computo(inputs, inputs_with_first, i, indices, inner, position),
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
        whereo(is_one_slice, i),
        parto(fewer, positions),
        eq(rows, taken(x, fewer)),
    )


TAKEN = (
    any_dtype_law("take-all", taken(x, ARange(o)(0, Shape_i(0)(x), 1)), x),  # x[arange(len(x))]
    any_dtype_law(
        "take-run",
        taken(x, positions),
        Subtensor(j)(x),  # x[[1, 3, 5]] → x[1:6:2]
        computo(j, equivalent_slice, positions, x),
        whereo(is_found, j),
    ),
    row_of_takeno,
    slice_of_takeno,
)
