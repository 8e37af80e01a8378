"""Bounds on the rounding of a graph."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.testing.judge.backward_errors import size_of_logarithms
from relgraph.testing.judge.error_bounds import largest_magnitude, rounding_error_bound
from tests.testing.judge.evaluated_graphs import evaluated, x, y

EPS = np.finfo("float64").eps


def test_the_largest_intermediate_value():
    nodes, values, out = evaluated((x + y) - x, x=[1e10, 1.0], y=[1.0, 2.0])
    assert largest_magnitude(nodes, values, out).tolist() == [1e10 + 1, 3.0]
    nodes, values, out = evaluated(at.sum(x), x=[5.0, -5.0])
    assert largest_magnitude(nodes, values, out).tolist() == 10.0


def test_what_is_compared_with_a_large_number_is_not_large():
    chosen = at.switch(1e154 - x > 0, x, -x)
    nodes, values, out = evaluated(chosen, x=[3.0])
    assert largest_magnitude(nodes, values, out).tolist() == [3.0]


def test_errors_propagate_as_far_as_they_move_results():
    nodes, values, out = evaluated(at.exp(at.log(x)), x=[1e300])
    (error,) = rounding_error_bound(nodes, values, out, False, 1.0)
    assert 300 * EPS < error / 1e300 < 3000 * EPS
    nodes, values, out = evaluated(x + 1, x=[1.0])
    assert rounding_error_bound(nodes, values, out, False, 1.0).tolist() == [2 * EPS]
    nodes, values, out = evaluated(x * y / y, x=[1e-200], y=[1e-200])
    assert rounding_error_bound(nodes, values, out, True, 1.0)[0] > 1e-200
    assert rounding_error_bound(nodes, values, out, False, 1.0)[0] < 1e-200


def test_partial_results_are_rounded_too():
    nodes, values, out = evaluated(at.sum(x) * 1e6, x=[1e10, 1.0, -1e10])
    assert rounding_error_bound(nodes, values, out, False, 1.0) >= 1e16 * EPS
    nodes, values, out = evaluated(at.prod(x), x=[3.0] * 20)
    assert rounding_error_bound(nodes, values, out, False, 1.0) >= 20 * 3.0**20 * EPS


def test_a_determinant_is_rounded_as_the_exponential_of_its_logarithm():
    found = size_of_logarithms(np.array([[np.e**20, 0.0], [0.0, np.e**-20]]))
    np.testing.assert_allclose(found, 40.0)
