"""What laws ask of the numbers in constants."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.tensor.lawkit.guards import numbers as numbers


def const(value, dtype="float64"):
    return at.constant(np.asarray(value, dtype=dtype))


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        (numbers.is_nonzero, [2.0, -0.5], [0.0, np.nan, np.inf, [1.0, 2.0]]),
        (numbers.is_negative, [-1.0, [-2.0, -2.0]], [0.0, 1.0, -np.inf, np.nan]),
        (numbers.is_positive_number, [1.0], [0.0, -1.0, np.inf]),
        (numbers.is_even, [0.0, 2.0, -4.0], [1.0, 0.5, np.inf]),
        (numbers.is_odd, [1.0, -3.0], [2.0, 0.5, -0.9999999999999999]),
        (numbers.is_whole, [3.0, -64.0], [0.5, 65.0, np.nan]),
        (numbers.is_power_of_two, [2.0, 0.25, -8.0, 2.0**1000], [0.0, 3.0, 2.0**-1074]),
        (numbers.is_invertible, [3.0, -0.1], [0.0, 1e-310, np.inf]),
    ],
)
def test_numbers(guard, yes, no):
    assert all(guard(const(value)) for value in yes)
    assert not any(guard(const(value)) for value in no)
    assert not guard(at.dvector())


def test_the_least_integer_is_not_negated():
    assert numbers.is_negative(const(-127, "int8"))
    assert not numbers.is_negative(const(-128, "int8"))
    assert not numbers.is_negative(const(True, "bool"))


def test_exponents_of_integers_must_fit():
    assert numbers.exponents_multiply(const(2.0), const(-3.0))
    assert not numbers.exponents_multiply(const(2.0), const(0.5))
    assert numbers.exponents_multiply(const(5, "int8"), const(25, "int8"))
    assert not numbers.exponents_multiply(const(16, "int8"), const(16, "int8"))
    assert numbers.doubles_fit(const(60, "int8"))
    assert not numbers.doubles_fit(const(64, "int8"))
    assert numbers.product_fits(const(3, "int8"), const(42, "int8"))
    assert not numbers.product_fits(const(3, "int8"), const(43, "int8"))


def test_quotients_that_neither_over_nor_underflow():
    assert numbers.divides_well(const(3.0), const(7.0))
    assert not numbers.divides_well(const(1e-200), const(1e200))
    assert not numbers.divides_well(const(1e200), const(1e-200))
    assert not numbers.divides_well(const(3, "int8"), const(7, "int8"))


def test_what_is_computed_has_the_dtype():
    third = numbers.reciprocal_of(const(3.0, "float32"))
    assert third.data == np.float32(1) / np.float32(3)
    assert third.type.dtype == "float32"
    assert numbers.halved(const(3.0)).data == 1.5
    assert numbers.doubled(const(3, "int8")).type.dtype == "int8"


def test_order():
    assert numbers.are_in_order(const(1.0), const(2.0))
    assert numbers.are_in_order(const(0.0), 0)
    assert not numbers.are_in_order(const(2.0), const(1.0))
    # complex numbers have no order
    assert not numbers.are_in_order(at.constant(1j), at.constant(2j))
    assert not numbers.are_in_order(at.constant(1j), 2.0)
    assert not numbers.are_in_order(const(np.nan), const(1.0))
    assert not numbers.are_in_order(at.dvector(), const(1.0))
