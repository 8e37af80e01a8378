"""Bounds, and arguments that come twice."""

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.lawkit import numbers as magnitudes

x, y = at.dvectors("x", "y")


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


def test_order():
    assert magnitudes.is_at_most(const(1.0), const(2.0))
    assert magnitudes.is_at_most(const(0.0), 0)
    assert not magnitudes.is_at_most(const(2.0), const(1.0))
    # complex numbers have no order
    assert not magnitudes.is_at_most(at.constant(1j), at.constant(2j))
    assert not magnitudes.is_at_most(at.constant(1j), 2.0)
    assert not magnitudes.is_at_most(const(np.nan), const(1.0))
    assert not magnitudes.is_at_most(x, const(1.0))


def test_each_once():
    assert magnitudes.without_repetitions((x, y, x)) == (x, y)
