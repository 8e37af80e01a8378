"""What laws about cancellation are written with: spellings, lengths, Taylor series at zero.

Laws of the phase ``stabilize`` meet what people wrote (a mode may have that phase alone) as well as
what ``canonicalize`` left: a square is a product, a power or `sqr`, and pi / 2 may still be a
quotient. A series is the tuple of its coefficients, the constant one first.
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
    covers_shape,
    depends_on_levels,
    in_dtype_of,
)
from relations.kit.vocabulary import lvars
from relgraph import scalar
from relgraph.graph.kanren.goals import Where, computo, goal, whereo
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.math import eq, length, sqr, switch, tanh

_ndim, _order = lvars("ndim order")

Square = Callable[[Any], Any]


def product_with_itself(x: Any) -> Any:
    """Return a square, written as a product."""
    return x * x


def second_power(x: Any) -> Any:
    """Return a square, written as a power."""
    return x**2


SQUARES: tuple[tuple[str, Square], ...] = (
    ("", sqr),
    ("-of-products", product_with_itself),
    ("-of-powers", second_power),
)
"""How squares are written; each way with what a law about it has at the end of its name."""


def in_each_spelling(make: Callable[[str, Square], Any]) -> tuple[Any, ...]:
    """Return what `make` gives for the end of a name and a function to square with, in a row."""
    return tuple(one for ending, square in SQUARES for one in make(ending, square))


def squares_of_elements(x: Any, exponent: Any) -> tuple[tuple[str, Any, tuple[Where, ...]], ...]:
    """Return how the squares of `x` are written where it matters how many they are.

    Returns
    -------
    ways
        For each the end of a law's name, the term, and the goals that no exponent, for which there
        is a variable, repeats the elements.
    """
    whole = (whereo(is_two, exponent), whereo(covers_shape, x, exponent))
    return (
        ("", sqr(x), ()),
        ("-of-products", x * x, ()),
        ("-of-powers", x**exponent, whole),
    )


def is_two(exponent: Any) -> bool:
    """Return whether `exponent` is the number 2."""
    return bool(constant_number(exponent) == 2)


def nonzero(x: Any) -> Any:
    """Return the term for `x` with 1 in place of zeros, to divide by."""
    return switch(eq(x, 0), 1, x)


def root_of_largest(x: Any) -> Any:
    """Return the constant whose square is the largest number of the dtype of `x`; None if that has
    no such number."""
    if np.dtype(x.type.dtype).kind != "f":
        return None
    return constant(np.sqrt(np.finfo(x.type.dtype).max))


@depends_on_levels(1)
def is_not_chosen(x: Any) -> bool:
    """Return whether `x` is not what a switch gives."""
    op = None if x.owner is None else x.owner.op
    return not (isinstance(op, Elemwise) and op.scalar_op is scalar.switch)


@depends_on_levels(1)
def is_no_tanh(x: Any) -> bool:
    """Return whether `x` is not what a tanh gives."""
    return x.head is not tanh


not_tanho = goal(is_no_tanh)
not_choseno = goal(is_not_chosen)


def turns(divisor: int, c: Any, x: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return how pi by `divisor` is written: for each way the end of a law's name, the term, and
    what gives `c` its value where `x` is known."""
    number, pi = (computo(c, in_dtype_of(math.pi / n), x) for n in (divisor, 1))
    quotient = c / divisor
    return (
        ("", c, number),
        ("-of-quotient", quotient, pi),
        ("-of-quotient-spread", DimShuffle(_ndim, _order)(quotient), pi),
    )


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


def times(a: Series, b: Series) -> Series:
    """Return the product of two series."""
    return tuple(sum((a[j] * b[k - j] for j in range(k + 1)), Fraction(0)) for k in range(len(a)))


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


def _tangent() -> Series:
    order, found = quotient(SIN, COS)
    return (*[Fraction(0)] * order, *found)[:_COUNT]


TAN: Series = _tangent()
