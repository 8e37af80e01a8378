"""What laws ask of the number that a constant holds in all its elements, and compute with it.

None of it holds of a variable that is no such constant, or whose number is not finite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.search.goals import Where, whereo
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.dependence import has_constant, of_number, suiting
from relgraph.tensor.lawkit.guards.types import is_discrete

LARGEST_WHOLE = 64
"""Exponents beyond this are not multiplied: a power of a power differs too much from the other."""


def real_number(var: Any) -> Any:
    """Return the finite real number that every element of `var` is, or None."""
    value = number_of(var)
    if value is None or isinstance(value, bool | complex) or not math.isfinite(value):
        return None
    return value


def is_finite_number(var: Any) -> bool:
    """Return whether `var` is one finite real number."""
    return real_number(var) is not None


@suiting(has_constant)
def is_nonzero(var: Any) -> bool:
    """Return whether `var` is one number that isn't zero."""
    value = real_number(var)
    return value is not None and value != 0


@suiting(has_constant)
def is_negative(var: Any) -> bool:
    """Return whether `var` is one negative number that can be negated."""
    value = real_number(var)
    if value is None or value >= 0:
        return False
    dtype = np.dtype(var.type.dtype)
    return bool(dtype.kind == "f" or value > np.iinfo(dtype).min)


@of_number(0)
def is_whole_zero(var: Any) -> bool:
    """Return whether `var` is 0, of a dtype that has no fractions: a float's divides otherwise."""
    return is_discrete(var) and real_number(var) == 0


@of_number(-1)
def is_whole_minus_one(var: Any) -> bool:
    """Return whether `var` is -1, of a dtype that has no fractions."""
    return is_discrete(var) and real_number(var) == -1


@suiting(has_constant)
def is_positive_number(var: Any) -> bool:
    """Return whether `var` is one positive number."""
    value = real_number(var)
    return value is not None and value > 0


@suiting(has_constant)
def is_even(var: Any) -> bool:
    """Return whether `var` is one even number."""
    value = real_number(var)
    return value is not None and value % 2 == 0


@suiting(has_constant)
def is_odd(var: Any) -> bool:
    """Return whether `var` is one odd number."""
    value = real_number(var)
    # the remainder of what is nearly whole is rounded
    return value is not None and value % 2 == 1 and value == round(value)


@suiting(has_constant)
def is_whole(var: Any) -> bool:
    """Return whether `var` is one small whole number."""
    value = real_number(var)
    return value is not None and value == int(value) and abs(value) <= LARGEST_WHOLE


@suiting(has_constant)
def is_power_of_two(var: Any) -> bool:
    """Return whether `var` is a power of two (or less zero) whose reciprocal is exact."""
    value = real_number(var)
    if value is None or value == 0 or np.dtype(var.type.dtype).kind != "f":
        return False
    limits = np.finfo(var.type.dtype)
    normal = limits.tiny <= abs(value) <= 1 / limits.tiny
    return bool(abs(math.frexp(value)[0]) == 0.5 and normal)


@suiting(has_constant)
def is_invertible(var: Any) -> bool:
    """Return whether `var` is one floating-point number whose reciprocal is as good a number."""
    value = real_number(var)
    if value is None or np.dtype(var.type.dtype).kind != "f":
        return False
    limits = np.finfo(var.type.dtype)
    return bool(limits.tiny <= abs(value) <= 1 / limits.tiny)


def are_in_order(low: Any, high: Any) -> bool:
    """Return whether `low` and `high` are real numbers, and the first is not the greater one."""
    one, other = [number_of(v) if isinstance(v, Variable) else v for v in (low, high)]
    known = one is not None and other is not None
    return (
        known and not isinstance(one, complex) and not isinstance(other, complex) and one <= other
    )


def exponents_multiply(c: Any, d: Any) -> bool:
    """Return whether a power to `c`, raised to `d`, is a power to ``c * d`` for any base.

    That is so for whole numbers; those of integers must not be negative, and must fit.
    """
    if not (is_whole(c) and is_whole(d)) or c.type.dtype != d.type.dtype:
        return False
    dtype = np.dtype(c.type.dtype)
    if dtype.kind == "f":
        return True
    one, other = number_of(c), number_of(d)
    return bool(one >= 0 and other >= 0 and one * other <= np.iinfo(dtype).max)


def doubles_fit(c: Any) -> bool:
    """Return whether the square of a power to `c` is a power to ``2 * c`` for any base."""
    if not is_whole(c):
        return False
    dtype = np.dtype(c.type.dtype)
    value = number_of(c)
    return dtype.kind == "f" or bool(0 <= 2 * value <= np.iinfo(dtype).max)


def product_fits(c: Any, d: Any) -> bool:
    """Return whether `c` and `d` are positive numbers whose product is one of their dtype."""
    if not (is_positive_number(c) and is_positive_number(d)) or c.type.dtype != d.type.dtype:
        return False
    dtype = np.dtype(c.type.dtype)
    return dtype.kind in "iu" and bool(number_of(c) * number_of(d) <= np.iinfo(dtype).max)


def divides_well(c: Any, d: Any) -> bool:
    """Return whether ``c / d`` neither over- nor underflows."""
    one, other = real_number(c), real_number(d)
    if one is None or other is None or one == 0 or other == 0:
        return False
    if c.type.dtype != d.type.dtype or np.dtype(c.type.dtype).kind != "f":
        return False
    limits = np.finfo(c.type.dtype)
    with np.errstate(all="ignore"):
        value = abs(np.asarray(one, c.type.dtype) / np.asarray(other, c.type.dtype))
    return bool(limits.tiny <= value <= limits.max)


def halved(c: Any) -> Any:
    """Return the constant that is half of `c`, for exponents of floating-point numbers."""
    return constant(np.asarray(number_of(c) / 2, dtype=c.type.dtype))


def doubled(c: Any) -> Any:
    """Return the constant that is twice `c`."""
    return constant(np.asarray(number_of(c) * 2, dtype=c.type.dtype))


def reciprocal_of(c: Any) -> Any:
    """Return the constant ``1 / c``."""
    return constant(np.asarray(1 / number_of(c), dtype=c.type.dtype))


def nonzeroo(c: Any) -> Where:
    """Construct the goal that `c` is one number that isn't zero."""
    return whereo(is_nonzero, c)


def whole_zeroo(c: Any) -> Where:
    """Construct the goal that `c` is 0, of a dtype that has no fractions."""
    return whereo(is_whole_zero, c)


def whole_minus_oneo(c: Any) -> Where:
    """Construct the goal that `c` is -1, of a dtype that has no fractions."""
    return whereo(is_whole_minus_one, c)


def eveno(c: Any) -> Where:
    """Construct the goal that `c` is one even number."""
    return whereo(is_even, c)


def oddo(c: Any) -> Where:
    """Construct the goal that `c` is one odd number."""
    return whereo(is_odd, c)


def positive_numbero(c: Any) -> Where:
    """Construct the goal that `c` is one positive number."""
    return whereo(is_positive_number, c)


def negative_numbero(c: Any) -> Where:
    """Construct the goal that `c` is one negative number that can be negated."""
    return whereo(is_negative, c)


def in_ordero(low: Any, high: Any) -> Where:
    """Construct the goal that `low` is a number not greater than the number `high`."""
    return whereo(are_in_order, low, high)
