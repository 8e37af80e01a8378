"""Parts of tensors: an index goes toward the leaves, so that what is not asked for isn't computed.

Where an index is out of bounds of something that a law leaves out (an allocation, a row of a table
that another index skips), the error of that goes with it.
"""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph.graph.kanren import computo, one_cliento, whereo
from relgraph.graph.kanren.search.variadic import argumentso
from relgraph.tensor import CAReduce, DimShuffle, Elemwise
from relgraph.tensor.assembly.allocation import Alloc, ARange
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.lawkit.guards.types import integero, ranko
from relgraph.tensor.lawkit.layout.axis_orders import rank_of
from relgraph.tensor.lawkit.layout.part_indices import (
    are_apart_in,
    axes_in_part,
    composed_part,
    index_by_row,
    index_in_join,
    index_of,
    inputs_by_row,
    inputs_of,
    is_known,
    is_one_slice,
    is_within,
    left_share,
    lengths_of_part,
    names_row,
    part_before_axes,
    part_before_order,
    part_in_join,
    part_taken,
    right_share,
    row_part,
    run_of,
    share,
    shares,
    takes_everything,
    takes_shares,
)
from relgraph.tensor.lawkit.layout.slice_arithmetic import order_of_part
from relgraph.tensor.lawkit.matrix_products import is_real_tensor
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars, relation
from relgraph.tensor.math import _dot
from relgraph.tensor.shapes.shape import Shape_i

a, b, c, i, j, k, m, n, o, q, s, x, y, z = lvars("a b c i j k m n o q s x y z")
indices, inner, lengths, operands, parts = lvars("indices inner lengths operands parts")
"""The variables in an index, what is indexed, and what that is made of."""


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, mixed=True, complex=True)


def parto(part: Any, whole: Any) -> Any:
    """Construct the goal that `part` is the part of `whole` at `i` (with `indices`)."""
    return argumentso(part, Subtensor(i), cons(whole, indices))


def part_ato(part: Any, whole: Any, at: Any) -> Any:
    """Construct the goal that `part` is the part of `whole` that the `Part` called `at` says."""
    index, inputs = lvars("index inputs")
    return lall(
        computo(index, index_of, at),
        computo(inputs, inputs_of, at),
        argumentso(part, Subtensor(index), cons(whole, inputs)),
    )


@relation("subtensor-of-subtensor", depth=2)
def subtensor_of_subtensoro(part: Any, direct: Any) -> Any:
    """``x[2:][3] → x[5]``, ``x[::-1][::-1] → x[:]``, ``x[i][j] → x[i, j]``"""
    inner_indices = lvars("inner_indices")[0]
    return lall(
        parto(part, inner),
        argumentso(inner, Subtensor(j), cons(x, inner_indices)),
        computo(c, composed_part, x, i, indices, j, inner_indices),
        whereo(is_known, c),
        part_ato(direct, x, c),
    )


COMPOSED = (
    subtensor_of_subtensoro,
    of_any("subtensor-unneeded", Subtensor(i)(x), x, whereo(takes_everything, i, x)),
)


@relation("subtensor-of-elemwise", tags=("inward",), depth=2)
def subtensor_of_elemwiseo(part: Any, lifted: Any) -> Any:
    """``(x + y)[i] → x[i] + y[i]``, where nothing else reads ``x + y``; what broadcasts stays."""
    return lall(
        parto(part, inner),
        argumentso(inner, Elemwise(s), operands),
        one_cliento(inner),
        whereo(takes_shares, i, operands, inner),
        computo(parts, shares, i, indices, operands, inner),
        argumentso(lifted, Elemwise(s), parts),
    )


