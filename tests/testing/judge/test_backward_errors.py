"""How far the rounding inside an op on matrices can move its result."""

import numpy as np

import relgraph.tensor as at
from relgraph.tensor import linalg
from relgraph.testing.judge.claims import backward_error

EPS = float(np.finfo("float64").eps)


def error_of(matrix):
    a = at.dmatrix()
    return backward_error(linalg.inv(a).owner, [matrix], 0, EPS)


def test_it_grows_with_the_condition():
    mild, bad = np.diag([1.0, 2.0]), np.diag([1.0, 1e-8])
    assert EPS / 10 < error_of(mild) < 100 * EPS
    assert error_of(bad) > 1e6 * error_of(mild)


def test_it_covers_what_lapack_makes():
    for n in range(2, 8):
        hilbert = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
        true = np.linalg.inv(hilbert.astype("float64"))
        single = np.linalg.inv(hilbert.astype("float32"))
        a = at.fmatrix()
        node = linalg.inv(a).owner
        error = backward_error(node, [hilbert.astype("float32")], 0, 2.0**-23)
        assert np.abs(single - true).max() <= 16 * error


def test_integers_are_moved_too():
    assert error_of(np.array([[3, 1], [1, 2]])) > 0
