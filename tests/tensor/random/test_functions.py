"""Elements in random order, and chosen at random; draws in laws."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.tensor.random import functions
from relgraph.tensor.random.type import random_generator_type

MATRIX = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("size", [None, (), 3, (2, 2), (0,)])
@pytest.mark.parametrize("p", [None, [0.1, 0.2, 0.3, 0.4]])
def test_choice(as_numpy, size, p):
    for a, axis in [(4, 0), (MATRIX[:, 0], 0), (MATRIX, 0), (MATRIX.T, 1), (MATRIX.T, -1)]:
        for replace in (True, False):
            options = {"replace": replace, "p": p, "axis": axis}
            as_numpy(
                lambda rng, a=a, o=options: functions.choice(rng, a, size, **o),
                lambda g, a=a, o=options: g.choice(a, size, **o),
            )


def test_choice_without_shuffling(as_numpy):
    as_numpy(
        lambda rng: functions.choice(rng, 100, 30, False, shuffle=False),
        lambda g: g.choice(100, 30, False, shuffle=False),
    )


def test_permutation(as_numpy):
    as_numpy(lambda rng: functions.permutation(rng, 7), lambda g: g.permutation(7))
    as_numpy(lambda rng: functions.permutation(rng, 0), lambda g: g.permutation(0))
    as_numpy(lambda rng: functions.permutation(rng, -2), lambda g: g.permutation(-2))
    for x, axis in [(MATRIX[:, 0], 0), (MATRIX, 0), (MATRIX, 1), (MATRIX, -1), (MATRIX[:0], 0)]:
        as_numpy(
            lambda rng, x=x, axis=axis: functions.permutation(rng, x, axis),
            lambda g, x=x, axis=axis: g.permutation(x, axis),
        )


def test_shuffle(as_numpy):
    def shuffled(g, x, axis):
        x = x.copy()
        g.shuffle(x, axis)
        return x

    for x, axis in [(MATRIX[:, 0], 0), (MATRIX, 0), (MATRIX, 1)]:
        as_numpy(
            lambda rng, x=x, axis=axis: functions.shuffle(rng, x, axis),
            lambda g, x=x, axis=axis: shuffled(g, x, axis),
        )


def test_permuted(as_numpy):
    for x in (MATRIX[:, 0], MATRIX, MATRIX.reshape(2, 2, 3), MATRIX.astype("int8"), MATRIX[:0]):
        for axis in (None, *range(x.ndim), -1):
            as_numpy(
                lambda rng, x=x, axis=axis: functions.permuted(rng, x, axis),
                lambda g, x=x, axis=axis: g.permuted(x, axis=axis),
            )


def test_lengths_that_are_not_known(as_numpy):
    x, n = at.dmatrix("x"), at.lscalar("n")
    givens = {x: MATRIX, n: np.array(5)}
    as_numpy(lambda rng: functions.permutation(rng, n), lambda g: g.permutation(5), givens)
    as_numpy(
        lambda rng: functions.choice(rng, x, (n, 2), axis=1),
        lambda g: g.choice(MATRIX, (5, 2), axis=1),
        givens,
    )
    as_numpy(
        lambda rng: functions.permuted(rng, x, 1), lambda g: g.permuted(MATRIX, axis=1), givens
    )


def test_what_has_no_order(drawn):
    with pytest.raises(TypeError, match=r"shuffle: .* is of rank 0"):
        drawn(lambda rng: functions.shuffle(rng, 3))
    with pytest.raises(TypeError, match=r"permutation: n is a .*float64.*, and an integer"):
        drawn(lambda rng: functions.permutation(rng, 2.5))
    with pytest.raises(ValueError, match="a and p must have same size"):
        drawn(lambda rng: functions.choice(rng, 5, p=[0.5, 0.5]))
    with pytest.raises(ValueError, match="larger sample than population"):
        drawn(lambda rng: functions.choice(rng, 5, 6, replace=False))
    with pytest.raises(ValueError, match=r"choice: p is a .*, and has 1 axes too many"):
        drawn(lambda rng: functions.choice(rng, 2, p=[[0.5, 0.5]]))


def test_a_law_about_a_draw():
    rng, scale = lvars("rng scale")
    _, x = functions.exponential(rng, scale)
    positive = law("absolute-value-of-exponential", at.abs(x), x)
    generator, s = random_generator_type("rng"), at.dvector("s")
    next_rng, draw = functions.exponential(generator, s)
    graph = FunctionGraph([generator, s], [at.abs(draw), at.abs(s), next_rng], clone=False)
    EquilibriumOptimizer([positive.forward]).optimize(graph)
    # the right side is a draw from the same generator: another call, the same numbers
    assert graph.outputs[0].owner.op is draw.owner.op
    assert graph.outputs[0].owner.inputs == draw.owner.inputs
    assert graph.outputs[1].owner.op == at.abs(s).owner.op
    assert graph.outputs[2] is next_rng
