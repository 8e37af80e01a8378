"""Equal terms of sums and differences, for the laws in `relations.numbers.collecting`.

The functions take terms, and of each its coefficient and factors. Coefficients are computed in the
dtype of the sum. None is the result where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.goals import Where, whereo
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded_within_limits
from relgraph.tensor.lawkit.guards.dependence import (
    containing_any_of,
    containing_constant,
    containing_equal_or_any_of,
    requires_heads,
)
from relgraph.tensor.lawkit.guards.numbers import real_number
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
from relgraph.tensor.math import add, mul, neg, sub, true_div


def difference(plus: Sequence[Variable], minus: Sequence[Variable]) -> Any:
    """Return the sum of some terms less the sum of others; no term at all is 0."""
    if not minus:
        return applied(add, plus, 0)
    if not plus:
        return neg(applied(add, minus, 0))
    return sub(applied(add, plus, 0), applied(add, minus, 0))


# -- signs -----------------------------------------------------------------------------------------


@requires_heads(containing_constant)
def is_negative_number(var: Any) -> bool:
    """Return whether `var` is one negative number that can be negated."""
    value = real_number(var)
    if value is None or value >= 0:
        return False
    dtype = np.dtype(var.type.dtype)
    return bool(dtype.kind == "f" or value > np.iinfo(dtype).min)


def negative_numbero(c: Any) -> Where:
    """Construct the goal that `c` is one negative number that can be negated."""
    return whereo(is_negative_number, c)


def may_subtract(terms: Sequence[Variable]) -> bool:
    """Return False if no term is subtracted or negative; a look at each is enough."""
    for var in terms:
        head = var.head
        if head is neg or head is sub:
            return True
        if head is mul:
            assert var.owner is not None
            if any(factor.head is mul or _is_less(factor) for factor in var.owner.inputs):
                return True
        elif head is not None and _is_less(var):
            return True
    return False


def _is_less(var: Variable) -> bool:
    number = number_of(var)
    return number is not None and not isinstance(number, complex) and number < 0


@requires_heads(containing_any_of(neg, sub, mul, Constant))
def as_one_difference(signed: Sequence[tuple[tuple[Variable, ...], tuple[Variable, ...]]]) -> Any:
    """Return a sum as one difference: ``(a - x) + (b - y)`` is ``(a + b) - (x + y)``.

    Parameters
    ----------
    signed
        Of each term, what is added and what is subtracted in it.
    """
    below = [v for _, minus in signed for v in minus]
    if not below:
        return None
    above = [v for plus, _ in signed for v in plus]
    return None if common_dtype([*above, *below]) is None else difference(above, below)


@requires_heads(containing_any_of(add, Constant))
def with_one_constant(plus: Sequence[Variable], minus: Sequence[Variable]) -> Any:
    """Return a difference with one positive constant, on the side where it then stands:
    ``(2 + x) - (5 + y)`` is ``x - (3 + y)``.

    A constant that is more than one number stays on the left if there is one on both sides, and
    where it is otherwise.
    """
    known, subtracted = ([v for v in side if v.head is Constant] for side in (plus, minus))
    if len(known) > 1 or len(subtracted) > 1 or len(known) == len(plus):
        return None  # they are not folded yet, or the left side is nothing else
    dtype = common_dtype([*plus, *minus])
    negative = [v for v in (*known, *subtracted) if is_negative_number(v)]
    if dtype is None or not (negative or (known and subtracted)):
        return None
    terms = [v for v in plus if v.head is not Constant]
    others = [v for v in minus if v.head is not Constant]
    total: Any = known[0] if known else folded_within_limits(neg, subtracted)
    if known and subtracted:
        total = folded_within_limits(sub, [*known, *subtracted])
    if total is None:
        return None
    if is_negative_number(total):
        return difference(terms, [folded_within_limits(neg, [total]), *others])
    return difference([total, *terms], others)


# -- equal terms -----------------------------------------------------------------------------------

_FIRST_FACTOR_OF = frozenset((neg, true_div))


def may_have_equal_terms(terms: Sequence[Variable]) -> bool:
    """Return False if no two terms have a factor in common; a look at each is enough."""
    return may_have_common_unit(terms, mul, _FIRST_FACTOR_OF)


@requires_heads(containing_equal_or_any_of(mul, neg, true_div))
def equal_terms_of_one_sign_collected(terms: Sequence[Variable], counted: Counted) -> Any:
    """Return a sum with equal terms of one sign collected: ``2 * x + y + 3 * x`` is ``5 * x + y``.

    Those of integers are collected whatever their sign.
    """
    return _collected_terms(arguments(terms, counted), cancelling=False)


@requires_heads(containing_equal_or_any_of(mul, neg, true_div))
def equal_terms_collected(terms: Sequence[Variable], counted: Counted) -> Any:
    """Return a sum with equal terms collected: ``2 * x + y + -3 * x`` is ``y - x``."""
    return _collected_terms(arguments(terms, counted), cancelling=True)


@requires_heads(containing_equal_or_any_of(add, mul, neg, true_div))
def equal_terms_of_sides_collected(
    plus: Sequence[Variable],
    counted_plus: Counted,
    minus: Sequence[Variable],
    counted_minus: Counted,
) -> Any:
    """Return a difference with equal terms collected if some stand on both sides:
    ``(2 * x + y) - (3 * x + z)`` is ``y - (x + z)``."""
    if not have_common_unit(counted_plus, counted_minus):
        return None
    every = arguments(plus, counted_plus, minus, counted_minus)
    return _collected_terms(every, cancelling=True)


def _collected_terms(given: Arguments, cancelling: bool) -> Any:
    dtype = None if given.differ else common_dtype(given.variables)
    if dtype is None:
        return None
    kind_of = any_finite if dtype.kind != "f" or cancelling else _sign_of_finite
    with np.errstate(all="ignore"):
        sides = collected(given, _signed_coefficients(given, dtype), kind_of, _multiple)
    return None if sides is None else difference(*sides)


def _signed_coefficients(given: Arguments, dtype: np.dtype[Any]) -> list[Any]:
    """Return the coefficients, negated if a term is subtracted, in the dtype of the sum."""
    signed: list[Any] = []
    # most are 1, which need not be made again
    known: dict[Any, Any] = {}
    for key in zip(given.counts, given.below, strict=True):
        if key not in known:
            number = np.asarray(number_in(key[0])).astype(dtype)[()]
            known[key] = -number if key[1] else number
        signed.append(known[key])
    return signed


def _sign_of_finite(count: Any) -> Any:
    # 0 * inf and inf - inf are nan: what is collected with these would change
    return bool(count > 0) if np.isfinite(count) and count != 0 else None


def _multiple(count: Any, factors: tuple[Variable, ...]) -> Any:
    if count == 1:
        return applied(mul, factors, 1)
    return mul(constant(count), *factors)
