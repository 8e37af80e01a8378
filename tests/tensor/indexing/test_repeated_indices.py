"""Indices that name an element several times: the last value is kept, and has the gradient."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.indexing import AdvancedIncSubtensor

X = np.arange(12.0).reshape(3, 4)
MASK = np.array([True, False, True])
KEYS = [
    np.s_[[0, 0, 2]],
    np.s_[[0, -3, 1]],
    np.s_[:, [1, -3]],
    np.s_[::-2, [1, 1, -3]],
    np.s_[1, [1, 1]],
    np.s_[[0, -3, 0], [1, 1, 2]],
    np.s_[[[0, -3], [0, 1]]],
    np.s_[[[0], [-3]], [1, 2]],
    np.s_[[0, -3], None],
    np.s_[MASK, 1],
    np.s_[MASK, [1, 1]],
    np.s_[MASK, [[1], [1]]],
    np.s_[[]],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("change", [at.set_subtensor, at.inc_subtensor])
def test_gradients(key, change):
    part = X[key]
    verify_grad(lambda x, y: change(x[key], y), [X, np.ones(part.shape)], n_tests=1)
    verify_grad(lambda x, y: change(x[key], y), [X, np.ones(part.shape[-1:])], n_tests=1)
    verify_grad(lambda x, y: change(x[key], y), [X, np.array(2.0)], n_tests=1)


@pytest.mark.parametrize(
    "change",
    [
        lambda x, y: at.put_along_axis(x, np.array([[0, -4], [1, -3], [2, 3]]), y, 1),
        lambda x, y: at.put_along_axis(x, np.array([[0], [-3]]), y.sum(), 0),
        lambda x, y: at.put_along_axis(x, np.array([0, -12, 5]), y[:, 0], None),
        lambda x, y: at.put(x, np.array([0, -12, 5]), y[:, 0]),
    ],
)
def test_functions_that_set(change):
    verify_grad(change, [X, np.ones((3, 2))], n_tests=1)


@pytest.mark.parametrize("change", [at.set_subtensor, at.inc_subtensor])
def test_second_derivatives(change):
    def slopes(x, y):
        gx, gy = grad(at.sin(change(x[[0, -3, 1]], y)).sum(), [x, y])
        return at.concatenate([gx, gy**2])

    verify_grad(slopes, [X, 1 / (1 + X)], n_tests=1)


@pytest.mark.parametrize("mode", ["strict", "o4", "jax"])
def test_an_overwritten_value_has_no_gradient(mode):
    x, i, v = at.dvector(), at.lvector(), at.dvector()
    changed = at.set_subtensor(x[i], v)
    f = function([x, i, v], [changed, *grad(changed @ np.arange(1.0, 6), [x, v])], mode=mode)
    value, gx, gv = f(np.zeros(5), np.array([0, -5, 3]), np.array([7.0, 8, 9]))
    np.testing.assert_array_equal(value, [8, 0, 0, 9, 0])
    np.testing.assert_array_equal(gx, [0, 2, 3, 0, 5])
    np.testing.assert_array_equal(gv, [0, 1, 4])


def test_the_last_value_is_kept_in_any_layout():
    i, y = np.array([[0, 1], [1, 0]]), np.arange(4.0).reshape(2, 2)
    iv, yv = at.lmatrix(), at.dmatrix()
    changed = at.set_subtensor(at.zeros(2)[iv], yv)
    slope = grad(changed.sum(), yv)
    for a in (i, np.asfortranarray(i)):
        for b in (y, np.asfortranarray(y)):
            found = evaluate([changed, slope], {iv: a, yv: b})
            np.testing.assert_array_equal(found[0], [3, 2])
            np.testing.assert_array_equal(found[1], [[0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("build", "is_distinct"),
    [
        (lambda x, v, m: x[m], True),
        (lambda x, v, m: x[m, at.arange(2)], True),
        (lambda x, v, m: x[[2, 0]], True),
        (lambda x, v, m: x[[-1]], True),
        (lambda x, v, m: x[[1], [0, 0]], False),
        (lambda x, v, m: x[[-1, 2]], False),
        (lambda x, v, m: x[at.arange(v.shape[0])], True),
        (lambda x, v, m: x[at.arange(-1, v.shape[0])], False),
        (lambda x, v, m: at.diag(x[0], -1)[at.arange(2), at.arange(2)], True),
    ],
)
def test_what_names_no_element_twice_has_no_places(build, is_distinct):
    x, v, m = at.dmatrix(), at.dvector(), at.bvector().astype("bool")
    y = at.dscalar()
    slope = grad(at.set_subtensor(build(x, v, m), y).sum(), y)
    made = io_toposort([x, v, m, y], [slope])
    setters = [n for n in made if isinstance(n.op, AdvancedIncSubtensor)]
    numbered = [n for n in setters if n.outputs[0].type.dtype == "int64"]
    assert (not numbered) is is_distinct


def test_the_gradient_of_diag_is_a_diagonal():
    for k in (-1, 0, 2):
        verify_grad(lambda v, k=k: at.diag(v, k), [np.arange(3.0)], n_tests=1)
