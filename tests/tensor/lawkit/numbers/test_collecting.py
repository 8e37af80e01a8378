"""What is computed with the leaves of sums and products."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.notation import algebra
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit import collecting as products
from relgraph.tensor.lawkit import collecting as sums
from relgraph.tensor.lawkit.nests import PRODUCT, SUM, common_dtype, nest_of

x, y, z = at.dvectors("x", "y", "z")
i = at.lvector("i")
small = at.vector("s", dtype="int8")


def nest(var, operation=SUM):
    """The nest of a variable that is in no graph."""
    return nest_of(None, operation, var.owner.op, var.owner.inputs)


def ones(*variables):
    return [(1, (v,)) for v in variables]


def test_one_dtype():
    assert common_dtype([x, y]) == "float64"
    assert common_dtype([x, i]) is None
    assert common_dtype([x > 0]) is None
    assert common_dtype([at.zvector()]) is None


def test_where_something_may_be_subtracted():
    assert sums.may_subtract([x, -y]) and not sums.may_subtract([x - y])
    assert sums.may_subtract([x, at.constant(-1.0)]) and sums.may_subtract([x * -2.0, y])
    assert sums.may_subtract([x, at.mul(x, y * -2.0)])  # what is in a nested product is not seen
    assert not sums.may_subtract([x, y, x * y, 2.0 * y, at.constant(0.5), at.exp(-x)])
    assert not sums.may_subtract([at.constant(np.nan), at.constant(1 - 2j)])


def test_nothing_to_do():
    assert sums.equal_terms_of_one_sign_collected(nest(x + y), ones(x, y)) is None
    assert sums.equal_terms_collected(nest(x - y), ones(x, y)) is None
    assert products.whole_powers_collected(nest(x * y, PRODUCT), [(1, x), (1, y)]) is None
    assert products.powers_cancelled(nest(x / y, PRODUCT), [(1, x), (1, y)]) is None
    assert sums.negations_subtracted(None, [x, y], [((x,), ()), ((y,), ())]) is None


def test_terms_of_one_sign():
    terms = [(2, (x,)), (-1, (x,)), (3, (x,)), (-2, (x,))]
    whole = nest(at.add(x, x, x, x))
    assert algebra(sums.equal_terms_of_one_sign_collected(whole, terms)) == "5.0 * x - 3.0 * x"
    assert algebra(sums.equal_terms_collected(whole, terms)) == "2.0 * x"


def test_coefficients_of_integers_wrap_around():
    found = sums.equal_terms_of_one_sign_collected(
        nest(small + small), [(100, (small,)), (100, (small,))]
    )
    assert found.type.dtype == "int8"
    value = np.array([3], "int8")
    (got,) = evaluate([found], {small: value})
    assert got == np.int8((200 * 3 + 128) % 256 - 128)


def test_a_coefficient_that_overflows_is_not_made():
    big = at.constant(1e308)
    whole = nest(at.add(x, x))
    assert sums.equal_terms_of_one_sign_collected(whole, [(big, (x,)), (big, (x,))]) is None


def test_exponents_of_integers_must_fit():
    whole = nest(small * small, PRODUCT)
    found = products.whole_powers_collected(whole, [(20, small), (20, small)])
    assert algebra(found) == "s ** 40"
    assert products.whole_powers_collected(whole, [(100, small), (100, small)]) is None


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
    found = products.constants_of_product_folded(nest(before, PRODUCT))
    assert found is None if after is None else algebra(found) == after


def test_constants_of_float16_make_nothing_larger():
    h, k = at.TensorType("float16", (None,))("h"), at.TensorType("float16", (None,))("k")
    c, d = at.constant(np.float16(0.01)), at.constant(np.float16(64.0))
    assert products.constants_of_product_folded(nest(at.mul(c, h, k, d), PRODUCT)) is None
    found = products.constants_of_product_folded(nest(at.mul(d, h, k, c), PRODUCT))
    assert len(found.owner.inputs) == 3 and found.type.dtype == "float16"


def test_bases_of_both_sides():
    found = products.powers_cancelled(
        nest(at.sqr(x) * x * y / x, PRODUCT), [(2, x), (1, x), (1, y), (1, x)]
    )
    assert algebra(found) == "sqr(x) * y"


def test_powers_that_were_not_there_are_not_made():
    """``x * y * y`` is a usual number where ``y**2`` is 0 or overflows."""
    counted = [(1, x), (1, y), (1, y)]
    assert products.whole_powers_collected(nest(at.mul(x, y, y), PRODUCT), counted) is None
    found = products.whole_powers_collected(
        nest(at.mul(y, y, x), PRODUCT), [(1, y), (1, y), (1, x)]
    )
    assert algebra(found) == "sqr(y) * x"


def test_the_least_integer_is_not_negated():
    assert sums.is_negative_number(at.constant(np.int8(-127)))
    assert not sums.is_negative_number(at.constant(np.int8(-128)))
    assert not sums.is_negative_number(at.constant(True))
    assert not sums.is_negative_number(at.constant([-1.0, 2.0])) and not sums.is_negative_number(x)
    assert not sums.is_negative_number(at.constant(-np.inf))
