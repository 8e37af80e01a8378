"""Points at which a law takes each of its branches."""

from __future__ import annotations

from random import Random

import relgraph.tensor as at
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing import check_relation
from relgraph.testing.draw.arrays import LAYOUTS
from relgraph.testing.instances.edge_values import at_points, points_by_branch, random_values
from relgraph.testing.instances.input_values import decode_values
from relgraph.testing.instances.instance import direction_of
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.testing.instances.plan import InstancePlanner
from tests.testing.mutants.spoiled import Spoiled

x, y = lvars("x y")
SIZE = law(
    "size",
    at.sqrt(at.sqr(x)) + 0 * y,
    at.switch(x < 20, at.abs(x), at.maximum(x, -x)),
    sound="finite",
)


def searched(found):
    """Return a search for instances of a law, which has found some."""
    direction = direction_of(found, "forward")
    search = InstanceSearch(direction, direction.rules[0], Random(0))
    search.find(20)
    return search


def branching():
    return InstancePlanner([searched(SIZE)], 8).run().branching


def test_there_is_a_graph_of_each_float_in_each_rank():
    found = branching()
    assert [b.long.inputs[0].var.type.dtype for b in found] == ["float16", "float32", "float64"]
    for b in found:
        shapes = [{spec.shape for spec in v.inputs} for v in (b.long, *b.others)]
        assert shapes == [{(700,)}, {()}, {(8, 8)}]


def test_each_branch_has_points_which_are_tried_as_numbers_and_in_all_layouts():
    found = branching()[-1]
    values = list(random_values(found.long.inputs, Random(0), 2))
    points = points_by_branch(found.long, values)
    numbers, matrices = (
        [decode_values(data, v.inputs)[0] for data in at_points(points, v.inputs)]
        for v in found.others
    )
    assert min(numbers) < 20 <= max(numbers)
    assert len(matrices) == len(points) * len(set(LAYOUTS))
    assert any(m.flags.f_contiguous for m in matrices)
    assert any(m.strides[0] < 0 for m in matrices)
    assert {float(n) for n in numbers} == {float(n) for m in matrices for n in m.ravel()}


def test_a_wrong_threshold_is_found_in_one_rank_or_layout_alone():
    size = at.sqrt(at.sqr(x) + at.sqr(y))
    for where in ("rank 0", "fortran order"):
        small = at.abs(Spoiled(where)(x)) < 5.5
        wrong = at.switch(at.abs(x) < 5.5, size, at.switch(small, -size, size))
        assert check_relation(law("size", size, wrong, sound="stable")).status == "failed", where
