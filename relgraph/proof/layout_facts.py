"""What conditions of laws about layout say of shapes and positions, by the functions of the book.

A condition that is not listed is left out if it is a guard, since what holds without it holds with
it. What is computed has to be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from operator import add, getitem
from typing import Any

import numpy as np

from relations.kit import guards, index_arithmetic, matrices, matrix_facts
from relations.kit import layout as kit
from relations.kit import parts as parts_kit
from relgraph.graph.basic import Constant
from relgraph.proof.elements import Term, z3
from relgraph.proof.places import Places, any_int, number
from relgraph.proof.statements import AnyOp
from relgraph.tensor import TensorType, constant, second
from relgraph.tensor.assembly import Alloc, ARange, Join, Split
from relgraph.tensor.basic import merged_lengths
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.shapes import Shape_i, shape_i
from relgraph.tensor.subtensor import WHOLE, Placeholder, Slice, Subtensor

MOST_AXES = 4
"""Laws are proved for tensors of up to so many axes."""

MOST_ARGUMENTS = 3
"""Of an op with any number of arguments, and of joins in a join, so many are tried."""

Fact = Callable[[Places], Term]
"""What is assumed of tensors."""

EXECUTED: frozenset[Callable[..., Any]] = frozenset(
    {
        add,
        guards.covers_shape,
        guards.broadcast_alike,
        guards.counts_any_length,
        kit.undoes_order,
        kit.stretches_to,
        kit.with_first_axes,
        kit.keeps_memory_order,
        kit.is_identity_order,
        kit.composed_order,
        kit.each_dimshuffled,
        kit.unfilled,
        kit.common_dimshuffle,
        kit.before_each,
        kit.nonempty_pieces,
        kit.axis_at,
        kit.element_at,
        kit.elements_at,
        kit.is_everything,
        merged_lengths,
        parts_kit.diagonals_of,
        parts_kit.is_one_slice,
        parts_kit.operand_parts,
        parts_kit.operand_part,
        parts_kit.begins_with_integer,
        parts_kit.index_by_position,
        index_arithmetic.BasicIndex,
        index_arithmetic.rank_of,
        index_arithmetic.taken_at,
        index_arithmetic.index_before_dimshuffle,
        index_arithmetic.order_after_index,
    }
)
"""Functions that ask nothing but ranks, which lengths are known to be 1 (or 0), axes, and what
kinds of entries an index has: all that there is to ask is tried."""


def _has_lengths(x: Any, lengths: Sequence[Any]) -> Fact:
    # a length that the type knows to be 1 is given as a number
    pairs = zip(lengths, x.type.broadcastable, strict=False)
    known = [not small or isinstance(n, Constant) for n, small in pairs]

    def fact(of: Places) -> Term:
        if x.type.ndim != len(lengths) or not all(known):
            return z3.BoolVal(False)
        return z3.And([of.value(n) == m for n, m in zip(lengths, of.of(x).shape, strict=True)])

    return fact


def _are_lengths_of(sizes: Any, axis: int, pieces: Sequence[Any]) -> Fact:
    def fact(of: Places) -> Term:
        given = of.of(sizes)
        own = [given.at([z3.IntVal(i)]) == of.of(v).shape[axis] for i, v in enumerate(pieces)]
        return z3.And(given.shape[0] == len(pieces), *own)

    return fact


def _is_shape_of(vector: Any, x: Any) -> Fact:
    def fact(of: Places) -> Term:
        given, shape = of.of(vector), of.of(x).shape
        entries = [given.at([z3.IntVal(i)]) for i in range(len(shape))]
        free = z3.Sum([z3.If(n == -1, 1, 0) for n in entries])
        filled = z3.And([n > 0 for n in shape]) if len(shape) > 1 else z3.BoolVal(True)
        return z3.And(
            given.shape[0] == len(shape),
            free <= 1,
            z3.Or(free == 0, filled),
            *[z3.Or(n == m, n == -1) for n, m in zip(entries, shape, strict=True)],
        )

    return fact


def _is_true(c: Any) -> Fact:
    return lambda of: of.value(c)


def _has_length_one(x: Any, axis: int) -> Fact:
    return lambda of: of.of(x).shape[axis] == 1


def _are_adjacent(axis: int, a: Sequence[Any], b: Sequence[Any]) -> Fact:
    """Return that the ends of two slices, unless they take all of an axis, rise from 0 on."""
    low, high = a[axis], b[axis]
    if low.start is None and high.stop is None:
        return lambda of: z3.BoolVal(True)
    ends = [number(n) for n in (low.start, low.stop, high.stop) if n is not None]
    rising = [n <= m for n, m in pairwise([z3.IntVal(0), *ends])]
    return lambda of: z3.And(rising)


def _is_as_long_as_diagonal(i: Any, x: Any) -> Fact:
    def fact(of: Places) -> Term:
        if x.type.ndim != 2:
            return z3.BoolVal(False)
        (length,), (rows, columns) = of.of(i).shape, of.of(x).shape
        return z3.If(rows < columns, length == rows, length == columns)

    return fact


FACTS: dict[Callable[..., Any], Callable[..., Fact]] = {
    kit.adjacent_slices_as_one: _are_adjacent,
    kit.are_lengths_of: _are_lengths_of,
    kit.has_lengths: _has_lengths,
    kit.is_shape_of: _is_shape_of,
    matrices.is_as_long_as_diagonal: _is_as_long_as_diagonal,
    guards.is_true_everywhere: _is_true,
    guards.has_length_one: _has_length_one,
}
"""What holds of tensors and parameters where a guard holds, or something is computed."""


def _without_first_axes(x: Any) -> Any:
    order = list(range(x.type.ndim))
    while order and x.type.broadcastable[order[0]]:
        order.pop(0)
    return None if len(order) == x.type.ndim else DimShuffle(x.type.ndim, order)(x)


def _shape_source(a: Any) -> Any:
    # it has the shape of `a`, and elements of which nothing is known
    return Elemwise(AnyOp(1, "any source"))(a)


def _alloc_like(x: Any, a: Any) -> Any:
    lengths = [shape_i(a, axis) for axis in range(a.type.ndim)]
    return Alloc()(x, *lengths) if kit.broadcasts_to(x, lengths) else None


def _lengths_of_part(index: index_arithmetic.BasicIndex, lengths: Sequence[Any]) -> Any:
    found = parts_kit.lengths_of_part(index, lengths)
    part = Subtensor(index.entries)(Alloc()(0, *lengths), *index.inputs)
    own = [Shape_i(axis)(part) for axis in range(part.type.ndim)]
    return [n if n.owner is None else m for n, m in zip(found, own, strict=True)]


def _item(items: Sequence[Any], i: int) -> Any:
    # of a split into more parts than there are pieces, the sizes are not those of the pieces
    return items[i] if i < len(items) else None


STATED: dict[Callable[..., Any], Callable[..., Any]] = {
    kit.without_first_axes: _without_first_axes,
    kit.shape_source: _shape_source,
    getitem: _item,
    kit.alloc_like: _alloc_like,
    parts_kit.lengths_of_part: _lengths_of_part,
}
"""What functions compute of graphs; None if they compute nothing."""

# -- how variables are made ------------------------------------------------------------------------

Values = Iterator[tuple[Any, ...]]


def _tensor(name: str, shape: Sequence[int | None]) -> Any:
    return TensorType("float64", shape)(name)


def _plain(name: str, ndim: int) -> Any:
    return _tensor(name, (None,) * ndim)


def _tensor_of_lengths(axes: int) -> Values:
    x = _plain("x", axes)
    yield tuple(Shape_i(axis)(x) for axis in range(axes)), x


def _takes_everything(axes: int) -> Values:
    for ndim in range(axes + 1):
        for shape in product((None, 1), repeat=axes):
            yield (WHOLE,) * ndim, _tensor("x", shape)


def _is_known_shape_of(axes: int) -> Values:
    some = [any_int() for _ in range(axes)]
    for known in product(*[(None, 1, n) for n in some]):
        for wanted in product(*[{None, n} for n in known]):
            yield wanted, _tensor("x", known)


def _one_element(axes: int) -> Values:
    for ndim, n in product(range(axes + 1), repeat=2):
        x = _tensor("x", (1,) * ndim)
        for entries in product((1, -1), repeat=n):
            vector = constant(np.array(entries, dtype="int64"))
            yield x, vector, DimShuffle(ndim, ("x",) * n)(x)


def _from_zero(axes: int) -> Values:
    yield (ARange("int64")(0, TensorType("int64", ())("n"), 1),)


def _split_into(axes: int) -> Values:
    for axis, count in product(range(axes), (1, 2, 3)):
        x, sizes = _plain("x", axes), TensorType("int64", (None,))("sizes")
        yield axis, tuple(Split(count, axis).make_node(x, sizes).outputs), x


def _adjacent(axes: int) -> Values:
    part, some = Placeholder.INTEGER, [any_int() for _ in range(3)]
    for axis in range(axes):
        before = (WHOLE,) * axis
        yield axis, (*before, Slice(None, part)), (*before, Slice(part)), ()
        for start, stop in product((None, some[0]), (None, some[2])):
            both = () if start is None and stop is None else (*before, Slice(start, stop))
            yield axis, (*before, Slice(start, some[1])), (*before, Slice(some[1], stop)), both


def _pieces_of_joins(axes: int) -> Values:
    for axis in range(axes):
        for counts in product((0, 1, 2), repeat=2):
            pieces, every = [], []
            for k, count in enumerate(counts):
                inner = [_plain(f"x{k}{i}", axes) for i in range(count or 1)]
                pieces.append(Join(axis)(*inner) if count else inner[0])
                every += inner
            if any(counts):
                yield axis, tuple(pieces), every


def _pieces(axes: int) -> Values:
    for axis in range(axes):
        for count in (2, 3):
            for lengths in product((None, 0), repeat=count):
                shapes = [[n if i == axis else None for i in range(axes)] for n in lengths]
                pieces = tuple(_tensor(f"x{k}", shape) for k, shape in enumerate(shapes))
                if (left := kit.nonempty_pieces(axis, pieces)) is not None:
                    yield axis, pieces, left


Make = Callable[[int, int], Iterator[Any]]
"""Yields operands of some rank, of which the number is given."""


def _flagged(name: str, ndim: int) -> Iterator[Any]:
    yield from (_tensor(name, shape) for shape in product((None, 1), repeat=ndim))


def _operands(make: Make) -> Callable[[int], Values]:
    """Return the function that yields one or two operands of an elementwise op: each an input, or
    made."""

    def every(axes: int) -> Values:
        for count in (1, 2):
            plain = [list(_flagged(f"y{k}", axes)) for k in range(count)]
            for each in product(*[[*own, *make(axes, k)] for k, own in enumerate(plain)]):
                if any(v.owner is not None for v in each):
                    yield (each,)

    return every


def _fills(axes: int, number: int) -> Iterator[Any]:
    templates = [*_flagged(f"a{number}", axes), *_flagged("a", axes)]
    yield from (second(a, x) for a, x in product(templates, _flagged(f"x{number}", axes)))


_LENGTHS = [TensorType("int64", ())(f"n{axis}") for axis in range(MOST_AXES)]


def _allocations(axes: int, number: int) -> Iterator[Any]:
    own = [TensorType("int64", ())(f"n{number}{axis}") for axis in range(axes)]
    one = constant(1, dtype="int64")
    values = [x for ndim in range(axes + 1) for x in _flagged(f"x{number}", ndim)]
    for x, lengths in product(values, product(*zip(own, _LENGTHS, [one] * axes, strict=False))):
        made = Alloc()(x, *lengths)
        if made.owner.inputs[0] is x:
            yield made


def _fills_and_allocations(axes: int, number: int) -> Iterator[Any]:
    yield from _fills(axes, number)
    yield from _allocations(axes, number)


def _copies(axes: int, number: int) -> Iterator[Any]:
    yield from _fills_and_allocations(axes, number)
    for op in _shuffles(axes):
        for filled in _fills(op.input_ndim, number):
            if all(filled.type.broadcastable[axis] for axis in op.drop):
                yield op(filled)


def _reversed(axes: int, number: int) -> Iterator[Any]:
    if axes:
        yield from (Subtensor(parts_kit.REVERSED)(x) for x in _flagged(f"x{number}", axes))


def _shuffled(axes: int) -> Values:
    for op in _shuffles(axes):
        for axis, count in product(range(len(op.new_order)), (1, 2, 3)):
            if op.new_order[axis] != "x":
                shape = [1 if a in op.drop else None for a in range(op.input_ndim)]
                inner = [_tensor(f"x{k}", shape) for k in range(count)]
                yield axis, tuple(map(op, inner)), op


def _shuffles(axes: int) -> Iterator[Any]:
    for ndim in range(axes + 1):
        for order in product((*range(ndim), "x"), repeat=axes):
            if all(order.count(a) < 2 for a in range(ndim)):
                yield DimShuffle(ndim, order)


SOURCES: dict[Callable[..., Any], Callable[[int], Values]] = {
    kit.tensor_of_lengths: _tensor_of_lengths,
    index_arithmetic.takes_everything: _takes_everything,
    kit.is_known_shape_of: _is_known_shape_of,
    kit.one_element_reshaped: _one_element,
    matrix_facts.counts_from_zero: _from_zero,
    kit.widest_template: _operands(_fills_and_allocations),
    kit.without_copies: _operands(_copies),
    parts_kit.not_reversed: _operands(_reversed),
    kit.split_into: _split_into,
    kit.adjacent_slices_as_one: _adjacent,
    kit.pieces_of_joins: _pieces_of_joins,
    kit.nonempty_pieces: _pieces,
    kit.common_dimshuffle: _shuffled,
}
"""For functions that look at how variables are made: all that they can have been given, of so many
axes, and what they compute."""
