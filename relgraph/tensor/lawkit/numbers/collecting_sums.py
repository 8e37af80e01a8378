"""Equal terms of sums and differences, for the laws in `relations.numbers.collecting`.

The functions take the nest of a sum, and of each leaf its coefficient and factors. Coefficients are
computed in the dtype of the sum. None is the result where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded_within_limits
from relgraph.tensor.lawkit.guards.dependence import (
    containing_constant,
    containing_equal_or_any_of,
    containing_two_constants_or,
    requires_heads,
)
from relgraph.tensor.lawkit.guards.numbers import real_number
from relgraph.tensor.lawkit.numbers.collecting import (
    Counted,
    Units,
    applied,
    collected,
    may_have_common_unit,
    number_in,
    units_of,
)
from relgraph.tensor.lawkit.numbers.nests import (
    SUM,
    Nest,
    Part,
    common_dtype,
    edited,
    nest_at,
    nest_of,
)
from relgraph.tensor.math import add, mul, neg, sub, true_div

_terms_or_nested = containing_equal_or_any_of(add, sub, mul, neg, true_div)

nest_of_sum = nest_at(add, _terms_or_nested)
nest_of_difference = nest_at(sub, _terms_or_nested)
"""The nest that a sum, or a difference, is the outermost node of; see `nest_at`."""


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
    """Return False if no term is negative; a look at each is enough."""
    for var in terms:
        head = var.head
        if head is neg:
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


def negations_subtracted(
    fgraph: Any,
    terms: Sequence[Variable],
    signed: Sequence[tuple[tuple[Variable, ...], tuple[Variable, ...]]],
) -> Any:
    """Return a sum with its negative terms subtracted where they stand: ``x + -y + z`` is
    ``(x - y) + z``.

    Parameters
    ----------
    signed
        Of each term, what is added and what is subtracted in it.
    """
    if common_dtype(terms) is None or not any(below for _, below in signed):
        return None
    by_term = dict(zip(terms, signed, strict=True))
    nest = nest_of(fgraph, SUM, add, terms, joins_only=True)
    edits: dict[int, Part | None] = {}
    for i, leaf in enumerate(nest.leaves):
        _, below = by_term[leaf]
        if below:
            edits[i] = below[0], True
    return edited(nest, edits)


negations_subtracted.__dict__["asks_graph"] = True


# -- constants -------------------------------------------------------------------------------------

_two_constants = containing_two_constants_or(add, sub, neg)

sum_with_constants = nest_at(add, _two_constants)
difference_with_constants = nest_at(sub, _two_constants)


def constants_of_sum_folded(nest: Nest) -> Any:
    """Return a sum whose constants are one, where that is exact: ``(2 + x) - 5`` is ``x - 3``.

    One constant rounds once, where two round twice. If their sum is rounded itself it is left
    alone: ``(x - 0.1) + 1e-20`` is right where x is 0.1, and ``x - 0.1`` is 0.
    """
    places = [i for i, leaf in enumerate(nest.leaves) if leaf.head is Constant]
    if len(places) < 2 or len(places) == len(nest.leaves):
        return None
    total: Any = None
    edits: dict[int, Part | None] = {}
    for i in places:
        term, below = nest.leaves[i], nest.below[i]
        if total is None:
            total, first, side = term, i, below
            continue
        joined = _exact(add if below == side else sub, total, term)
        if joined is not None:
            total = joined
            edits[i] = None
    if not edits:
        return None
    if real_number(total) == 0:
        edits[first] = None
    elif is_negative_number(total):
        edits[first] = folded_within_limits(neg, [total]), not side
    else:
        edits[first] = total, side
    return edited(nest, edits)


def _exact(op: Any, one: Any, other: Any) -> Any:
    """Return the sum or difference of two constants as a constant; None if it is not exact."""
    whole = folded_within_limits(op, [one, other])
    if whole is None or whole.type.numpy_dtype.kind != "f":
        return whole
    a, b = np.asarray(one.data), np.asarray(other.data)
    b = b if op is add else -b
    with np.errstate(all="ignore"):
        # what is lost, exactly: Knuth's TwoSum
        s = a + b
        of_b = s - a
        lost = (a - (s - of_b)) + (b - of_b)
    return whole if not np.any(lost) else None


@requires_heads(containing_constant)
def added_if_negative(x: Variable, c: Variable) -> Any:
    """Return ``x - c`` as ``x + d`` with ``d = -c``, where `c` is one negative number."""
    if not is_negative_number(c) or x.head is Constant or common_dtype([x, c]) is None:
        return None
    if c.head is Constant:
        return add(folded_within_limits(neg, [c]), x)
    return add(constant(-np.asarray(number_of(c), c.type.dtype)), x)


# -- equal terms -----------------------------------------------------------------------------------

_FIRST_FACTOR_OF = frozenset((neg, true_div))
_SIDES = frozenset((sub, neg))


def may_have_equal_terms(terms: Sequence[Variable]) -> bool:
    """Return False if no two terms have a factor in common; a look at each is enough."""
    if not _SIDES.isdisjoint([var.head for var in terms]):
        return True  # what is nested there is not known
    return may_have_common_unit(terms, mul, _FIRST_FACTOR_OF)


def equal_terms_of_one_sign_collected(nest: Nest, counted: Counted) -> Any:
    """Return a sum with equal terms of one sign collected: ``2 * x + y + 3 * x`` is ``5 * x + y``.

    Those of integers are collected whatever their sign.
    """
    return _collected_terms(units_of(nest, counted), cancelling=False)


def equal_terms_collected(nest: Nest, counted: Counted) -> Any:
    """Return a sum with equal terms collected: ``(2 * x + y) - 3 * x`` is ``y - x``."""
    return _collected_terms(units_of(nest, counted), cancelling=True)


def _collected_terms(given: Units, cancelling: bool) -> Any:
    dtype = None if given.differ else common_dtype(given.nest.leaves)
    if dtype is None:
        return None
    with np.errstate(all="ignore"):
        counts = _coefficients(given, dtype)
        any_sign = dtype.kind != "f" or cancelling
        by_count = dict(zip(given.counts, counts, strict=True))
        # 0 * inf and inf - inf are nan: what is collected with these would change
        signs = {
            count: number > 0 if np.isfinite(number) and (any_sign or number) else None
            for count, number in by_count.items()
        }

        def kind_of(i: int) -> Any:
            positive = signs[given.counts[i]]
            if positive is None:
                return None
            return "any" if any_sign else positive != given.nest.below[i]

        return collected(given, counts, kind_of, _multiple, lambda members, total: True)


def _coefficients(given: Units, dtype: np.dtype[Any]) -> list[Any]:
    """Return the coefficients in the dtype of the sum."""
    # most are 1, which need not be made again
    known: dict[Any, Any] = {}
    for count in given.counts:
        if count not in known:
            known[count] = np.asarray(number_in(count)).astype(dtype)[()]
    return [known[count] for count in given.counts]


def _multiple(count: Any, factors: tuple[Variable, ...]) -> Any:
    if count == 1:
        return applied(mul, factors, 1)
    return mul(constant(count), *factors)
