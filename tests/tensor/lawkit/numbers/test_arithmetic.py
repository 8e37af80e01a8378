"""Constants in products and quotients."""

import numpy as np

import relgraph.tensor as at
from relgraph.tensor.lawkit import numbers as arithmetic


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


def test_powers_of_two():
    assert all(arithmetic.is_power_of_two(const(v)) for v in (2.0, 0.25, -8.0, 2.0**1000))
    assert not any(arithmetic.is_power_of_two(const(v)) for v in (0.0, 3.0, 2.0**-1074))
    assert not arithmetic.is_power_of_two(at.dvector())


def test_quotients_that_neither_over_nor_underflow():
    assert arithmetic.has_normal_quotient(const(3.0), const(7.0))
    assert not arithmetic.has_normal_quotient(const(1e-200), const(1e200))
    assert not arithmetic.has_normal_quotient(const(1e200), const(1e-200))
    assert not arithmetic.has_normal_quotient(const(3, "int8"), const(7, "int8"))
