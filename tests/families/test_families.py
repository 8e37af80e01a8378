"""What the families promise: about as many nodes as asked for, and a gradient."""

import pytest

import relgraph.tensor as at
from relgraph import grad
from relgraph.graph.basic import applys_between
from tests.families import FAMILIES, value_and_gradient
from tests.seeds import sampled

EVERY = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


@EVERY
def test_they_grow_with_the_number_of_nodes_asked_for(family):
    small, large = (
        len(list(applys_between(inputs, [out])))
        for inputs, out in (family.build(at, 300), family.build(at, 3_000))
    )
    assert 100 <= small <= 1_000
    assert 5 <= large / small <= 20


@pytest.mark.parametrize("name", sampled(FAMILIES, 8, "gradients of families"))
def test_gradients_grow_with_the_graph(name):
    small, large = (
        len(list(applys_between([], value_and_gradient(FAMILIES[name], at, grad, size))))
        for size in (300, 3_000)
    )
    assert 5 <= large / small <= 20
