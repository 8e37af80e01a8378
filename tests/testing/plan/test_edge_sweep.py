"""Values of inputs by plan."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np

import relgraph.tensor as at
from relgraph.testing.instances.input_values import InputSpec, decode_values
from relgraph.testing.plan.edge_sweep import decoded as parts_of
from relgraph.testing.plan.edge_sweep import encoded, meetings, random_values

HALVES = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, -0.5, -1.0, -1.5, -2.0, -3.0}


def decoded(sets, inputs):
    return [decode_values(data, inputs) for data in sets]


def test_all_pairs_of_simple_numbers_meet():
    inputs = [InputSpec(at.dvector(), (20,)), InputSpec(at.dvector(), (20,))]
    sets = decoded(meetings(inputs, Random(0), 40), inputs)
    met = {pair for xs, ys in sets for pair in zip(xs.tolist(), ys.tolist(), strict=True)}
    assert met == set(product(HALVES, HALVES))
    assert len(list(meetings(inputs, Random(0), 2))) == 2


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
