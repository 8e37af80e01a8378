"""Putting tensors side by side, and taking them apart."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.assembly import Join


def count(*shape):
    return np.arange(np.prod(shape), dtype="float64").reshape(shape)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_join(against_numpy, axis):
    xs = [count(2, 3), count(2, 3) + 1, count(2, 3) + 2]
    against_numpy(lambda *v: at.join(axis, *v), lambda *v: np.concatenate(v, axis), *xs)
    against_numpy(lambda *v: at.concatenate(v, axis), lambda *v: np.concatenate(v, axis), *xs)
    verify_grad(lambda *v: at.join(axis, *v), xs)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack(against_numpy, axis):
    xs = [count(2, 3), count(2, 3) + 1]
    against_numpy(lambda *v: at.stack(v, axis), lambda *v: np.stack(v, axis), *xs)
    verify_grad(lambda *v: at.stack(v, axis), xs)


def test_stack_of_scalars(against_numpy):
    xs = [np.array(1.0), np.array(2, "int8")]
    against_numpy(lambda *v: at.stack(v), lambda *v: np.stack(v), *xs)
    verify_grad(lambda *v: at.stack(v), [np.array(1.0), np.array(2.0)])
    with pytest.raises(TypeError, match=r"stack: the tensors have \[0, 1\] dimensions"):
        at.stack([at.dscalar(), at.dvector()])


def test_mixed_dtypes(against_numpy):
    xs = [count(2), np.array([1, 2], "int8"), np.array([True])]
    against_numpy(lambda *v: at.concatenate(v), lambda *v: np.concatenate(v), *xs)
    x, i = at.dvector(), at.bvector()
    g = grad(at.sum(at.join(0, x, i) ** 2), x)
    np.testing.assert_array_equal(evaluate([g], {x: count(3), i: np.ones(2, "int8")})[0], [0, 2, 4])


@pytest.mark.parametrize("shapes", [((2,), (3,)), ((2, 3), (2, 3)), ((), ())])
def test_hstack_and_vstack(against_numpy, shapes):
    xs = [count(*s) for s in shapes]
    against_numpy(lambda *v: at.hstack(v), lambda *v: np.hstack(v), *xs)
    xs = [xs[0], xs[0]]
    against_numpy(lambda *v: at.vstack(v), lambda *v: np.vstack(v), *xs)


def test_what_is_known_of_a_join():
    x, y = at.tensor("float64", (2, None)), at.tensor("float64", (3, 4))
    assert at.join(0, x, y).type.shape == (5, 4)
    assert at.join(1, x, at.dmatrix()).type.shape == (2, None)
    with pytest.raises(
        ValueError, match=r"join\{axis=1\}: the inputs have lengths \[2, 3\] along axis 0"
    ):
        at.join(1, x, y)


def test_join_errors():
    x, y = at.dmatrix("x"), at.dmatrix("y")
    with pytest.raises(ValueError, match="axis 1 of y has length 4, of x 3"):
        evaluate([at.join(0, x, y)], {x: count(2, 3), y: count(2, 4)})
    with pytest.raises(TypeError, match="input 0 has 2 dimensions, input 1 1"):
        at.join(0, x, at.dvector())
    with pytest.raises(ValueError, match="join: axis 2"):
        at.join(2, x, y)
    with pytest.raises(ValueError, match="there are no tensors"):
        at.concatenate([])
    assert at.join(0, x, y).owner.op is Join(0)


@pytest.mark.parametrize("axis", [0, 1])
def test_split(against_numpy, axis):
    x = count(5, 5)
    for k in range(3):
        against_numpy(
            lambda v, k=k: at.split(v, (2, 0, 3), axis=axis)[k],
            lambda v, k=k: np.split(v, [2, 2], axis)[k],
            x,
        )
        verify_grad(lambda v, k=k: at.split(v, (2, 1, 2), axis=axis)[k] ** 2, [x], n_tests=1)
    verify_grad(lambda v: at.join(0, *at.split(v, (2, 3))[::-1]), [x], n_tests=1)


def test_split_by_variables():
    x, sizes = at.dvector("x"), at.lvector("sizes")
    parts = at.split(x, sizes, n_splits=2)
    found = evaluate(parts, {x: count(5), sizes: np.array([1, 4])})
    np.testing.assert_array_equal(found[1], [1, 2, 3, 4])
    assert parts[0].owner.op.view_map == {0: [0], 1: [0]}
    with pytest.raises(ValueError, match=r"lengths \[1, 5\] for axis 0 of x, which has length 5"):
        evaluate(parts, {x: count(5), sizes: np.array([1, 5])})
    with pytest.raises(TypeError, match="give n_splits"):
        at.split(x, sizes)
    with pytest.raises(ValueError, match=r"lengths \[1, 2\] of an axis of length 4"):
        at.split(at.tensor("float64", (4,)), (1, 2))
