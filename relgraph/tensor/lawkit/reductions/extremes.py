"""Which elementwise functions are monotone, for the laws in `relations.reductions.extremes`.

Rounding may map two arguments to one value, but changes their order no further. A nan stays a nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.tensor.lawkit.guards.constants import constant_data

_STRICTLY_INCREASING = frozenset(
    {
        scalar.arcsinh,
        scalar.arctan,
        scalar.erf,
        scalar.exp,
        scalar.exp2,
        scalar.expm1,
        scalar.sigmoid,
        scalar.sinh,
        scalar.softplus,
        scalar.tanh,
    }
)
_ROUNDINGS = frozenset({scalar.ceil, scalar.floor, scalar.round, scalar.trunc})
_INCREASING_ABOVE_ZERO = frozenset(
    {scalar.log, scalar.log10, scalar.log1p, scalar.log2, scalar.sqr, scalar.sqrt}
)
_NAN_BELOW_DOMAIN = frozenset({scalar.log, scalar.log10, scalar.log1p, scalar.log2, scalar.sqrt})
_DECREASING = frozenset({scalar.erfc})


def is_increasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) <= f(y)`` for all numbers `x` and `y`."""
    return scalar_op in _STRICTLY_INCREASING or scalar_op in _ROUNDINGS


def is_strictly_increasing(scalar_op: Any) -> bool:
    """Return whether ``x < y`` entails ``f(x) < f(y)`` for all numbers, but for rounding."""
    return scalar_op in _STRICTLY_INCREASING


def is_increasing_above_zero(scalar_op: Any) -> bool:
    """Return whether ``0 <= x <= y`` entails ``f(x) <= f(y)``."""
    return scalar_op in _INCREASING_ABOVE_ZERO


def is_increasing_or_nan_below(scalar_op: Any) -> bool:
    """Return whether a function is increasing where it is defined, and nan below that.

    The least value is then that of the least argument, be it a nan; the greatest value is a nan
    although that of the greatest argument may be none.
    """
    return scalar_op in _NAN_BELOW_DOMAIN


def is_decreasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) >= f(y)`` for all numbers `x` and `y`."""
    return scalar_op in _DECREASING


def is_negative_everywhere(x: Any) -> bool:
    """Return whether all elements of `x` are known to be less than zero."""
    data = constant_data(x)
    return data is not None and data.dtype.kind in "if" and bool(np.all(data < 0))
