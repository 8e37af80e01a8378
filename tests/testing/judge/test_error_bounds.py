"""Bounds on the rounding of a graph."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.linalg import inv
from relgraph.testing.judge.claims import size_of_logarithms
from relgraph.testing.judge.evaluation import RewritePair
from relgraph.testing.judge.law_comparison import (
    is_rounding_alone,
    largest_magnitude,
    rounding_error_bound,
)
from tests.testing.judge.evaluated_graphs import evaluated, x, y

EPS = np.finfo("float64").eps


def test_the_largest_intermediate_value():
    nodes, values, out = evaluated((x + y) - x, x=[1e10, 1.0], y=[1.0, 2.0])
    assert largest_magnitude(nodes, values, out).tolist() == [1e10 + 1, 3.0]
    nodes, values, out = evaluated(at.sum(x), x=[5.0, -5.0])
    assert largest_magnitude(nodes, values, out).tolist() == 10.0


def test_what_is_compared_with_a_large_number_is_not_large():
    chosen = at.switch(1e154 - x > 0, x + 1, -x)
    nodes, values, out = evaluated(chosen, x=[3.0])
    assert largest_magnitude(nodes, values, out).tolist() == [4.0]


def test_what_is_given_and_not_rounded_does_not_count():
    nodes, values, out = evaluated(at.tanh(-x), x=[1e300])
    assert largest_magnitude(nodes, values, out).tolist() == [1.0]
    nodes, values, out = evaluated(x + y + at.exp(x), x=[1.0], y=[-1e300])
    assert largest_magnitude(nodes, values, out).tolist() == [1e300]


def test_what_a_function_has_made_small_does_not_count():
    # one unit in the last place of 1e300 would excuse any angle
    nodes, values, out = evaluated(at.arctan(x + y) - at.arctan(x), x=[1.0], y=[1e300])
    assert largest_magnitude(nodes, values, out).tolist() == [np.pi / 2]
    nodes, values, out = evaluated(at.sigmoid(x - y), x=[1.0], y=[31.0])
    assert largest_magnitude(nodes, values, out)[0] < 1e-12


def test_a_product_of_several_factors_may_underflow_on_the_way():
    nodes, values, out = evaluated(at.mul(x, y, 1e300), x=[1e-300], y=[1e-30])
    (error,) = rounding_error_bound(nodes, values, out, True, EPS)
    assert error > 1e-30
    nodes, values, out = evaluated(at.mul(x / y, 0.25, y), x=[1e-300], y=[1e300])
    (error,) = rounding_error_bound(nodes, values, out, True, EPS)
    assert error > 1e-300
    nodes, values, out = evaluated(at.mul(x, y, 1e300), x=[1e-300], y=[1.0])
    (error,) = rounding_error_bound(nodes, values, out, True, EPS)
    assert error < 1e-14


def test_a_sigmoid_is_zero_where_an_exponential_overflows():
    nodes, values, out = evaluated(at.sigmoid(x), x=[-710.0])
    assert values[out].tolist() == [0.0]
    (error,) = rounding_error_bound(nodes, values, out, True, EPS)
    assert 4e-309 < error < 3e-308


def test_errors_propagate_as_far_as_they_move_results():
    nodes, values, out = evaluated(at.exp(at.log(x)), x=[1e300])
    (error,) = rounding_error_bound(nodes, values, out, False, 1.0)
    assert 300 * EPS < error / 1e300 < 3000 * EPS
    nodes, values, out = evaluated(x + 1, x=[1.0])
    assert rounding_error_bound(nodes, values, out, False, 1.0).tolist() == [2 * EPS]
    nodes, values, out = evaluated(x * y / y, x=[1e-200], y=[1e-200])
    assert rounding_error_bound(nodes, values, out, True, 1.0)[0] > 1e-200
    assert rounding_error_bound(nodes, values, out, False, 1.0)[0] < 1e-200


def test_a_zero_that_has_not_underflowed_is_right():
    nodes, values, out = evaluated(1 / at.sinh(x), x=[-0.0])
    assert rounding_error_bound(nodes, values, out, True, 1.0) < 1e-300
    nodes, values, out = evaluated(1 / at.exp(x), x=[-1000.0])
    assert rounding_error_bound(nodes, values, out, True, 1.0) == np.inf


def test_a_new_side_is_not_excused_by_leaving_a_domain_or_by_the_other_branch():
    for made in (at.arccos(x * y), at.switch(x * y < 1, 0.0, 9.0)):
        nodes, values, out = evaluated(made, x=[1.0], y=[1.0])
        assert rounding_error_bound(nodes, values, out, True, 1.0) > 5
        assert rounding_error_bound(nodes, values, out, True, 1.0, strict=True) < 1e-7


def test_partial_results_are_rounded_too():
    nodes, values, out = evaluated(at.sum(x) * 1e6, x=[1e10, 1.0, -1e10])
    assert rounding_error_bound(nodes, values, out, False, 1.0) >= 1e16 * EPS
    nodes, values, out = evaluated(at.prod(x), x=[3.0] * 20)
    assert rounding_error_bound(nodes, values, out, False, 1.0) >= 20 * 3.0**20 * EPS


def test_a_determinant_is_rounded_as_the_exponential_of_its_logarithm():
    found = size_of_logarithms(np.array([[np.e**20, 0.0], [0.0, np.e**-20]]))
    np.testing.assert_allclose(found, 40.0)


def test_one_of_several_outputs_is_compared_with_itself():
    m = at.dmatrix("m")
    _sign, size = at.linalg.slogdet(m * 3)
    pair = RewritePair([m], size, size, [m])
    values = pair.run([np.array([[1e9, 0.0], [0.0, 1e9]])])
    assert rounding_error_bound(pair.nodes_of(size), values, size, False, 1.0) < 1e-10


def test_a_sum_of_three_is_rounded_as_its_partial_sums():
    nodes, values, out = evaluated(at.add(x, y, 3.0), x=[1e19], y=[-1e19])
    assert rounding_error_bound(nodes, values, out, False, 1.0) >= 1e19 * EPS


def test_what_may_be_a_pole_has_no_bound_but_is_no_excuse_for_a_new_side():
    noise = at.add(x, y, 3.0)
    for made in (1 / noise, at.reciprocal(noise), noise**-2.0):
        nodes, values, out = evaluated(made, x=[1e19], y=[-1e19])
        assert rounding_error_bound(nodes, values, out, False, 1.0) == np.inf
        assert rounding_error_bound(nodes, values, out, False, 1.0, strict=True) < np.inf
    nodes, values, out = evaluated(noise**2.0, x=[1e19], y=[-1e19])
    assert rounding_error_bound(nodes, values, out, False, 1.0) < np.inf


def test_what_has_no_error_keeps_the_sign_of_its_zero():
    nodes, values, out = evaluated(1 / at.sinh(x), x=[-0.0, 1.0])
    assert rounding_error_bound(nodes, values, out, True, 1.0)[0] < 1e-300


def test_zero_times_a_magnitude_that_overflows_is_zero():
    x, rows, y = at.zmatrix("x"), at.zmatrix("rows"), at.zvector("y")
    product = at.dot(at.dot(x, rows), y)
    pair = RewritePair([x, rows, y], product, product, [x, rows, y])
    # their product is finite, and that of their absolute values is not
    factor, most = complex(1, 1e-3), float(np.finfo("float64").max)
    given = [np.array([[factor]]), np.array([[most, 1]], complex)]
    nodes = pair.nodes_of(product)
    values = pair.run([*given, np.array([0, 1j])])
    assert largest_magnitude(nodes, values, product).tolist() == [abs(factor)]
    (error,) = rounding_error_bound(nodes, values, product, True, EPS)
    assert EPS / 2 < error < 10 * EPS
    values = pair.run([*given, np.array([0.25j, 1j])])
    assert rounding_error_bound(nodes, values, product, True, EPS) == np.inf


def test_a_matrix_that_is_singular_but_for_rounding():
    def lost(matrix: list[list[float]]) -> bool:
        given = at.dmatrix()
        pair = RewritePair([given], inv(given), inv(given), ())
        return is_rounding_alone(pair.nodes_of(pair.old), pair.run([np.array(matrix)]), pair.old)

    assert lost([[1.0, 1.0], [1.0, 1.0 + EPS]])
    assert not lost([[1.0, 1.0], [1.0, 1.0 + 1e-9]])
    assert not lost([[2.0, 0.0], [0.0, 1e-9]])
    assert not lost([[1e308, 0.0], [0.0, 1.7e308]]), "near the end of the range nothing warns"
