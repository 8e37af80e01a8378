"""Elements repeated or moved along an axis."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.along_axes import flip, repeat, roll, tile


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("times", [0, 1, 3])
def test_repeat(against_numpy, axis, times):
    x = np.array([[1.0, 2, 3], [4, 5, 6]])
    n = np.array(times)
    against_numpy(lambda v, n: repeat(v, n, axis), lambda v, n: np.repeat(v, n, axis), x, n)
    if times:
        against_numpy(lambda v: repeat(v, times, axis), lambda v: np.repeat(v, times, axis), x)
        verify_grad(lambda v: repeat(v, times, axis), [x])


def test_elements_are_repeated_at_least_0_times():
    with pytest.raises(ValueError, match="repeat: -1 times"):
        repeat(at.dvector(), -1)


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("reps", [2, (2, 1), (2, 1, 3), (0, 2), ()])
def test_tiles(against_numpy, reps):
    against_numpy(lambda v: tile(v, reps), lambda v: np.tile(v, reps), X)


def test_tiles_are_counted_from_0():
    with pytest.raises(ValueError, match="-1 times"):
        tile(at.dvector("v"), -1)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_flips(against_numpy, axis):
    against_numpy(lambda v: flip(v, axis), lambda v: np.flip(v, axis), X)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shift", [0, 1, -1, 7])
def test_rolls(against_numpy, shift, axis):
    against_numpy(lambda v: roll(v, shift, axis), lambda v: np.roll(v, shift, axis), X)
    verify_grad(lambda v: at.tanh(roll(v, shift, axis)), [X])


def test_rolls_of_what_is_empty_and_by_a_variable():
    empty, n = at.TensorType("float64", (0, None))("empty"), at.lscalar("n")
    assert roll(empty, 1, 0) is empty
    v = at.dvector("v")
    for values in (np.arange(4.0), np.zeros(0)):
        (found,) = evaluate([roll(v, n, 0)], {v: values, n: np.array(-5)})
        np.testing.assert_array_equal(found, np.roll(values, -5))


def test_tiles_as_often_as_a_variable_says():
    n, m, v, x = at.lscalar("n"), at.lscalar("m"), at.dvector("v"), at.dmatrix("x")
    reps = at.TensorType("int64", (2,))("reps")
    for a, b in ((0, 2), (1, 1), (3, 2)):
        values = {n: a, m: b, v: np.arange(4.0), x: X, reps: np.array([b, a])}
        for built, expected in (
            (tile(v, n), np.tile(np.arange(4.0), a)),
            (tile(v, (m, n)), np.tile(np.arange(4.0), (b, a))),
            (tile(x, n), np.tile(X, a)),
            (tile(x, (n, 2)), np.tile(X, (a, 2))),
            (tile(v, reps), np.tile(np.arange(4.0), (b, a))),
            (tile(v, np.array([2, 3])), np.tile(np.arange(4.0), (2, 3))),
        ):
            found, shape = evaluate([built, at.shape(built)], values)
            np.testing.assert_array_equal(found, expected)
            assert tuple(shape) == expected.shape
    assert evaluate([tile(v, n)], {n: 2, v: np.zeros(0)})[0].shape == (0,)
