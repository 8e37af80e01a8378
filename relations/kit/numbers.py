"""Constants in products and powers, bounds, casts and roundings, for the laws in
`relations.numbers`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import (
    containing_constant,
    has_normal_reciprocal,
    is_positive_number,
    real_number,
    requires_heads,
    requires_number,
)
from relations.kit.type_guards import is_discrete
from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.goals import goal
from relgraph.graph.notation import number_of
from relgraph.scalar.type import can_cast_exactly
from relgraph.tensor.basic import number
from relgraph.tensor.costs import products_of_power
from relgraph.tensor.math import mul, sqr


@requires_heads(containing_constant)
def is_power_of_two(var: Any) -> bool:
    """Return whether `var` is a power of two, or its negative, whose reciprocal is exact."""
    return has_normal_reciprocal(var) and abs(math.frexp(real_number(var))[0]) == 0.5


def has_normal_quotient(c: Any, d: Any) -> bool:
    """Return whether `c` and `d` are numbers of one float dtype other than zero, and ``c / d``
    neither overflows nor is subnormal."""
    one, other = real_number(c), real_number(d)
    if one is None or other is None or one == 0 or other == 0:
        return False
    if c.type.dtype != d.type.dtype or np.dtype(c.type.dtype).kind != "f":
        return False
    limits = np.finfo(c.type.dtype)
    with np.errstate(all="ignore"):
        value = abs(np.asarray(one, c.type.dtype) / np.asarray(other, c.type.dtype))
    return bool(limits.tiny <= value <= limits.max)


@requires_number(1)
def without_ones(factors: Sequence[Any]) -> Any:
    """Return a product of three or more without the factors that are 1; None if none is."""
    others = [v for v in factors if number_of(v) != 1 or number_of(v) is True]
    if len(factors) < 3 or len(others) in (0, len(factors)):
        return None
    return applied(mul, others)


def has_dtype(x: Any, dtype: str) -> bool:
    """Return whether a tensor has a dtype."""
    return bool(x.type.dtype == dtype)


def has_other_dtype(x: Any, y: Any) -> bool:
    """Return whether two tensors have different dtypes."""
    return bool(x.type.dtype != y.type.dtype)


def is_integer_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of integers."""
    return np.dtype(dtype).kind in "iu"


def is_inexact_dtype(dtype: str) -> bool:
    """Return whether a dtype is one of floats, or of complex numbers."""
    return np.dtype(dtype).kind in "fc"


def casts_exactly(x: Any, dtype: str) -> bool:
    """Return whether a cast of `x` to a dtype changes no value."""
    return can_cast_exactly(x.type.dtype, dtype)


def casts_as_directly(x: Any, through: str, to: str) -> bool:
    """Return whether a cast of `x` to one dtype, and from there `to` another, is the cast `to` the
    other.

    So it is where the first cast changes no value, with one exception: a float out of the range of
    integers becomes any integer, and an integer becomes its last bits. So integers that pass
    through floats to integers have to fit. Between integers it is so wherever the first cast leaves
    as many bits as the second.
    """
    source = x.type.dtype
    if can_cast_exactly(source, through):
        through_float = not is_integer_dtype(through) and is_integer_dtype(to)
        return not through_float or can_cast_exactly(source, to)
    integers = is_integer_dtype(source) and is_integer_dtype(through) and is_integer_dtype(to)
    return integers and np.dtype(through).itemsize >= np.dtype(to).itemsize


@requires_number(-1)
def is_discrete_minus_one(var: Any) -> bool:
    """Return whether `var` is the integer -1."""
    return is_discrete(var) and real_number(var) == -1


def product_fits(c: Any, d: Any) -> bool:
    """Return whether `c` and `d` are positive integers of one dtype, which ``c * d`` fits."""
    if not (is_positive_number(c) and is_positive_number(d)) or c.type.dtype != d.type.dtype:
        return False
    dtype = np.dtype(c.type.dtype)
    return dtype.kind in "iu" and bool(number_of(c) * number_of(d) <= np.iinfo(dtype).max)


def is_at_most(low: Any, high: Any) -> bool:
    """Return whether `low` and `high` are known real numbers, and ``low <= high``."""
    one, other = [number_of(v) if isinstance(v, Variable) else v for v in (low, high)]
    known = one is not None and other is not None
    return (
        known and not isinstance(one, complex) and not isinstance(other, complex) and one <= other
    )


def without_repetitions(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables, each once."""
    return tuple(dict.fromkeys(variables))


LARGEST_EXPONENT = 64
"""Exponents beyond this are not multiplied: the two powers would round too differently."""


@requires_heads(containing_constant)
def is_even(var: Any) -> bool:
    """Return whether `var` is one even number."""
    value = real_number(var)
    return value is not None and value % 2 == 0


@requires_heads(containing_constant)
def is_odd(var: Any) -> bool:
    """Return whether `var` is one odd number, as a float too: beside floats `pow` makes one of it,
    which is even from 2**53 on."""
    value = real_number(var)
    # the remainder of what is nearly whole is rounded
    return value is not None and float(value) % 2 == 1 and value == round(value)


def is_small_whole(var: Any) -> bool:
    """Return whether `var` is one whole number, and small enough to be multiplied."""
    value = real_number(var)
    return value is not None and value == int(value) and abs(value) <= LARGEST_EXPONENT


def exponents_multiply(c: Any, d: Any) -> bool:
    """Return whether ``(x**c)**d`` is ``x**(c * d)`` for any `x`.

    That is so for whole numbers; those of integers must not be negative, and ``c * d`` must fit.
    """
    if not (is_small_whole(c) and is_small_whole(d)) or c.type.dtype != d.type.dtype:
        return False
    dtype = np.dtype(c.type.dtype)
    if dtype.kind == "f":
        return True
    one, other = number_of(c), number_of(d)
    return bool(one >= 0 and other >= 0 and one * other <= np.iinfo(dtype).max)


def exponent_doubles(c: Any) -> bool:
    """Return whether ``(x**c)**2`` is ``x**(2 * c)`` for any `x`; see `exponents_multiply`."""
    return exponents_multiply(c, number(2, c.type.dtype, 0))


def has_half(c: Any) -> bool:
    """Return whether a floating-point number can be halved: the least one would be rounded to 0."""
    known = number_of(c)
    value = np.asarray(known, c.type.dtype)
    return known is not None and bool(value / 2 * 2 == value)


@requires_heads(containing_constant)
def written_out(x: Any, c: Any) -> Any:
    """Return ``x**c`` as products by squares, where `c` is one whole number and they cost less;
    None otherwise."""
    exponent = real_number(c)
    if products_of_power(exponent) is None:
        return None
    power = x
    for bit in f"{int(exponent):b}"[1:]:
        power = x * sqr(power) if bit == "1" else sqr(power)
    return power


discrete_minus_oneo = goal(is_discrete_minus_one)
at_mosto = goal(is_at_most)
eveno = goal(is_even)
oddo = goal(is_odd)
halfo = goal(has_half)


def is_rounding(scalar_op: Any) -> bool:
    """Return whether a scalar op rounds to an integer."""
    return bool(scalar_op.facts.integral)


def has_whole_values(scalar_op: Any) -> bool:
    """Return whether the values of a scalar op are whole numbers (or infinite, or nan)."""
    return is_rounding(scalar_op) or scalar_op is scalar.sign
