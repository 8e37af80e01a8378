"""Conditions, branches and comparisons that are known, for the laws in `relations.choices`."""

from __future__ import annotations

from typing import Any

import numpy as np

from relations.kit.guards import constant_data, constant_number
from relgraph import scalar
from relgraph.scalar.facts import EVERYWHERE, INF

LESS = (scalar.lt, scalar.le)
GREATER = (scalar.gt, scalar.ge)


def is_number_not_nan(c: Any) -> bool:
    """Return whether a constant is one number, and not nan."""
    value = constant_number(c)
    return value is not None and value == value


def is_positive_zero(c: Any) -> bool:
    """Return whether a constant is zero and not -0, or false."""
    value = constant_number(c)
    return value is not None and value == 0 and not np.signbit(np.real(value))


def raises_nothing(scalar_op: Any, *operands: Any) -> bool:
    """Return whether a scalar op takes some constants: a power of integers is refused where the
    exponent is negative."""
    given = [constant_data(v) for v in operands]
    whole = all(data is not None and data.dtype.kind in "iu" for data in given)
    return scalar_op != scalar.pow or not whole or all((data >= 0).all() for data in given)


def is_order(scalar_op: Any) -> bool:
    """Return whether a scalar op is one of ``<``, ``<=``, ``>``, ``>=``."""
    return scalar_op in LESS or scalar_op in GREATER


def is_less(scalar_op: Any) -> bool:
    """Return whether a scalar op is ``<`` or ``<=``."""
    return scalar_op in LESS


def is_greater(scalar_op: Any) -> bool:
    """Return whether a scalar op is ``>`` or ``>=``."""
    return scalar_op in GREATER


def extreme_that_takes_second(scalar_op: Any) -> Any:
    """Return the extreme that is `y` where ``x < y`` holds, or whichever order it is."""
    return scalar.maximum if scalar_op in LESS else scalar.minimum


def extreme_that_takes_first(scalar_op: Any) -> Any:
    """Return the extreme that is `x` where ``x < y`` holds, or whichever order it is."""
    return scalar.minimum if scalar_op in LESS else scalar.maximum


def has_values_within_one(scalar_op: Any) -> bool:
    """Return whether all values of a scalar op are from -1 to 1."""
    least, greatest = scalar_op.facts.range
    return bool(least >= -1 and greatest <= 1)


def is_nan_for_nan_only(scalar_op: Any) -> bool:
    """Return whether a scalar op of one real number gives nan for nan, and for nothing else: it is
    defined everywhere, and has limits, for it rises or falls on each side of zero at least."""
    facts = scalar_op.facts
    rises = EVERYWHERE in (facts.increasing, facts.decreasing)
    return facts.domain == EVERYWHERE and (rises or (facts.even and facts.increasing == (0, INF)))


def is_finite_constant(c: Any) -> bool:
    """Return whether a constant is one number, neither nan nor infinite, or one boolean."""
    value = constant_number(c)
    return value is not None and value - value == 0
