"""What the families promise: about as many nodes as asked for, and a gradient."""

import pytest

import relgraph.tensor as at
from relgraph import grad
from relgraph.graph.basic import applys_between
from tests.families import FAMILIES, value_and_gradient

EVERY = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


@EVERY
def test_they_grow_with_the_number_of_nodes_asked_for(family):
    small, large = (
        len(list(applys_between(inputs, [out])))
        for inputs, out in (family.build(at, 300), family.build(at, 3_000))
    )
    assert 100 <= small <= 1_000
    assert 5 <= large / small <= 20


@EVERY
def test_gradients_grow_with_the_graph(family):
    small, large = (
        len(list(applys_between([], value_and_gradient(family, at, grad, size))))
        for size in (300, 3_000)
    )
    assert 5 <= large / small <= 20
