"""What guards say of elements, by name.

What is proved without a guard holds with it too. So guards that are not listed are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Said = Callable[..., Any]
"""Takes the numbers, which compute with each other and with Python's, and a namespace of functions
of the logic: ``And``, ``Or``, ``Not``, ``is_nan``, ``is_finite``, ``fits``; returns a condition."""

GUARDS: dict[str, Said] = {
    "is_nonnegative": lambda of, x: of.Or(of.is_nan(x), of.not_less(x, 0)),
    "is_positive": lambda of, x: of.Or(of.is_nan(x), of.less(0, x)),
    "is_discrete_zero": lambda of, c: of.equal(c, 0),
    "is_discrete_minus_one": lambda of, c: of.equal(c, -1),
    "is_zero_everywhere": lambda of, c: of.equal(c, 0),
    "is_true_everywhere": lambda of, c: of.Not(of.equal(c, 0)),
    "is_nonzero_number": lambda of, c: of.Not(of.equal(c, 0)),
    "is_positive_number": lambda of, c: of.less(0, c),
    "is_finite_constant": lambda of, c: of.is_finite(c),
    "is_number_not_nan": lambda of, c: of.Not(of.is_nan(c)),
    "is_at_most": lambda of, low, high: of.not_less(high, low),
    "product_fits": lambda of, c, d: of.And(of.less(0, c), of.less(0, d), of.product_fits(c, d)),
}
