"""What laws compute with numbers, constants and axes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit import numbers
from relations.kit.constant_arithmetic import (
    folded,
    known,
)
from relations.kit.guards import constant_number, constanto
from relations.kit.index_arithmetic import (
    canonical_axes,
)
from relations.kit.reductions import (
    axes_before_dimshuffle,
    merged_axes,
    order_after_reduction,
)
from relations.kit.vocabulary import law, lvars
from relgraph.graph.kanren import NoSuchDirection, computed, computo
from relgraph.graph.notation import algebra, number_of
from tests.relations.kit.test_layout import X, orders, shuffled

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
    canonical = canonical_axes(reduced, 4)
    before = axes_before_dimshuffle(order, canonical, 3)
    after = order_after_reduction(order, canonical, 3)
    expected = shuffled(X, order).sum(axis=reduced)
    assert np.array_equal(shuffled(np.asarray(X.sum(axis=before)), after), expected)
