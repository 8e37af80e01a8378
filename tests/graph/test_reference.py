"""The reference meaning of a graph."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.reference import evaluate, output_shapes, performed, performed_on_copies
from relgraph.graph.utils import MissingInputError
from relgraph.tensor.elemwise import Elemwise


def test_values():
    x = at.dvector("x")
    y = at.exp(x)
    a = np.array([0.0, 1.0])
    found = evaluate([y + 1, x, at.constant(3.0)], {x: a})
    np.testing.assert_array_equal(found[0], np.exp(a) + 1)
    assert found[1] is a
    assert found[2] == 3.0


def test_a_given_variable_is_not_computed():
    x = at.dvector("x")
    y = at.exp(x)
    (found,) = evaluate([y * 2], {y: np.array([5.0])})
    np.testing.assert_array_equal(found, [10])


def test_values_pass_the_filter():
    x = at.dvector("x")
    np.testing.assert_array_equal(evaluate([-x], {x: [1, 2]})[0], [-1, -2])
    with pytest.raises(TypeError):
        evaluate([-x], {x: np.ones((2, 2))})


def test_a_missing_value_is_named():
    x = at.dvector("x")
    with pytest.raises(MissingInputError, match=r"no value was given for x .*, which exp needs"):
        evaluate([at.exp(x)])


def test_a_cycle_is_refused():
    x = at.dvector("x")
    y = at.exp(x)
    y.owner.inputs[0] = -y
    with pytest.raises(ValueError, match="the graph contains a cycle through"):
        evaluate([y])


def test_what_destroys_is_refused():
    x = at.dvector("x")
    inplace = Elemwise(at.neg.scalar_op, {0: 0})
    with pytest.raises(ValueError, match="destroys an input"):
        evaluate([inplace(x)], {x: np.ones(2)})


def test_a_node_is_performed_on_copies_of_what_it_destroys():
    x = at.dvector("x")
    node = Elemwise(scalar.neg, {0: 0}).make_node(x)
    given = np.array([1.0, 2.0])
    (found,) = performed_on_copies(node, [given])
    assert found.tolist() == [-1, -2] and given.tolist() == [1, 2]
    assert performed(node, [given])[0] is given


def test_output_shapes_need_the_values_they_depend_on():
    n, x = at.lscalar("n"), at.dvector("x")
    node = at.alloc(x, n, 3).owner
    assert output_shapes(node, [(3,), (), ()], {node.inputs[1]: np.asarray(2)}) == [(2, 3)]
    with pytest.raises(MissingInputError):
        output_shapes(node, [(3,), (), ()], {})
    assert output_shapes(at.zeros((2, 3)).owner, [(), (), ()], {}) == [(2, 3)]
