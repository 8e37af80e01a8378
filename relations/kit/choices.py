"""Conditions, branches and comparisons that are known, for the laws in `relations.choices`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import (
    constant_data,
    constant_number,
    containing_constant,
    is_zero_everywhere,
    requires_heads,
)
from relgraph import scalar
from relgraph.scalar.op import EVERYWHERE, INF
from relgraph.scalar.type import result_dtype
from relgraph.tensor.elemwise import Elemwise

LESS = (scalar.lt, scalar.le)
GREATER = (scalar.gt, scalar.ge)
ORDERS, EQUALITIES = (*LESS, *GREATER), (scalar.eq, scalar.neq)
COMPARISONS = (*ORDERS, *EQUALITIES)
JUNCTIONS, EXTREMES = (scalar.and_, scalar.or_), (scalar.maximum, scalar.minimum)


def _each_the_other(*pairs: tuple[Any, Any]) -> dict[Any, Any]:
    """Return for each op of some pairs the other one."""
    return {op: other for pair in pairs for op, other in (pair, pair[::-1])}


MIRRORED = _each_the_other((scalar.lt, scalar.gt), (scalar.le, scalar.ge))
OPPOSITE = _each_the_other((scalar.lt, scalar.ge), (scalar.le, scalar.gt), (scalar.eq, scalar.neq))
DUAL = _each_the_other(JUNCTIONS, EXTREMES)


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


def mirrored(comparison: Any) -> Any:
    """Return the comparison of `y` and `x` that is the one of `x` and `y`."""
    return MIRRORED.get(comparison, comparison)


def opposite(comparison: Any) -> Any:
    """Return the comparison that holds where another one does not."""
    return OPPOSITE[comparison]


def dual(scalar_op: Any) -> Any:
    """Return the other one of ``&`` and ``|``, or of the maximum and the minimum."""
    return DUAL[scalar_op]


@requires_heads(containing_constant)
def is_true_for_true(comparison: Any, c: Any) -> bool:
    """Return whether a comparison with a constant holds of True alone, and not of False."""
    return _truth_of_flags(comparison, c) == (False, True)


@requires_heads(containing_constant)
def is_true_for_false(comparison: Any, c: Any) -> bool:
    """Return whether a comparison with a constant holds of False alone, and not of True."""
    return _truth_of_flags(comparison, c) == (True, False)


def _truth_of_flags(comparison: Any, c: Any) -> tuple[bool, bool] | None:
    value = constant_number(c)
    if value is None:
        return None
    # as arrays: a Python number beyond int64 is refused beside a flag
    of_false, of_true = comparison.ufunc(np.array([False, True]), np.asarray(value))
    return bool(of_false), bool(of_true)


@requires_heads(containing_constant)
def without_neutral(scalar_op: Any, operands: Sequence[Any]) -> Any:
    """Return what a scalar op gives without the constants that change nothing; None if there are
    none."""
    dtype = result_dtype(*[v.type.dtype for v in operands])
    kept = [v for v in operands if not NEUTRAL[scalar_op](v, dtype)] or [operands[0]]
    if len(kept) == len(operands):
        return None
    return applied(Elemwise(scalar_op), kept)


@requires_heads(containing_constant)
def absorbing_among(scalar_op: Any, operands: Sequence[Any]) -> Any:
    """Return the constant that a scalar op gives whatever the others are, which is neutral for its
    dual; None if there is none."""
    is_absorbing = NEUTRAL[DUAL[scalar_op]]
    return next((v for v in operands if is_absorbing(v, v.type.dtype)), None)


def has_all_bits(c: Any, dtype: str | None = None) -> bool:
    """Return whether all bits of a constant of booleans or integers are set, cast to a dtype."""
    data = constant_data(c)
    if data is None or data.dtype.kind not in "biu":
        return False
    return not np.any(~data.astype(dtype or data.dtype))


NEUTRAL: dict[Any, Callable[[Any, str], bool]] = {
    scalar.and_: has_all_bits,
    scalar.or_: lambda c, dtype: is_zero_everywhere(c),
    scalar.xor: lambda c, dtype: is_zero_everywhere(c),
    scalar.maximum: lambda c, dtype: bool(constant_number(c) == -INF),
    scalar.minimum: lambda c, dtype: bool(constant_number(c) == INF),
}
"""Whether a constant changes nothing in what a scalar op gives, by its op and the dtype of that."""


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
