"""Constant exponents, for the laws in `relations.numbers.powers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.costs.weights import products_of_power
from relgraph.tensor.lawkit.guards.dependence import containing_constant, requires_heads
from relgraph.tensor.lawkit.guards.numbers import real_number
from relgraph.tensor.math import sqr

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


@requires_heads(containing_constant)
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
    if not is_small_whole(c):
        return False
    dtype = np.dtype(c.type.dtype)
    value = number_of(c)
    return dtype.kind == "f" or bool(0 <= 2 * value <= np.iinfo(dtype).max)


def half_of(c: Any) -> Any:
    """Return the constant ``c / 2``, of the dtype of `c`, which is one floating-point number; None
    if it would be rounded, being too small."""
    half = np.asarray(number_of(c) / 2, dtype=c.type.dtype)
    return constant(half) if 2 * half == number_of(c) else None


def twice(c: Any) -> Any:
    """Return the constant ``2 * c``, of the dtype of `c`, which is one number."""
    return constant(np.asarray(number_of(c) * 2, dtype=c.type.dtype))


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


def eveno(c: Any) -> Where:
    """Construct the goal that `c` is one even number."""
    return whereo(is_even, c)


def oddo(c: Any) -> Where:
    """Construct the goal that `c` is one odd number."""
    return whereo(is_odd, c)
