"""What guards say of elements, by the predicate of the book: conditions, as graphs.

What is proved without a guard holds with it too. So guards that are not listed are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import relgraph.tensor as at
from relations.kit import choices, guards, numbers
from relgraph.scalar.named import scalar_op
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.elemwise import Elemwise


def _kind_is_discrete(x: Any) -> Any:
    return np.full(np.shape(x), x.dtype.kind != "f")


def _product_fits(x: Any, y: Any) -> Any:
    is_integer = x.dtype.kind in "iu"
    return is_integer & (x <= (np.iinfo(x.dtype).max if is_integer else 0) // np.maximum(y, 1))


class IsDiscrete(ScalarOp):
    """Whether elements are integers or booleans."""

    ufunc = staticmethod(_kind_is_discrete)


class ProductFits(ScalarOp):
    """Whether two positive elements are integers whose product fits their dtype."""

    nin = 2
    ufunc = staticmethod(_product_fits)


is_discrete: Any = Elemwise(IsDiscrete())
product_fits: Any = Elemwise(ProductFits())
signbit: Any = Elemwise(scalar_op("signbit"))


def _is(c: Any, n: int) -> Any:
    """Return whether an element is a number, as its dtype has it."""
    return at.eq(c, np.array(n).astype(c.type.dtype))


def _is_chosen(op: ScalarOp, flag: bool, c: Any) -> Any:
    """Return whether a comparison holds for one of the booleans and an element alone."""
    compare: Any = Elemwise(op)
    return compare(flag, c) & ~compare(not flag, c)


GUARDS: dict[Callable[..., bool], Callable[..., Any]] = {
    guards.is_nonnegative: lambda x: at.isnan(x) | at.ge(x, 0),
    guards.is_positive: lambda x: at.isnan(x) | at.gt(x, 0),
    guards.is_discrete_zero: lambda c: is_discrete(c) & _is(c, 0),
    numbers.is_discrete_minus_one: lambda c: is_discrete(c) & _is(c, -1),
    guards.is_zero_everywhere: lambda c: _is(c, 0),
    guards.is_true_everywhere: lambda c: ~_is(c, 0),
    guards.is_one_everywhere: lambda c: _is(c, 1),
    choices.is_positive_zero: lambda c: _is(c, 0) & ~signbit(c),
    guards.is_nonzero_number: lambda c: ~_is(c, 0),
    guards.is_positive_number: lambda c: at.gt(c, 0),
    choices.is_true_for_true: lambda op, c: _is_chosen(op, True, c),
    choices.is_true_for_false: lambda op, c: _is_chosen(op, False, c),
    choices.has_all_bits: lambda c: is_discrete(c) & _is(c, -1),
    choices.is_finite_constant: lambda c: ~(at.isnan(c) | at.isinf(c)),
    choices.is_number_not_nan: lambda c: ~at.isnan(c),
    numbers.is_at_most: lambda low, high: at.le(low, high),
    numbers.product_fits: lambda c, d: at.gt(c, 0) & at.gt(d, 0) & product_fits(c, d),
}
