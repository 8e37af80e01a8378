"""Numbers close to where a law decides otherwise."""

from __future__ import annotations

from random import Random

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing.instances.edge_values import near_boundaries, neighbours, random_values
from relgraph.testing.instances.input_values import decode_values
from relgraph.testing.instances.plan import InstancePlanner
from tests.testing.plan.test_branch_points import searched

x, y = lvars("x y")


def values_near(right):
    found = law("t", at.sqrt(at.sqr(x)) + 0 * y, right, sound="domain")
    long = InstancePlanner([searched(found)], 8).run().branching[-1].long
    values = list(random_values(long.inputs, Random(0), 2))
    near = near_boundaries(long, values, Random(0))
    return [decode_values(data, instance.inputs) for instance, data in near]


def test_they_lie_on_both_sides_of_a_threshold():
    by_distance, by_floats = values_near(at.switch(x < y, at.abs(x), 0))
    for a, b in (by_distance, by_floats):
        beyond = a - b
        assert min(np.sum(beyond < 0), np.sum(beyond > 0)) > 30
        assert np.mean(np.abs(beyond) < 0.1 * (np.abs(a) + np.abs(b))) > 0.5


def test_they_are_of_every_size():
    # from 1e300 the middle is never 1e-9
    _, (a, _) = values_near(at.switch(at.abs(x) < 1e-9, at.abs(x), 0))
    assert np.mean(np.abs(np.log10(np.abs(a)) + 9) < 1) > 0.3


def test_there_are_none_where_nothing_is_decided():
    assert values_near(at.switch(at.eq(at.isnan(x), at.neq(x, x)), at.abs(x), 0)) == []


def test_truth_values_have_no_neighbours():
    either = law("t", x | y, y | x)
    (truths,) = [i for i in searched(either).instances if {t.dtype for t in i.types} == {"bool"}][
        :1
    ]
    assert neighbours(truths, Random(0)) is None


def test_numbers_whose_squares_are_the_greatest_have_neighbours_too():
    apart = law("t", x - y, x + -y)
    (long, *_) = InstancePlanner([searched(apart)], 8).run().meeting
    instance, data = neighbours(long, Random(0))
    a, b = decode_values(data, instance.inputs)
    root = np.sqrt(np.finfo(a.dtype).max)
    assert any(
        np.any((u == root) & (np.abs(v) < root) & (v < -0.9 * root)) for u, v in ((a, b), (b, a))
    )


def test_edge_values_stand_beside_their_neighbours():
    apart = law("t", x - y, x + -y)
    (long, *_) = InstancePlanner([searched(apart)], 8).run().meeting
    instance, data = neighbours(long, Random(0))
    a, b = decode_values(data, instance.inputs)
    largest = np.finfo(a.dtype).max
    near = np.nextafter(largest, a.dtype.type(0))
    assert np.any(((a == largest) & (b == near)) | ((b == largest) & (a == near)))
    assert np.any((a == -b) & np.isfinite(a) & (a != 0))
    assert any(np.any((u == 1) & (v > 0.99) & (v < 1)) for u, v in ((a, b), (b, a)))
