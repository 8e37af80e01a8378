"""Counterexamples have the fewest elements, and then the simplest numbers."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.basic import Constant
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.tensor.elemwise import Elemwise

x, y, z = lvars("x, y, z")
SIMPLE = {0, 1, -1, 2, -2, 0.5, -0.5, 3}

# what is wrong, the class that it claims, and how many numbers it takes to see that
WRONG = [
    (law("difference", x - y, y - x, sound="rounding"), 2),
    (law("exponential", at.exp(x + y), at.exp(x) * at.exp(y), sound="exact"), 2),
    (law("logarithm", at.log(x * y), at.log(x) + at.log(y), sound="rounding"), 2),
    (law("root", at.sqrt(at.sqr(x)), x, sound="rounding"), 1),
    (law("quotient", x / y * y, x, sound="rounding"), 2),
    (law("constants", x * 3 + y * 3, (x + y) * 2, sound="rounding"), 2),
    (law("deep", at.tanh(at.exp(x) + y), at.tanh(y), sound="rounding"), 2),
    (law("axes", at.sum(x, axis=0), at.sum(x, axis=1), sound="rounding"), 2),
    (law("largest", at.sum(at.maximum(x, y)), at.maximum(at.sum(x), at.sum(y)), sound="finite"), 4),
    (law("product", at.dot(x, y), at.dot(y, x), sound="rounding"), 6),
    (law("choice", at.switch(x > y, x, z), at.switch(x < y, z, x), sound="rounding"), 3),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("wrong", "most"), WRONG, ids=[one.name for one, _ in WRONG])
def test_they_are_small(wrong, most, seed):
    found = wrong.check(seed=seed).counterexample
    constants = [v for v in graph_inputs([found.old]) if isinstance(v, Constant)]
    numbers = np.concatenate([np.ravel(v) for v in (*found.values, *(c.data for c in constants))])
    assert sum(map(np.size, found.values)) <= most
    assert set(numbers.tolist()) <= SIMPLE
    elementwise = all(isinstance(node.op, Elemwise) for node in io_toposort([], [found.old]))
    assert not elementwise or not any(v.type.ndim for v in found.inputs)


def test_a_number_among_many_is_found_alone():
    """What is wrong for edge values alone fails on long vectors of them."""
    found = law("rare", at.maximum(x, -1000.0), x, sound="finite").check().counterexample
    assert sum(map(np.size, found.values)) == 1


def test_both_sides_are_told_apart():
    found = law("exponential", at.exp(x + y), at.exp(x) * at.exp(y), sound="exact").check()
    lines = str(found).splitlines()
    before, after = (line.partition(": ")[2].strip() for line in lines[-2:])
    assert before != after


def test_what_is_not_to_be_shrunk_is_not():
    wrong = law("root", at.sqrt(at.sqr(x)), x, sound="rounding")
    assert wrong.check(shrink=False).counterexample is not None
