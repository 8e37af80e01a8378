"""What laws compute with numbers, constants, axes, shapes and indices."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit import numbers
from relations.kit.constant_arithmetic import folded, known
from relations.kit.guards import constant_number, constanto
from relations.kit.index_arithmetic import (
    BasicIndex,
    are_disjoint,
    axes_after_index,
    composed_entry,
    composed_index,
    index_around_axes,
    index_before_dimshuffle,
    index_into_operand,
    located_in_join,
    order_after_index,
    order_left,
    slice_of_range,
    takes_whole_axis,
)
from relations.kit.layout import composed_order, length_from_inputs, shape_from_inputs
from relations.kit.reductions import axes_before_dimshuffle, merged_axes
from relations.kit.vocabulary import law, lvars
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import NoSuchDirection, computed, computo
from relgraph.graph.notation import algebra, number_of
from relgraph.tensor.subtensor import WHOLE, Slice, concrete_index

X = np.arange(24.0).reshape(2, 3, 4)


def shuffled(matrix, order):
    dropped = tuple(i for i in range(matrix.ndim) if i not in order)
    kept = [a for a in order if a != "x"]
    ranks = {a: i for i, a in enumerate(sorted(kept))}
    matrix = matrix.squeeze(dropped).transpose([ranks[a] for a in kept])
    return matrix[tuple(None if a == "x" else slice(None) for a in order)]


orders = st.permutations([0, 1, 2, "x"])


# Orders of dimshuffles that are simplified, compared with NumPy.


@given(orders, st.permutations([0, 1, 2, 3, "x"]))
def test_two_orders_are_one(inner, outer):
    both = composed_order(outer, inner)
    assert np.array_equal(shuffled(X, both), shuffled(shuffled(X, inner), outer))


@given(orders, st.data())
def test_a_new_axis_can_be_dropped_again(inner, data):
    left = [i for i, a in enumerate(inner) if a != "x"]
    outer = data.draw(st.permutations(left))
    assert np.array_equal(
        shuffled(X, composed_order(outer, inner)), shuffled(shuffled(X, inner), outer)
    )


matrix, v, n = at.dmatrix("x"), at.dvector("v"), at.lscalar("n")
row = at.row("row")
fixed = at.TensorType("float64", (2, 3))("known")


# Lengths and shapes that follow from nodes.


def test_lengths_that_follow() -> None:
    assert length_from_inputs(None, matrix, 0) is None and shape_from_inputs(None, matrix) is None
    assert length_from_inputs(None, row, 0).data == 1  # type: ignore[union-attr]
    y, product, part = at.exp(matrix), at.dot(matrix, fixed), v[1:]
    read = FunctionGraph(outputs=[2 * y, 2 * part, 2 * product], clone=False)
    shared = FunctionGraph(outputs=[2 * y, y, 2 * part, part, 2 * product, product], clone=False)
    for graph in (None, read, shared):
        assert str(length_from_inputs(graph, y, 1).owner.op) == "shape_i{1}"  # type: ignore[union-attr]
        assert shape_from_inputs(graph, y).owner.inputs == [matrix]  # type: ignore[union-attr]
        assert (length_from_inputs(graph, part, 0) is None) is (graph is shared)
        assert (shape_from_inputs(graph, product) is None) is (graph is shared)
        assert shape_from_inputs(graph, fixed) is not None
    assert length_from_inputs(None, at.alloc(1.0, n, 2), 0) is n


# What laws compute with numbers, constants and axes.


x, y = at.dvectors("x", "y")


def test_constants_are_folded_in_the_precision_of_their_dtype():
    made = folded(at.add, at.constant(np.float32(0.1)), at.constant(np.float32(0.2)))
    assert made.data == np.float32(0.1) + np.float32(0.2)
    assert made.type.dtype == "float32"
    wrapped = folded(at.add, at.constant(np.uint8(200)), at.constant(np.uint8(100)))
    assert wrapped.data == 44


def test_what_is_no_constant_is_not_folded():
    with pytest.raises(TypeError, match="x is not a constant"):
        folded(at.add, x, x)


def test_a_law_with_a_guard_and_a_computed_constant():
    a, b, z, c = lvars("a b z c")
    together = law(
        "add-constants",
        (z + a) + b,
        z + c,
        constanto(a),
        constanto(b),
        computo(c, partial(folded, at.add), a, b),
        sound="rounding",
    )
    var = (x + 2.0) + 3.0
    (new,) = together.forward.transform(None, var.owner)
    assert any(constant_number(v) == 5.0 for v in new.owner.inputs)
    assert together.forward.transform(None, ((x + x) + 3.0).owner) is False


def test_a_law_says_what_becomes_of_its_constants():
    z, c = lvars("z c")
    third = law("third", z / c, known(1 / c) * z, constanto(c), sound="rounding")
    assert str(third) == "z / c → (1 / c) * z  where is_constant(c)"
    (new,) = third.forward.transform(None, (at.fvector("z") / np.float32(3)).owner)
    made = next(v for v in new.owner.inputs if constant_number(v) is not None)
    assert constant_number(made) == np.float32(1) / np.float32(3)
    assert made.type.dtype == "float32"
    assert third.forward.transform(None, (x / y).owner) is False
    with pytest.raises(NoSuchDirection):
        third.backward  # noqa: B018
    doubled = law("doubled", z + c, known(2 * c) + z, constanto(c), sound="domain")
    (new,) = doubled.forward.transform(None, (at.bvector("z") + np.int8(3)).owner)
    assert {v.type.dtype for v in new.owner.inputs} == {"int8"}


def test_a_computed_value_stands_where_it_is_used():
    z, c = lvars("z c")

    def half_of(number):
        half = number_of(number) / 2
        return const(half) if 2 * half == number_of(number) else None

    halved = law("halved", z**c, z ** computed(half_of, c), constanto(c), sound="domain")
    assert str(halved) == "z ** c → z ** half_of(c)  where is_constant(c)"
    (new,) = halved.forward.transform(None, (x**3.0).owner)
    assert algebra(new) == "x ** 1.5"
    # where there is no value, it does not match
    assert halved.forward.transform(None, (x ** (2.0**-1074)).owner) is False


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


# What is known of the numbers in constants.


def test_order():
    assert numbers.is_at_most(const(1.0), const(2.0))
    assert numbers.is_at_most(const(0.0), 0)
    assert not numbers.is_at_most(const(2.0), const(1.0))
    # complex numbers have no order
    assert not numbers.is_at_most(at.constant(1j), at.constant(2j))
    assert not numbers.is_at_most(at.constant(1j), 2.0)
    assert not numbers.is_at_most(const(np.nan), const(1.0))
    assert not numbers.is_at_most(x, const(1.0))


# Axes of reductions, compared with NumPy.

axes = st.one_of(st.none(), st.sets(st.integers(0, 2)).map(lambda a: tuple(sorted(a))))


@given(axes, st.data())
def test_two_reductions_are_one(inner, data):
    once = X.sum(axis=inner)
    outer = data.draw(st.sets(st.integers(0, once.ndim - 1)) if once.ndim else st.just(set()))
    outer = tuple(sorted(outer)) if len(outer) < once.ndim else None
    merged = merged_axes(outer, inner)
    assert np.array_equal(X.sum(axis=merged), once.sum(axis=outer))


@given(orders, st.sets(st.integers(0, 3)).map(lambda a: tuple(sorted(a))))
def test_reducing_before_shuffling(order, reduced):
    axes = None if len(reduced) == 4 else reduced
    before = axes_before_dimshuffle(order, axes)
    after = order_left(order, axes, 3)
    expected = shuffled(X, order).sum(axis=reduced)
    assert np.array_equal(shuffled(np.asarray(X.sum(axis=before)), after), expected)


# What laws compute with slices and other basic indices.


ENDS = (None, -4, -2, -1, 0, 1, 3, 5)
STEPS = (None, -2, -1, 1, 2)
SLICES = [Slice(a, b, c) for a, b, c in itertools.product(ENDS, ENDS, STEPS)]


def tensor(*shape):
    """Return a tensor of a shape."""
    return at.TensorType("float64", shape)("x")


slices = st.sampled_from(SLICES)
entries = st.one_of(slices, st.integers(-4, 4))
indices = st.lists(entries, max_size=3).map(tuple)


def take(x, *entries):
    return x[concrete_index(entries, ())]


def taken(x, *entries):
    """Return the part, or None where there is none."""
    try:
        return take(x, *entries)
    except IndexError:
        return None


# Indices that are simplified, compared with NumPy.


@given(indices, indices, st.booleans())
def test_two_indices_are_one(inner, outer, known):
    x = np.arange(60).reshape(3, 4, 5)
    once = taken(x, *inner)
    if once is None or len(outer) > once.ndim:
        return
    both = composed_index(
        tensor(*x.shape if known else (None,) * 3), BasicIndex(outer), BasicIndex(inner)
    )
    expected = taken(once, *outer)
    if both is None:
        assert expected is None or not known
    elif expected is None:
        assert taken(x, *both.entries) is None
    else:
        assert np.array_equal(take(x, *both.entries), expected)


@given(indices)
def test_the_part_of_an_operand_that_broadcasts(index):
    x, row = np.arange(60).reshape(3, 4, 5), np.arange(5)
    column = np.arange(4).reshape(1, 4, 1)
    if taken(x, *index) is None:
        return
    for y in (row, column):
        part_of_y = index_into_operand(BasicIndex(index), y.shape, x.shape)
        part = taken(np.broadcast_to(y, x.shape), *index)
        assert np.array_equal(np.broadcast_to(take(y, *part_of_y.entries), part.shape), part)


@given(indices, st.permutations([0, 1, 2, "x"]))
def test_a_part_of_a_dimshuffle(index, order):
    x = np.arange(60).reshape(3, 4, 5)
    key = tuple(None if a == "x" else slice(None) for a in order)
    shuffled = x.transpose([a for a in order if a != "x"])[key]
    expected = taken(shuffled, *index)
    before = index_before_dimshuffle(order, BasicIndex(index), 3)
    if expected is None or before is None:
        return
    after = order_after_index(order, index, 3)
    part = take(x, *before.entries)
    key = tuple(None if a == "x" else slice(None) for a in after)
    found = part.transpose([a for a in after if a != "x"])[key]
    assert np.array_equal(found, expected)


@given(indices, st.sets(st.integers(0, 3), min_size=1, max_size=3).map(sorted))
def test_a_part_of_a_reduction(index, axes):
    x = np.arange(120).reshape(2, 3, 4, 5)
    reduced = x.sum(axis=tuple(axes))
    if len(index) > reduced.ndim or taken(reduced, *index) is None:
        return
    before = index_around_axes(BasicIndex(index), axes, tensor(*x.shape))
    after = axes_after_index(before, axes, tensor(*x.shape))
    assert np.array_equal(take(x, *before.entries).sum(axis=after), take(reduced, *index))


@given(indices, indices, st.booleans())
def test_disjoint_indices_have_nothing_in_common(a, b, known):
    shape = (3, 4, 5)
    x = np.arange(60).reshape(shape)
    first, second = taken(x, *a), taken(x, *b)
    if first is None or second is None:
        return
    if known:
        # what is read is wide, so that an index that is all of an axis is met often
        a = (*a[:1], *[WHOLE] * 2)
        first = take(x, *a)
    if are_disjoint(tensor(*shape if known else (None,) * 3), a, b):
        assert not set(np.ravel(first)) & set(np.ravel(second))


# Entries of indices that are simplified, compared with NumPy.

LENGTHS = range(7)


@given(slices, entries, st.booleans())
def test_two_entries_on_an_axis_are_one(inner, outer, known):
    for n in LENGTHS:
        both = composed_entry(n if known else None, outer, inner)
        x = np.arange(n)
        if both is not None:
            expected = taken(take(x, inner), outer)
            found = taken(x, both)
            assert (found is None) is (expected is None), (n, both)
            assert expected is None or np.array_equal(found, expected), (n, both)
        elif known:
            assert taken(take(x, inner), outer) is None


@given(st.integers(0, 6), slices)
def test_slice_of_a_range(n, s):
    positions = range(n)[slice(*s.parts())]
    assert np.array_equal(take(np.arange(n), slice_of_range(positions)), list(positions))


@given(slices, st.one_of(st.none(), st.integers(0, 6)))
def test_covered_axes(s, n):
    for m in LENGTHS if n is None else [n]:
        if takes_whole_axis(s, n):
            assert np.array_equal(take(np.arange(m), s), np.arange(m))
        elif n is not None:
            assert not np.array_equal(take(np.arange(n), s), np.arange(n))


@given(entries, st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 7))
def test_an_entry_into_a_join(entry, lengths, hidden):
    parts = [np.arange(n) + 10 * i for i, n in enumerate(lengths)]
    expected = taken(np.concatenate(parts), entry)
    known = [None if hidden >> i & 1 else n for i, n in enumerate(lengths)]
    found = located_in_join(entry, known)
    if found is not None:
        part = taken(parts[found[0]], found[1])
        assert (part is None) is (expected is None)
        assert part is None or np.array_equal(part, expected)
    if isinstance(entry, int) and None not in known and expected is not None:
        assert found is not None


@pytest.mark.parametrize(
    ("entry", "lengths", "found"),
    [
        (Slice(1), [1, None], (1, WHOLE)),
        (Slice(1, 3), [1, None], (1, Slice(None, 2))),
        (Slice(2, -1, 2), [1, None], (1, Slice(1, -1, 2))),
        (Slice(None, 0, -1), [1, None], (1, Slice(None, None, -1))),
        (3, [1, 1, None], (2, 1)),
        (Slice(1, 1), [2, None], None),
        (Slice(3, 1), [2, None], (1, Slice(0, 0))),
        (Slice(None, -1), [None, 1], (0, WHOLE)),
        (Slice(-2, 0, -1), [None, 1], (0, Slice(None, 0, -1))),
        (-3, [None, 2], (0, -1)),
        (-1, [1, None], None),
        (Slice(-2), [1, None], None),
        (Slice(1), [2, None], None),
    ],
)
def test_the_last_piece_and_the_first_may_be_of_any_length(entry, lengths, found):
    assert located_in_join(entry, lengths) == found
