"""What is known of the numbers in constants."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit import guards as numbers


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        (numbers.is_finite_number, [2.0, 0.0], [np.nan, np.inf, [1.0, 2.0]]),
        (numbers.is_nonzero_number, [2.0, -0.5], [0.0, np.nan, np.inf, [1.0, 2.0]]),
        (numbers.has_normal_reciprocal, [3.0, -0.1], [0.0, 1e-310, np.inf]),
    ],
)
def test_numbers(guard, yes, no):
    assert all(guard(const(value)) for value in yes)
    assert not any(guard(const(value)) for value in no)
    assert not guard(at.dvector())


def test_integers():
    assert numbers.is_discrete_zero(const(0, "int8"))
    assert not numbers.is_discrete_zero(const(0.0)) and not numbers.is_discrete_zero(at.lvector())
    assert not numbers.is_finite_number(const(True, "bool"))
