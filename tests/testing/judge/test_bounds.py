"""Where classes make claims, and how far rounding goes."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.judge.bounds import largest, outside, propagated, reached
from relgraph.testing.judge.sides import SideError, Sides

x, y = at.dvector("x"), at.dvector("y")
EPS = np.finfo("float64").eps


def analysed(out, **given):
    inputs = [v for v in (x, y) if v.name in given]
    sides = Sides(inputs, out, out, inputs)
    values = sides.run([np.array(given[v.name]) for v in inputs])
    return sides.nodes_of(out), values, out


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
    ],
)
def test_where_there_is_no_claim(out, value, rounding, finite):
    nodes, values, out = analysed(out, x=[value])
    assert outside(nodes, values, out, "rounding").tolist() == [rounding]
    assert outside(nodes, values, out, "finite").tolist() == [finite]


def test_no_claim_is_element_by_element():
    nodes, values, out = analysed(at.exp(x) + y, x=[1.0, 1000.0, 2.0], y=[1.0, 2.0, np.nan])
    assert outside(nodes, values, out, "finite").tolist() == [False, True, True]
    assert outside(nodes, values, out, "rounding").tolist() == [False, True, False]


def test_partial_sums_and_products_leave_the_range_on_the_way():
    nodes, values, out = analysed(at.sum(x), x=[1e308, 1e308, -1e308])
    assert outside(nodes, values, out, "rounding").all()
    nodes, values, out = analysed(at.prod(x), x=[1e-300, 1e-300, 1e300])
    assert outside(nodes, values, out, "rounding").all()
    nodes, values, out = analysed(at.prod(x), x=[2.0, 3.0])
    assert not outside(nodes, values, out, "rounding").any()


def test_increments_of_one_place_leave_the_range_on_the_way():
    twice = at.inc_subtensor(x[np.array([0, 0, 1])], y)
    nodes, values, out = analysed(twice, x=[1e308, 1.0, 2.0], y=[1e308, -1e308, 1.0])
    assert outside(nodes, values, out, "rounding").tolist() == [True, False, False]
    assert not outside(nodes, values, out, "finite")[1:].any()
    changed = at.set_subtensor(x[:1], y)
    nodes, values, out = analysed(changed, x=[1e308, 1.0], y=[1e308])
    assert not outside(nodes, values, out, "rounding").any()


def test_the_largest_value_on_the_way():
    nodes, values, out = analysed((x + y) - x, x=[1e10, 1.0], y=[1.0, 2.0])
    assert largest(nodes, values, out).tolist() == [1e10 + 1, 3.0]
    nodes, values, out = analysed(at.sum(x), x=[5.0, -5.0])
    assert largest(nodes, values, out).tolist() == 10.0


def test_rounding_is_passed_on_as_far_as_results_move():
    nodes, values, out = analysed(at.exp(at.log(x)), x=[1e300])
    (error,) = propagated(nodes, values, out, False, 1.0)
    assert 300 * EPS < error / 1e300 < 3000 * EPS
    nodes, values, out = analysed(x + 1, x=[1.0])
    assert propagated(nodes, values, out, False, 1.0).tolist() == [2 * EPS]
    nodes, values, out = analysed(x * y / y, x=[1e-200], y=[1e-200])
    assert propagated(nodes, values, out, True, 1.0)[0] > 1e-200
    assert propagated(nodes, values, out, False, 1.0)[0] < 1e-200


def test_which_elements_come_from_a_nan():
    nodes, values, out = analysed(at.exp(x) + y, x=[np.nan, 1.0], y=[1.0, 2.0])
    assert reached(nodes, values, out, np.isnan).tolist() == [True, False]
    nodes, values, out = analysed(at.sum(x), x=[np.nan, 1.0])
    assert reached(nodes, values, out, np.isnan).all()


def test_an_error_tells_which_side_it_is_of():
    old, new = x + y, x[5]
    sides = Sides([x, y], old, at.stack([new, new]), [x, y])
    with pytest.raises(SideError) as found:
        sides.run([np.ones(2), np.ones(2)])
    assert found.value.new
    with pytest.raises(SideError) as found:
        sides.run([np.ones(2), np.ones(3)])
    assert not found.value.new
