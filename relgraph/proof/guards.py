"""What guards say of elements, by the predicate of the book.

What is proved without a guard holds with it too. So guards that are not listed are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relations.kit import choices, guards, numbers

Said = Callable[..., Any]
"""Takes the numbers, which compute with each other and with Python's, and a namespace of functions
of the logic, as `Arrays` has them; returns a condition."""

GUARDS: dict[Callable[..., bool], Said] = {
    guards.is_nonnegative: lambda of, x: of.Or(of.is_nan(x), of.not_less(x, 0)),
    guards.is_positive: lambda of, x: of.Or(of.is_nan(x), of.less(0, x)),
    guards.is_discrete_zero: lambda of, c: of.And(of.is_discrete(c), of.equal(c, 0)),
    numbers.is_discrete_minus_one: lambda of, c: of.And(of.is_discrete(c), of.equal(c, -1)),
    guards.is_zero_everywhere: lambda of, c: of.equal(c, 0),
    guards.is_true_everywhere: lambda of, c: of.Not(of.equal(c, 0)),
    guards.is_one_everywhere: lambda of, c: of.equal(c, 1),
    choices.is_positive_zero: lambda of, c: of.And(of.equal(c, 0), of.Not(of.is_negative(c))),
    guards.is_nonzero_number: lambda of, c: of.Not(of.equal(c, 0)),
    guards.is_positive_number: lambda of, c: of.less(0, c),
    choices.is_true_for_true: lambda of, op, c: of.And(
        of.compared(op, True, c), of.Not(of.compared(op, False, c))
    ),
    choices.is_true_for_false: lambda of, op, c: of.And(
        of.compared(op, False, c), of.Not(of.compared(op, True, c))
    ),
    choices.has_all_bits: lambda of, c: of.And(of.is_discrete(c), of.equal(c, -1)),
    choices.is_finite_constant: lambda of, c: of.is_finite(c),
    choices.is_number_not_nan: lambda of, c: of.Not(of.is_nan(c)),
    numbers.is_at_most: lambda of, low, high: of.not_less(high, low),
    numbers.product_fits: lambda of, c, d: of.And(
        of.less(0, c), of.less(0, d), of.product_fits(c, d)
    ),
}
