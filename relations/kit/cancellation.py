"""What laws about cancellation are written with: choices, lengths, and Taylor series at zero.

A series is the tuple of its coefficients, the constant one first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np

from relations.kit.guards import (
    constant_number,
    containing_two_constants_or,
    in_dtype_of,
    requires_heads,
)
from relations.kit.vocabulary import Law, lvars, stable
from relgraph.graph.kanren.goals import Where, not_made_byo
from relgraph.tensor.basic import constant
from relgraph.tensor.math import eq, length, switch


def nonzero(x: Any) -> Any:
    """Return the term for `x` with 1 in place of zeros, to divide by."""
    return switch(eq(x, 0), 1, x)


def root_of_largest(x: Any) -> Any:
    """Return the constant whose square is the largest number of the dtype of `x`; None if that has
    no such number."""
    if np.dtype(x.type.dtype).kind != "f":
        return None
    return constant(np.sqrt(np.finfo(x.type.dtype).max))


def by_cases(
    name: str,
    condition: Any,
    function: Callable[[Any], Any],
    better: Any,
    elsewhere: Any,
    *conditions: Any,
) -> Law:
    """Return the law that a function of `x` is better computed in another way where a condition
    holds, under further conditions.

    There the function is taken of `elsewhere` in place of `x`, so that its slope is finite, and the
    law does not match what it leaves.
    """
    x = lvars("x")
    left = function(switch(condition, elsewhere, x))
    return stable(name, function(x), switch(condition, better, left), *conditions)


def not_choseno(x: Any) -> Where:
    """Construct the goal that `x` is not what a switch gives."""
    return not_made_byo(x, switch)


@requires_heads(containing_two_constants_or())
def is_turn(above: Any, below: Any) -> bool:
    """Return whether a quotient is that of pi, in some dtype, and 2 or 4."""
    pi = constant_number(above)
    return constant_number(below) in (2, 4) and pi == in_dtype_of(math.pi)(above)


def length_of_all(bases: Sequence[tuple[Any, ...]]) -> Any:
    """Return the length of a vector, given for each term of a sum what it is the square of; None if
    one is no square, or the dtypes differ."""
    if not all(bases) or len({base.type.dtype for (base,) in bases}) > 1:
        return None
    return length(*[base for (base,) in bases])


Series = tuple[Fraction, ...]

_COUNT = 24

X: Series = tuple(Fraction(k == 1) for k in range(_COUNT))
SIN: Series = tuple(Fraction(k % 2 * (-1) ** (k // 2), factorial(k)) for k in range(_COUNT))
COS: Series = tuple(Fraction((k + 1) % 2 * (-1) ** (k // 2), factorial(k)) for k in range(_COUNT))


def less(a: Series, b: Series) -> Series:
    """Return the difference of two series."""
    return tuple(p - q for p, q in zip(a, b, strict=True))


def quotient(a: Series, b: Series) -> tuple[int, Series]:
    """Return the quotient of two series: the power of `x` before it, and the series."""
    above, below = _first_power(a), _first_power(b)
    found: list[Fraction] = []
    # what is known of both; a term more would be of others that are not
    count = len(a) - max(above, below)
    for k in range(count):
        known = sum((found[j] * b[below + k - j] for j in range(k)), Fraction(0))
        found.append((a[above + k] - known) / b[below])
    return above - below, tuple(found)


def _first_power(series: Sequence[Fraction]) -> int:
    """Return the power of the first term that is not zero."""
    return next(k for k, c in enumerate(series) if c)


TAN: Series = (Fraction(0), *quotient(SIN, COS)[1])[:_COUNT]