@relation("subtensor-of-dimshuffle", tags=("inward",), depth=3)
def subtensor_of_dimshuffleo(part: Any, shuffled: Any) -> Any:
    """``x.T[i] → x[:, i]``"""
    return lall(
        parto(part, inner),
        eq(inner, DimShuffle(n, o)(x)),
        computo(c, part_before_order, o, i, indices, x),
        whereo(is_known, c),
        computo(y, part_taken, x, c),
        computo(m, rank_of, y),
        computo(q, order_of_part, o, i, n),
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
        whereo(is_real_tensor, x),
        whereo(is_real_tensor, y),
        computo(rows, left_share, i, indices, x, inner),
        computo(columns, right_share, i, indices, y, inner),
        eq(product, _dot(rows, columns)),
    )


@relation("subtensor-of-reduce", tags=("inward",), sound="rounding", depth=2)
def subtensor_of_reduceo(part: Any, reduced: Any) -> Any:
    """``sum(x, axis=1)[i] → sum(x[i], axis=0)``, where nothing else reads the sums"""
    return lall(
        parto(part, inner),
        eq(inner, CAReduce(s, a)(x)),
        one_cliento(inner),
        computo(c, part_before_axes, i, indices, a, x),
        computo(y, part_taken, x, c),
        computo(b, axes_in_part, c, a, x),
        eq(reduced, CAReduce(s, b)(y)),
    )


LIFTS = (
    subtensor_of_elemwiseo,
    subtensor_of_dimshuffleo,
    subtensor_of_doto,
    subtensor_of_reduceo,
)


@relation("subtensor-of-alloc", depth=2)
def subtensor_of_alloco(part: Any, smaller: Any) -> Any:
    """``alloc(x, m, n)[2:5, 0] → alloc(x, 3)``, of what is known to be within bounds"""
    left = lvars("left")[0]
    return lall(
        parto(part, inner),
        argumentso(inner, Alloc(), cons(x, lengths)),
        whereo(is_within, i, lengths),
        computo(y, share, i, indices, x, lengths),
        computo(left, lengths_of_part, i, indices, lengths),
        argumentso(smaller, Alloc(), cons(y, left)),
    )


@relation("subtensor-of-join", depth=3)
def subtensor_of_joino(part: Any, direct: Any) -> Any:
    """``join(0, x, y)[2] → x[2]``, if `x` is known to have as many rows"""
    return lall(
        parto(part, inner),
        argumentso(inner, Join(a), parts),
        computo(x, part_in_join, i, a, parts),
        whereo(is_known, x),
        computo(j, index_in_join, i, a, parts),
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
    others = lvars("others")[0]
    return lall(
        parto(part, inner),
        argumentso(inner, IncSubtensor(j, False, b), cons(x, cons(y, others))),
        whereo(are_apart_in, x, i, j),
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
"""The rows of a tensor at the positions in a vector."""


@relation("row-of-taken", depth=3)
def row_of_takeno(part: Any, row: Any) -> Any:
    """``x[positions][i] → x[positions[i]]``"""
    index, inputs, position = lvars("index inputs position")
    return lall(
        parto(part, inner),
        eq(inner, taken(x, k)),
        integero(k),
        ranko(k, 1),
        whereo(names_row, i),
        computo(c, row_part, i, indices, inner),
        computo(position, part_taken, k, c),
        computo(index, index_by_row, i),
        computo(inputs, inputs_by_row, i, indices, inner, position),
        argumentso(row, Subtensor(index), cons(x, inputs)),
    )


@relation("slice-of-taken", depth=2)
def slice_of_takeno(part: Any, rows: Any) -> Any:
    """``x[positions][2:] → x[positions[2:]]``"""
    fewer = lvars("fewer")[0]
    return lall(
        parto(part, inner),
        eq(inner, taken(x, k)),
        integero(k),
        ranko(k, 1),
        whereo(is_one_slice, i),
        parto(fewer, k),
        eq(rows, taken(x, fewer)),
    )


TAKEN = (
    of_any("take-all", taken(x, ARange(o)(0, Shape_i(0)(x), 1)), x),
    of_any("take-run", taken(x, k), Subtensor(j)(x), computo(j, run_of, k, x), whereo(is_known, j)),
    row_of_takeno,
    slice_of_takeno,
)
