"""What is computed with the arguments of sums and products."""

import numpy as np

import relgraph.tensor as at
from relgraph.graph.notation.algebra import algebra
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.numbers import collecting_products as products
from relgraph.tensor.lawkit.numbers import collecting_sums as sums
from relgraph.tensor.lawkit.numbers.collecting import common_dtype

x, y = at.dvectors("x", "y")
i = at.lvector("i")
small = at.vector("s", dtype="int8")


def ones(*variables):
    return [(1, (v,)) for v in variables]


def test_differences_and_quotients():
    assert algebra(sums.difference([x, y], [x])) == "x + y - x"
    assert algebra(sums.difference([], [x, y])) == "-(x + y)"
    assert sums.difference([x], []) is x
    assert sums.difference([], []) == 0
    assert algebra(products.quotient([x], [x, y])) == "x / (x * y)"
    assert products.quotient([], []) == 1
    assert algebra(products.quotient([], [x])) == "1.0 / x"


def test_one_dtype():
    assert common_dtype([x, y]) == "float64"
    assert common_dtype([x, i]) is None
    assert common_dtype([x > 0]) is None
    assert common_dtype([at.zvector()]) is None


def test_where_something_may_be_subtracted():
    assert sums.may_subtract([x, -y]) and sums.may_subtract([x - y])
    assert sums.may_subtract([x, at.constant(-1.0)]) and sums.may_subtract([x * -2.0, y])
    assert sums.may_subtract([x, at.mul(x, y * -2.0)])  # what is in a nested product is not seen
    assert not sums.may_subtract([x, y, x * y, 2.0 * y, at.constant(0.5), at.exp(-x)])
    assert not sums.may_subtract([at.constant(np.nan), at.constant(1 - 2j)])


def test_nothing_to_do():
    assert sums.equal_terms_of_one_sign_collected([x, y], ones(x, y)) is None
    assert sums.equal_terms_of_one_sign_collected([x, i, i], ones(x, i, i)) is None
    assert products.whole_powers_collected([x, y], [(1, x), (1, y)]) is None
    assert sums.as_one_difference([((x,), ()), ((y,), ())]) is None
    assert sums.equal_terms_of_sides_collected([x], ones(x), [y], ones(y)) is None


def test_terms_of_one_sign():
    terms = [(2, (x,)), (-1, (x,)), (3, (x,)), (-2, (x,))]
    assert algebra(sums.equal_terms_of_one_sign_collected([x] * 4, terms)) == "5.0 * x - 3.0 * x"
    assert algebra(sums.equal_terms_collected([x] * 4, terms)) == "2.0 * x"


def test_coefficients_of_integers_wrap_around():
    found = sums.equal_terms_of_one_sign_collected(
        [small, small], [(100, (small,)), (100, (small,))]
    )
    assert found.type.dtype == "int8"
    value = np.array([3], "int8")
    (got,) = evaluate([found], {small: value})
    assert got == np.int8((200 * 3 + 128) % 256 - 128)


def test_a_coefficient_that_overflows_is_not_made():
    big = at.constant(1e308)
    assert sums.equal_terms_of_one_sign_collected([x, x], [(big, (x,)), (big, (x,))]) is None


def test_exponents_of_integers_must_fit():
    assert (
        algebra(products.whole_powers_collected([small, small], [(20, small), (20, small)]))
        == "s ** 40"
    )
    assert products.whole_powers_collected([small, small], [(100, small), (100, small)]) is None


def test_one_constant_in_a_difference():
    two, three = at.constant(2.0), at.constant(-3.0)
    assert algebra(sums.with_one_constant([two, x], [three, y])) == "5.0 + x - y"
    assert algebra(sums.with_one_constant([three, x], [y])) == "x - (3.0 + y)"
    assert sums.with_one_constant([two, x], [y]) is None
    assert sums.with_one_constant([three], [y]) is None


def test_bases_of_both_sides():
    above, below = [(3, x), (1, y)], [(1, x)]
    found = products.powers_of_sides_collected([x, y], above, [x], below)
    assert algebra(found) == "sqr(x) * y"
    assert products.powers_of_sides_collected([x], [(1, x)], [y], [(1, y)]) is None


def test_the_least_integer_is_not_negated():
    assert sums.is_negative_number(at.constant(np.int8(-127)))
    assert not sums.is_negative_number(at.constant(np.int8(-128)))
    assert not sums.is_negative_number(at.constant(True))
    assert not sums.is_negative_number(at.constant([-1.0, 2.0])) and not sums.is_negative_number(x)
    assert not sums.is_negative_number(at.constant(-np.inf))
