"""How the same thing is written, for laws of the phase ``stabilize``.

They meet what people wrote (a mode may have that phase alone) as well as what ``canonicalize``
left: a square is a product, a power or `sqr`, and pi / 2 may still be a quotient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.kanren.goals import Where, computo, whereo
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.guards.constants import constant_number
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.lawkit.guards.shapes import covers_shape
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.math import eq, sqr, switch, tanh

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


def not_tanho(x: Any) -> Where:
    """Construct the goal that `x` is not what a tanh gives."""
    return whereo(is_no_tanh, x)


def not_choseno(x: Any) -> Where:
    """Construct the goal that `x` is not what a switch gives.

    A law that leaves its own left side for some numbers puts a switch in there.
    """
    return whereo(is_not_chosen, x)


def pi_over(divisor: int) -> Callable[[Any], float]:
    """Return the function that gives pi by `divisor` in the dtype of a variable."""

    def quotient(x: Any) -> float:
        dtype = x.type.numpy_dtype
        return float(dtype.type(math.pi / divisor)) if dtype.kind == "f" else math.pi / divisor

    quotient.__name__ = f"pi_over_{divisor}"
    return quotient


def turns(divisor: int, c: Any, x: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return how pi by `divisor` is written: for each way the end of a law's name, the term, and
    what gives `c` its value where `x` is known."""
    number, pi = computo(c, pi_over(divisor), x), computo(c, pi_over(1), x)
    quotient = c / divisor
    return (
        ("", c, number),
        ("-of-quotient", quotient, pi),
        ("-of-quotient-spread", DimShuffle(_ndim, _order)(quotient), pi),
    )
