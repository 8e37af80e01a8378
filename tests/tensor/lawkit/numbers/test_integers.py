"""Constants that divide integers."""

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.lawkit import numbers as integers


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


def test_products_of_integers_must_fit():
    assert integers.product_fits(const(3, "int8"), const(42, "int8"))
    assert not integers.product_fits(const(3, "int8"), const(43, "int8"))
    assert integers.is_discrete_minus_one(const(-1, "int8"))
    assert not integers.is_discrete_minus_one(const(-1.0))


def test_positive_numbers():
    assert integers.is_positive_number(const(1.0))
    assert not any(integers.is_positive_number(const(v)) for v in (0.0, -1.0, np.inf))
