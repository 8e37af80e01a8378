"""What laws compute with numbers, constants and axes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit import collecting as sums
from relations.kit import numbers
from relations.kit.constant_arithmetic import (
    folded,
    known,
)
from relations.kit.guards import constant_number, constanto
from relations.kit.index_arithmetic import (
    canonical_axes,
    order_without,
    remaining_axes,
    softmax_axis,
)
from relations.kit.nests import nest_of
from relations.kit.reductions import (
    axes_before_dimshuffle,
    merged_axes,
    order_after_reduction,
    order_padded_to,
    rank_after_reduction,
    repetition_count,
    restores_axes,
    restores_softmax_axes,
)
from relations.kit.vocabulary import law, lvars
from relations.numbers import magnitudes
from relgraph.graph.kanren import NoSuchDirection, computed, computo
from relgraph.graph.notation import algebra, number_of
from relgraph.graph.reference import evaluate
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


def test_constants_come_together():
    (together,) = (one for one in magnitudes.COLLECTED if one.name == "maximum-constants")

    def made(*arguments):
        found = together.forward.transform(None, at.maximum(*arguments).owner)
        return found if found is False else algebra(found[0])

    assert made(x, 2.0, 3.0) == made(2.0, x, 3.0) == "maximum(3.0, x)"
    assert made(x, 2.0, y, 3.0) == "maximum(3.0, x, y)"
    assert made(x, 2.0) is False
    assert made(x, 2.0, y) is False
    tall, wide = np.ones((200, 1)), np.ones((1, 200))
    assert made(at.dmatrix(), tall, wide) is False


def test_what_overflows_is_not_folded():
    assert sums.constants_of_sum_folded(nest((x + 1e308) + 1e308)) is None
    assert sums.constants_of_sum_folded(nest((x + np.inf) + 1e308)) is None


# What axes and orders come down to.


def test_axes_that_remain():
    assert remaining_axes((0, 2), 4) == (1, 3)
    assert remaining_axes(None, 2) == ()
    assert order_without(at.dmatrix(), (0,)) == (1,)


def test_how_ops_have_axes():
    assert canonical_axes([1, 0], 2) is None and canonical_axes([2, 0], 3) == (0, 2)
    assert softmax_axis((1,)) == 1 and softmax_axis(None) is None and softmax_axis((0, 1)) == (0, 1)


# Constants in products and quotients.


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


def test_powers_of_two():
    assert all(numbers.is_power_of_two(const(v)) for v in (2.0, 0.25, -8.0, 2.0**1000))
    assert not any(numbers.is_power_of_two(const(v)) for v in (0.0, 3.0, 2.0**-1074))
    assert not numbers.is_power_of_two(at.dvector())


def test_quotients_that_neither_over_nor_underflow():
    assert numbers.has_normal_quotient(const(3.0), const(7.0))
    assert not numbers.has_normal_quotient(const(1e-200), const(1e200))
    assert not numbers.has_normal_quotient(const(1e200), const(1e-200))
    assert not numbers.has_normal_quotient(const(3, "int8"), const(7, "int8"))


# What is computed with the leaves of sums and products.

z = at.dvector("z")
i = at.lvector("i")
small = at.vector("s", dtype="int8")


def nest(var):
    """The nest of a variable that is in no graph."""
    return nest_of(None, var)


def ones(*variables):
    return [(1, (v,)) for v in variables]


def test_one_dtype():
    assert nest(x + y).is_of_one_real_dtype()
    assert not nest(x + i).is_of_one_real_dtype()
    assert not nest((x > 0) * (y > 0)).is_of_one_real_dtype()
    assert not nest(at.zvector() + at.zvector()).is_of_one_real_dtype()


def test_nothing_to_do():
    assert sums.collected_terms(nest(x + y), ones(x, y), False) is None
    assert sums.collected_terms(nest(x - y), ones(x, y), True) is None
    assert sums.collected_powers(nest(x * y), [(1, x), (1, y)], False, False) is None
    assert sums.collected_powers(nest(x / y), [(1, x), (1, y)], True, True) is None


def test_terms_of_one_sign():
    terms = [(2, (x,)), (-1, (x,)), (3, (x,)), (-2, (x,))]
    whole = nest(at.add(x, x, x, x))
    assert algebra(sums.collected_terms(whole, terms, False)) == "5.0 * x - 3.0 * x"
    assert algebra(sums.collected_terms(whole, terms, True)) == "2.0 * x"


def test_coefficients_of_integers_wrap_around():
    found = sums.collected_terms(nest(small + small), [(100, (small,)), (100, (small,))], False)
    assert found.type.dtype == "int8"
    value = np.array([3], "int8")
    (got,) = evaluate([found], {small: value})
    assert got == np.int8((200 * 3 + 128) % 256 - 128)


def test_a_coefficient_that_overflows_is_not_made():
    big = at.constant(1e308)
    whole = nest(at.add(x, x))
    assert sums.collected_terms(whole, [(big, (x,)), (big, (x,))], False) is None


def test_exponents_of_integers_must_fit():
    whole = nest(small * small)
    found = sums.collected_powers(whole, [(20, small), (20, small)], False, False)
    assert algebra(found) == "s ** 40"
    assert sums.collected_powers(whole, [(100, small), (100, small)], False, False) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((x + 2.0) - 5.0, "x - 3.0"),
        ((x - 5.0) + 2.0, "x - 3.0"),
        ((2.0 + x) - (2.0 + y), "x - y"),
        ((x - 5.0) - 2.0, "x - 7.0"),
        ((x + 0.1) + 1e-20, None),  # rounded, it would be x + 0.1
        ((x + 0.1) + 0.2, None),
        ((x + 1e300) - 1e300, "x"),
        (x - y + 3.0, None),
    ],
)
def test_constants_of_sums_are_folded_where_that_is_exact(before, after):
    found = sums.constants_of_sum_folded(nest(before))
    assert found is None if after is None else algebra(found) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (6.0 * x / 4.0, "1.5 * x"),
        (6.0 / (4.0 * x), "1.5 / x"),
        (6.0 * x / (4.0 * y), "1.5 * x / y"),
        (x / 3.0 / 2.0, "x / 6.0"),
        (1.0 / x * y, "y / x"),
        (1.0 / x / y, None),
        (2.0 * (1.0 / x / y), "2.0 / (x * y)"),
        (1e-200 * x / 1e200, None),  # the quotient is 0
        (x * 1e200 * 1e200, None),
        (x * y * z, None),
        (1.0 / (x / 0.0), None),  # nothing else stands above the line
        (x / (1.0 / y), "x * y"),
    ],
)
def test_constants_of_products(before, after):
    found = sums.constants_of_product_folded(nest(before))
    assert found is None if after is None else algebra(found) == after


def test_constants_of_float16_make_nothing_larger():
    h, k = at.TensorType("float16", (None,))("h"), at.TensorType("float16", (None,))("k")
    c, d = at.constant(np.float16(0.01)), at.constant(np.float16(64.0))
    assert sums.constants_of_product_folded(nest(at.mul(c, h, k, d))) is None
    found = sums.constants_of_product_folded(nest(at.mul(d, h, k, c)))
    assert len(found.owner.inputs) == 3 and found.type.dtype == "float16"


def test_bases_of_both_sides():
    found = sums.collected_powers(
        nest(at.sqr(x) * x * y / x), [(2, x), (1, x), (1, y), (1, x)], True, True
    )
    assert algebra(found) == "sqr(x) * y"


def test_powers_that_were_not_there_are_not_made():
    """``x * y * y`` is a usual number where ``y**2`` is 0 or overflows."""
    counted = [(1, x), (1, y), (1, y)]
    assert sums.collected_powers(nest(at.mul(x, y, y)), counted, False, False) is None
    found = sums.collected_powers(nest(at.mul(y, y, x)), [(1, y), (1, y), (1, x)], False, False)
    assert algebra(found) == "sqr(y) * x"


def test_the_least_integer_is_not_negated():
    assert sums.is_negative_number(at.constant(np.int8(-127)))
    assert not sums.is_negative_number(at.constant(np.int8(-128)))
    assert not sums.is_negative_number(at.constant(True))
    assert not sums.is_negative_number(at.constant([-1.0, 2.0])) and not sums.is_negative_number(x)
    assert not sums.is_negative_number(at.constant(-np.inf))


# Constants that divide integers.


def test_products_of_integers_must_fit():
    assert numbers.product_fits(const(3, "int8"), const(42, "int8"))
    assert not numbers.product_fits(const(3, "int8"), const(43, "int8"))
    assert numbers.is_discrete_minus_one(const(-1, "int8"))
    assert not numbers.is_discrete_minus_one(const(-1.0))


def test_positive_numbers():
    assert numbers.is_positive_number(const(1.0))
    assert not any(numbers.is_positive_number(const(v)) for v in (0.0, -1.0, np.inf))


# Bounds, and arguments that come twice.


def test_order():
    assert numbers.is_at_most(const(1.0), const(2.0))
    assert numbers.is_at_most(const(0.0), 0)
    assert not numbers.is_at_most(const(2.0), const(1.0))
    # complex numbers have no order
    assert not numbers.is_at_most(at.constant(1j), at.constant(2j))
    assert not numbers.is_at_most(at.constant(1j), 2.0)
    assert not numbers.is_at_most(const(np.nan), const(1.0))
    assert not numbers.is_at_most(x, const(1.0))


def test_each_once():
    assert numbers.without_repetitions((x, y, x)) == (x, y)


# Constant exponents.


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        (numbers.is_even, [0.0, 2.0, -4.0], [1.0, 0.5, np.inf]),
        (numbers.is_odd, [1.0, -3.0], [2.0, 0.5, -0.9999999999999999]),
        (numbers.is_small_whole, [3.0, -64.0], [0.5, 65.0, np.nan]),
    ],
)
def test_numbers(guard, yes, no):
    assert all(guard(const(value)) for value in yes)
    assert not any(guard(const(value)) for value in no)
    assert not guard(at.dvector())


def test_powers_exponents_of_integers_must_fit():
    assert numbers.exponents_multiply(const(2.0), const(-3.0))
    assert not numbers.exponents_multiply(const(2.0), const(0.5))
    assert numbers.exponents_multiply(const(5, "int8"), const(25, "int8"))
    assert not numbers.exponents_multiply(const(16, "int8"), const(16, "int8"))
    assert numbers.exponent_doubles(const(60, "int8"))
    assert not numbers.exponent_doubles(const(64, "int8"))


# What the axes of reductions come down to, compared with NumPy, and what they count.

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


def test_ranks():
    x = at.dtensor3()
    assert rank_after_reduction((0, 2), x) == 1 and rank_after_reduction(None, x) == 0
    assert order_padded_to(at.dvector(), (4, 4, 4)) == ("x", "x", 0)


def test_how_often_broadcasting_repeats():
    v = at.dvector("v")
    assert repetition_count(v, (0,), (5, 3)).data == 5 and repetition_count(v, (1,), (5, 3)) is None
    assert repetition_count(v, None, (5, 3)).data == 5
    assert repetition_count(at.row("row"), None, (5, 3)).data == 5


# The axes that a dimshuffle gives back.

x_matrix = at.dmatrix("x")


def test_axes_that_are_given_back():
    assert restores_axes((0, "x"), (1,), x_matrix) and restores_axes(("x", "x"), None, x_matrix)
    assert not restores_axes(("x", 0), (1,), x_matrix)
    assert restores_softmax_axes((0, "x"), -1, x_matrix) and restores_softmax_axes(
        (0, "x"), 1, x_matrix
    )
    assert not restores_softmax_axes((0, "x"), 0, x_matrix)
