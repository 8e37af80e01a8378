"""What is known of the elements of constants."""

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.lawkit import guards as constants

x, n = at.dvector("x"), at.lscalar("n")


def test_constants_are_seen_through_broadcasting():
    c = at.constant(2.0).dimshuffle("x", "x")
    assert constants.is_constant(c) and constants.is_uniform(c)
    assert constants.constant_data(c) == 2.0 and constants.constant_data(x) is None
    assert constants.constant_number(c) == 2.0
    assert constants.constant_number(at.constant([1.0, 2.0])) is None
    assert np.isnan(constants.constant_number(at.constant([np.nan, np.nan])))
    assert constants.constant_number("no variable") is None


def test_zeros_of_both_signs_are_no_one_number():
    assert constants.constant_number(at.constant([0.0, -0.0])) is None


def test_what_all_elements_are():
    assert constants.is_true_everywhere(at.constant([1, 2]))
    assert constants.is_true_everywhere(at.second(x, True))
    assert not constants.is_true_everywhere(at.constant([1, 0]))
    assert not constants.is_true_everywhere(n)
    assert constants.is_zero_everywhere(at.constant([0.0, -0.0]))
    assert not constants.is_zero_everywhere(at.constant([1, 0]))
    assert constants.is_one_everywhere(at.constant([True, True]))
    assert not constants.is_one_everywhere(at.constant([1, 2]))
    assert not constants.is_one_everywhere(at.constant(np.zeros(0)))
