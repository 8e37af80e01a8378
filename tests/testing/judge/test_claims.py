"""The elements about which soundness classes make claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor import linalg
from relgraph.testing.judge.claims import marked_elements, unclaimed_elements
from tests.testing.judge.evaluated_graphs import evaluated, m, x, y


@pytest.mark.parametrize(
    ("out", "value", "rounding", "finite"),
    [
        (at.exp(x), 1000.0, True, True),  # overflow
        (at.exp(x), -1000.0, True, False),  # underflow
        (at.exp(x), 1.0, False, False),
        (at.exp(x), np.inf, False, True),
        (1 / x, 0.0, False, True),  # a pole is no overflow
        (at.log(x), 0.0, False, True),
        (x * 1e200, 1e200, True, True),
        (x * 1e-200, 1e-200, True, False),
        (x * 1e-200, 0.0, False, False),
        (x - 1, 1.0, False, False),  # what cancels does not underflow
        (at.log(x), 1.0, False, False),
        (x + 1, np.nan, False, True),
        (at.cosm1(x), 0.0, False, False),  # it is 0 there
        (at.cosm1(x), 1e-200, True, False),
        (at.x_less_sin(x), 0.0, False, False),
    ],
)
def test_where_there_is_no_claim(out, value, rounding, finite):
    nodes, values, out = evaluated(out, x=[value])
    assert unclaimed_elements(nodes, values, out, "rounding").tolist() == [rounding]
    assert unclaimed_elements(nodes, values, out, "finite").tolist() == [finite]


def test_no_claim_is_element_by_element():
    nodes, values, out = evaluated(at.exp(x) + y, x=[1.0, 1000.0, 2.0], y=[1.0, 2.0, np.nan])
    assert unclaimed_elements(nodes, values, out, "finite").tolist() == [False, True, True]
    assert unclaimed_elements(nodes, values, out, "rounding").tolist() == [False, True, False]


def test_partial_sums_and_products_leave_the_range_on_the_way():
    nodes, values, out = evaluated(at.sum(x), x=[1e308, 1e308, -1e308])
    assert unclaimed_elements(nodes, values, out, "rounding").all()
    nodes, values, out = evaluated(at.prod(x), x=[1e-300, 1e-300, 1e300])
    assert unclaimed_elements(nodes, values, out, "rounding").all()
    largest = float(np.finfo("float64").max)
    for factors in ([2.0, 3.0], [largest, 0.25, 0.5], [1e200, 1e100, 1e-200]):
        nodes, values, out = evaluated(at.prod(x), x=factors)
        assert not unclaimed_elements(nodes, values, out, "rounding").any()
    for factors in ([largest, 2.0, 0.25], [1e-200, 1e-200, 1e300]):
        nodes, values, out = evaluated(at.prod(x), x=factors)
        assert unclaimed_elements(nodes, values, out, "rounding").all()


def test_sums_of_three_terms_are_added_in_any_order_where_a_law_is_stable():
    for out, unclaimed in ((at.add(x, y, y), True), (x + (y + y), True), (x + y, False)):
        nodes, values, out = evaluated(out, x=[np.inf], y=[-1e308])
        assert unclaimed_elements(nodes, values, out, "stable").tolist() == [unclaimed]


def test_a_factor_may_underflow_where_two_of_several_have_become_one():
    least = 5e-324
    before, _values, _out = evaluated(at.mul(at.expm1(x), y, at.sigmoid(-x)), x=[least], y=[np.inf])
    nodes, values, out = evaluated(at.tanh(x / 2) * y, x=[least, 1.0, 0.0], y=[np.inf] * 3)
    assert np.isnan(values[out]).tolist() == [True, False, True]
    of_several = unclaimed_elements(nodes, values, out, "stable", before)
    assert of_several.tolist() == [True, False, False]  # 0 has not underflowed
    two, _values, _out = evaluated(at.expm1(x) * y, x=[least], y=[np.inf])
    assert not unclaimed_elements(nodes, values, out, "stable", two).any()


@pytest.mark.parametrize(
    ("exponents", "unclaimed"),
    [
        ([-800.0, 0.0, 1.0], [True, False, False]),
        ([-740.0, 0.0, 1.0], [True, False, False]),  # subnormal
        ([-math.inf, 0.0, 1.0], [False, False, False]),
        ([-800.0, math.inf, 1.0], [False, False, False]),
    ],
)
def test_a_share_may_underflow_as_an_exponential_does(exponents, unclaimed):
    nodes, values, out = evaluated(at.softmax(x), x=exponents)
    assert unclaimed_elements(nodes, values, out, "rounding").tolist() == unclaimed


def test_a_share_may_underflow_beside_an_infinite_factor_where_the_sides_differ():
    factors = at.mul(y, y, at.exp(y))
    before, _values, _out = evaluated(
        at.exp(x) * factors / at.sum(at.exp(x)), x=[-700.0, 700.0], y=[np.inf, np.inf]
    )
    nodes, values, out = evaluated(at.softmax(x) * factors, x=[-700.0, 700.0], y=[np.inf, np.inf])
    assert np.isnan(values[out]).tolist() == [True, False]
    assert unclaimed_elements(nodes, values, out, "stable", before).tolist() == [True, False]


def test_increments_of_one_place_leave_the_range_on_the_way():
    twice = at.inc_subtensor(x[np.array([0, 0, 1])], y)
    nodes, values, out = evaluated(twice, x=[1e308, 1.0, 2.0], y=[1e308, -1e308, 1.0])
    assert unclaimed_elements(nodes, values, out, "rounding").tolist() == [True, False, False]
    assert not unclaimed_elements(nodes, values, out, "finite")[1:].any()
    changed = at.set_subtensor(x[:1], y)
    nodes, values, out = evaluated(changed, x=[1e308, 1.0], y=[1e308])
    assert not unclaimed_elements(nodes, values, out, "rounding").any()


def test_which_elements_come_from_a_nan():
    nodes, values, out = evaluated(at.exp(x) + y, x=[np.nan, 1.0], y=[1.0, 2.0])
    assert marked_elements(nodes, values, out, np.isnan).tolist() == [True, False]
    nodes, values, out = evaluated(at.sum(x), x=[np.nan, 1.0])
    assert marked_elements(nodes, values, out, np.isnan).all()


@pytest.mark.parametrize(
    ("left", "right", "unclaimed"),
    [
        ([0.0, 1.0], [np.inf, 1.0], True),
        ([np.nan, 1.0], [0.0, 1.0], True),
        ([2.0, 1.0], [np.inf, 1.0], False),
        ([0.0, 1.0], [1.0, 1.0], False),
    ],
)
def test_a_zero_beside_an_infinity_is_left_to_the_blas(left, right, unclaimed):
    nodes, values, out = evaluated(at.dot(x, y), x=left, y=right)
    assert unclaimed_elements(nodes, values, out, "rounding").tolist() == unclaimed


@pytest.mark.parametrize(("factor", "unclaimed"), [(0.0, True), (1e-17, True), (1e-3, False)])
@pytest.mark.parametrize(
    "made",
    [
        at.dot(x, linalg.inv(m)),
        at.dot(linalg.inv(m), x),
        at.dot(linalg.solve(m, np.eye(2)), x),
    ],
)
def test_what_rounding_makes_of_a_zero_beside_an_infinity_is_no_claim(made, factor, unclaimed):
    matrix = [[1.0, -factor], [-factor, 1.0]]
    nodes, values, out = evaluated(made, m=matrix, x=[np.inf, 1.0])
    assert unclaimed_elements(nodes, values, out, "stable").tolist() == [False, unclaimed]
