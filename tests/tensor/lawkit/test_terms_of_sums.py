"""What is computed with the arguments of sums and products."""

import numpy as np

import relgraph.tensor as at
from relgraph.graph.notation.algebra import algebra
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.arithmetic import constants as constants
from relgraph.tensor.lawkit.arithmetic import terms as sums

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
    assert algebra(sums.quotient([x], [x, y])) == "x / (x * y)"
    assert sums.quotient([], []) == 1
    assert algebra(sums.quotient([], [x])) == "1.0 / x"


def test_one_dtype():
    assert sums.common_dtype([x, y]) == "float64"
    assert sums.common_dtype([x, i]) is None
    assert sums.common_dtype([x > 0]) is None
    assert sums.common_dtype([at.zvector()]) is None


def test_where_something_may_be_subtracted():
    assert sums.may_have_less([x, -y]) and sums.may_have_less([x - y])
    assert sums.may_have_less([x, at.constant(-1.0)]) and sums.may_have_less([x * -2.0, y])
    assert sums.may_have_less([x, at.mul(x, y * -2.0)])  # what is in a nested product is not seen
    assert not sums.may_have_less([x, y, x * y, 2.0 * y, at.constant(0.5), at.exp(-x)])
    assert not sums.may_have_less([at.constant(np.nan), at.constant(1 - 2j)])


def test_nothing_to_do():
    assert sums.collected([x, y], ones(x, y)) is None
    assert sums.collected([x, i, i], ones(x, i, i)) is None
    assert sums.powers_collected([x, y], [(1, x), (1, y)]) is None
    assert sums.split_by_sign([((x,), ()), ((y,), ())]) is None
    assert sums.cancelled_difference([x], ones(x), [y], ones(y)) is None
    assert not sums.is_found(None)


def test_terms_of_one_sign():
    terms = [(2, (x,)), (-1, (x,)), (3, (x,)), (-2, (x,))]
    assert algebra(sums.collected([x] * 4, terms)) == "5.0 * x - 3.0 * x"
    assert algebra(sums.cancelled([x] * 4, terms)) == "2.0 * x"


def test_coefficients_of_integers_wrap_around():
    found = sums.collected([small, small], [(100, (small,)), (100, (small,))])
    assert found.type.dtype == "int8"
    value = np.array([3], "int8")
    (got,) = evaluate([found], {small: value})
    assert got == np.int8((200 * 3 + 128) % 256 - 128)


def test_a_coefficient_that_overflows_is_not_made():
    big = at.constant(1e308)
    assert sums.collected([x, x], [(big, (x,)), (big, (x,))]) is None


def test_exponents_of_integers_must_fit():
    assert algebra(sums.powers_collected([small, small], [(20, small), (20, small)])) == "s ** 40"
    assert sums.powers_collected([small, small], [(100, small), (100, small)]) is None


def test_constants_come_together():
    together = constants.constants_together(at.add)
    whole, rest = together((x, at.constant(2.0), at.constant(3.0)))
    assert whole.data == 5.0
    assert rest is x
    assert together((x, at.constant(2.0))) is None
    assert together((at.constant(2.0), at.constant(3.0))) is None
    assert together((x, at.constant(np.int8(100)), at.constant(np.int8(100)))) is None
    tall, wide = np.ones((200, 1)), np.ones((1, 200))
    assert together((at.dmatrix(), at.constant(tall), at.constant(wide))) is None


def test_one_constant_in_a_difference():
    two, three = at.constant(2.0), at.constant(-3.0)
    assert algebra(constants.constants_of_difference([two, x], [three, y])) == "5.0 + x - y"
    assert algebra(constants.constants_of_difference([three, x], [y])) == "x - (3.0 + y)"
    assert constants.constants_of_difference([two, x], [y]) is None
    assert constants.constants_of_difference([three], [y]) is None


def test_each_once():
    assert sums.distinct((x, y, x)) == (x, y)
