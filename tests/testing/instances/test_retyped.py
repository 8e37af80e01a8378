"""Graphs built anew over other inputs and constants."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Constant
from relgraph.graph.kanren import whereo
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.guards import is_constant
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing.instances.input_values import InputSpec
from relgraph.testing.instances.instance import CannotInstantiate, InstantiatedPattern
from relgraph.testing.instances.instance_search import reshaped, with_axes, with_length, with_number
from relgraph.testing.instances.plan import InstancePlanner
from tests.testing.plan.test_branch_points import searched

x, c = lvars("x c")


def pattern(root, *leaves):
    (spec,) = [InputSpec(v, (2,)) for v in leaves if not isinstance(v, Constant)]
    return InstantiatedPattern(root, [spec], list(leaves), {}, list(leaves))


def test_numbers_and_arrays_follow_the_shape_of_the_inputs():
    v = at.dvector("v")
    ones, several = at.constant(np.ones(2)), at.constant(np.array([3.0, 4.0]))
    graph = pattern((v + ones) * several, v, ones, several)
    for shape in ((), (5,), (4, 3)):
        made = reshaped(graph, shape)
        (found,) = evaluate([made.root], {made.inputs[0].var: np.ones(shape)})
        assert found.shape == made.inputs[0].shape == shape
        assert set(np.ravel(found)) <= {6.0, 8.0}


def test_what_is_made_of_numbers_alone_stands_beside_vectors_as_it_is():
    v, three, four = at.dscalar("v"), at.constant(3.0), at.constant(4.0)
    graph = pattern(three / four - v, v, three, four)
    written = law("t", c / 4 - x, c / 4 + -x, whereo(is_constant, c))
    assert not written.forward.transform(None, reshaped(graph, (5,)).root.owner)
    made = reshaped(graph, (5,), with_axes)
    assert written.forward.transform(None, made.root.owner)
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones(5)})
    np.testing.assert_array_equal(found, np.full(5, -0.25))


def test_what_is_not_elementwise_keeps_its_shape():
    v = at.dvector("v")
    with pytest.raises(CannotInstantiate, match="is not elementwise"):
        reshaped(pattern(at.cumsum(v), v), (5,))


def test_another_number_stands_in_all_places_of_a_constant():
    v, several = at.dvector("v"), at.constant(np.array([3.0, 4.0]))
    made = with_number(pattern(v + several, v, several), several, -np.inf)
    assert np.array_equal(made.leaves[1].data, [-np.inf] * 2)
    assert made.root.owner.inputs[1] is made.leaves[1]


def test_another_number_stands_where_a_number_is_broadcast_too():
    v, two = at.dvector("v"), at.constant(2.0)
    made = with_number(pattern(v * two, v, two), two, 7.0)
    assert evaluate([made.root], {v: np.ones(2)})[0].tolist() == [7.0, 7.0]


def test_axes_of_one_length_lose_their_elements():
    v, scale = at.dmatrix("v"), at.constant(np.ones((3, 1)))
    graph = InstantiatedPattern(v * scale, [InputSpec(v, (3, 2))], [v, scale], {c: v}, [v, scale])
    made = with_length(graph, 3, 0)
    assert [spec.shape for spec in made.inputs] == [(0, 2)]
    assert made.bindings[c].type.ndim == 2
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones((0, 2))})
    assert found.shape == (0, 2)
    assert with_length(graph, 2, 0).inputs[0].shape == (3, 0)


def test_arrays_of_a_number_are_what_is_asked_for():
    v = at.dvector("v")
    made = reshaped(pattern(v * 2.0, v), (3, 2), lambda n, s: at.constant(np.full(s, n, order="F")))
    assert made.root.owner.inputs[1].data.flags.f_contiguous
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones((3, 2))})
    assert found.tolist() == [[2.0] * 2] * 3


def test_what_stands_for_constants_only_has_each_edge_value():
    scaled = law("scaled", at.max(x * c), at.max(x) * c, whereo(is_constant, c), sound="domain")
    numbered = InstancePlanner([searched(scaled)], 8).run().numbered
    found = {float(v.graph.bindings[c].data.flat[0]) for v in numbered}
    assert {np.inf, -np.inf, 0.0, np.finfo("float64").max} <= found
    assert any(np.isnan(f) for f in found)
    free = law("free", at.max(x * c), at.max(x) * c, sound="domain")
    assert not InstancePlanner([searched(free)], 8).run().numbered
