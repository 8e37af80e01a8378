"""Values of inputs by plan."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np

import relgraph.tensor as at
from relgraph.testing.instances.edge_values import decoded as parts_of
from relgraph.testing.instances.edge_values import (
    edges_meeting,
    encoded,
    layouts,
    meetings,
    one_edge,
    random_values,
    two_edges,
)
from relgraph.testing.instances.input_values import InputSpec, decode_values

HALVES = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, -0.5, -1.0, -1.5, -2.0, -3.0}


def decoded(sets, inputs):
    return [decode_values(data, inputs) for data in sets]


def test_all_pairs_of_simple_numbers_meet():
    inputs = [InputSpec(at.dvector(), (20,)), InputSpec(at.dvector(), (20,))]
    sets = decoded(meetings(inputs, Random(0), 40), inputs)
    met = {pair for xs, ys in sets for pair in zip(xs.tolist(), ys.tolist(), strict=True)}
    assert met == set(product(HALVES, HALVES))
    assert len(list(meetings(inputs, Random(0), 2))) == 2


def test_of_many_inputs_some_meetings_are_drawn():
    inputs = [InputSpec(at.dvector(), (5,)) for _ in range(14)]
    sets = decoded(meetings(inputs, Random(0), 3), inputs)
    assert len(sets) == 3 and {len(xs) for xs in sets} == {14}
    assert {x for xs in sets for x in np.concatenate(xs)} <= set(HALVES)


def test_nothing_meets_where_one_input_has_the_values_it_needs():
    restricted = InputSpec(at.lscalar(), (), allowed=(1, 2))
    assert not list(meetings([InputSpec(at.dvector(), (5,)), restricted], Random(0), 9))
    assert not list(meetings([InputSpec(at.dvector(), (5,))], Random(0), 9))


def test_random_values_are_ordinary_but_in_every_other_set():
    inputs = [InputSpec(at.dvector(), (500,))]
    sets = [values for (values,) in decoded(random_values(inputs, Random(0), 4), inputs)]
    assert [bool(np.abs(v).max() <= 8) for v in sets] == [True, False, True, False]


def test_parts_are_read_back():
    inputs = [InputSpec(at.dvector(), (3,)), InputSpec(at.dscalar(), ())]
    parts = [(4, [1, 2, 3]), (0, [255])]
    assert [(at, list(part)) for at, part in parts_of(encoded(1, parts), inputs)] == parts


def test_each_two_edge_values_meet_in_each_two_inputs():
    inputs = [InputSpec(at.dvector(), (700,)) for _ in range(3)]
    sets = decoded(edges_meeting(inputs, Random(0), 4), inputs)
    largest, least = np.finfo("float64").max, np.finfo("float64").smallest_subnormal
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for a, b in ((np.inf, least), (largest, least), (largest, 1.0), (-np.inf, np.inf)):
            assert any(np.any((v[i] == a) & (v[j] == b)) for v in sets)


def test_one_edge_value_stands_among_others_or_on_a_diagonal():
    inputs = [InputSpec(at.dmatrix(), (3, 3)), InputSpec(at.dvector(), (0,))]
    sets = [m for m, _ in decoded(one_edge(inputs, Random(0)), inputs)]
    beside_one = [m for m in sets if np.array_equal(m[1:], np.eye(3)[1:])]
    assert any(np.isposinf(m[0, 0]) for m in beside_one)
    assert len(beside_one) < len(sets)
    assert all(np.sum(~np.isfinite(m)) <= 1 for m in sets)


def test_an_infinity_of_one_input_stands_beside_one_of_the_other():
    inputs = [InputSpec(at.dmatrix(), (3, 3)), InputSpec(at.dvector(), (1,))]
    sets = decoded(two_edges(inputs, Random(0)), inputs)
    for a, b in product((np.inf, -np.inf, 0.0), repeat=2):
        assert any(np.sum(m == a) == 1 and v[0] == b for m, v in sets)
    assert all(np.sum(~np.isfinite(m)) <= 1 for m, _ in sets)
    assert not list(two_edges([inputs[0], InputSpec(at.dvector(), (0,))], Random(0)))


def test_numbers_in_other_layouts_are_positive_where_that_is_asked_for():
    inputs = [InputSpec(at.dmatrix(), (4, 3))]
    for positive in (False, True):
        sets = [m for (m,) in decoded(layouts(inputs, Random(0), 9, positive), inputs)]
        assert all(np.all(m > 0) for m in sets) is positive
