"""Equal bases in products and quotients, for the laws in `relations.numbers.collecting`.

The functions take factors, and of each its exponent and base. None is the result where there is
nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.dependence import containing_equal_or_any_of, requires_heads
from relgraph.tensor.lawkit.numbers.collecting import (
    Arguments,
    Counted,
    any_finite,
    applied,
    arguments,
    collected,
    common_dtype,
    have_common_unit,
    may_have_common_unit,
    number_in,
)
from relgraph.tensor.math import mul, pow, sqr, sqrt, true_div


def quotient(above: Sequence[Variable], below: Sequence[Variable]) -> Any:
    """Return the product of some factors divided by that of others; no factor at all is 1."""
    product = applied(mul, above, 1)
    return true_div(product, applied(mul, below, 1)) if below else product


_NO_OP, _BASE_OF = object(), frozenset((sqr, sqrt, pow))


def may_have_equal_bases(factors: Sequence[Variable]) -> bool:
    """Return False if no two factors are powers of one base; a look at each is enough."""
    return may_have_common_unit(factors, _NO_OP, _BASE_OF)


@requires_heads(containing_equal_or_any_of(sqr, sqrt, pow))
def whole_powers_collected(factors: Sequence[Variable], counted: Counted) -> Any:
    """Return a product with equal bases collected where their exponents are whole and positive:
    ``x**2 * y * x`` is ``x**3 * y``."""
    return _collected_factors(arguments(factors, counted), any_exponent=False)


@requires_heads(containing_equal_or_any_of(sqr, sqrt, pow))
def powers_collected(factors: Sequence[Variable], counted: Counted) -> Any:
    """Return a product with equal bases collected, whatever their exponents:
    ``x**2 * y * x**-0.5`` is ``x**1.5 * y``."""
    return _collected_factors(arguments(factors, counted), any_exponent=True)


@requires_heads(containing_equal_or_any_of(mul, sqr, sqrt, pow))
def powers_of_sides_collected(
    above: Sequence[Variable],
    counted_above: Counted,
    below: Sequence[Variable],
    counted_below: Counted,
) -> Any:
    """Return a quotient with equal bases collected if some stand on both sides:
    ``(x**3 * y) / (x * z)`` is ``(x**2 * y) / z``. There is nothing to do for integers, whose
    exponents are not negative."""
    if not have_common_unit(counted_above, counted_below):
        return None
    every = arguments(above, counted_above, below, counted_below)
    dtype = None if every.differ else common_dtype(every.variables)
    if dtype is None or dtype.kind != "f":
        return None
    return _collected_factors(every, any_exponent=True)


def _collected_factors(given: Arguments, any_exponent: bool) -> Any:
    dtype = None if given.differ else common_dtype(given.variables)
    if dtype is None:
        return None
    if dtype.kind == "f":
        limit, kind_of = 2.0**24, any_finite if any_exponent else _if_whole_and_positive
    else:
        limit, kind_of = float(np.iinfo(dtype).max), _if_whole_and_positive
    # exponents are added as floats that hold all of them, and are of the dtype in the end
    counts = [_signed_exponent(*pair) for pair in zip(given.counts, given.below, strict=True)]
    if not all(abs(count) <= limit / len(counts) for count in counts):
        return None
    sides = collected(given, counts, kind_of, _power)
    return None if sides is None else quotient(*sides)


def _signed_exponent(count: Any, below: bool) -> Any:
    exponent = np.float64(number_in(count))
    return -exponent if below else exponent


def _if_whole_and_positive(count: Any) -> Any:
    return True if count > 0 and count == np.floor(count) else None


def _power(count: Any, base: Variable) -> Any:
    if count == 1:
        return base
    if count == 2:
        return sqr(base)
    return pow(base, constant(np.asarray(count).astype(base.type.dtype)))
