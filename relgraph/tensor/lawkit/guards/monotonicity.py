"""Which elementwise functions keep or turn round the order of their arguments.

Rounding may make two arguments one value, and no function here does more to their order than
that. A nan stays one; arguments outside of where a function is defined are not among those that
`is_increasing` speaks of, as the functions it names are defined everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.tensor.lawkit.guards.types import seen_constant

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
_STEPS = frozenset({scalar.ceil, scalar.floor, scalar.round, scalar.trunc})
_INCREASING_ABOVE_ZERO = frozenset(
    {scalar.log, scalar.log10, scalar.log1p, scalar.log2, scalar.sqr, scalar.sqrt}
)
_NAN_BELOW = frozenset({scalar.log, scalar.log10, scalar.log1p, scalar.log2, scalar.sqrt})
_DECREASING = frozenset({scalar.erfc})


def is_increasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) <= f(y)`` for all numbers."""
    return scalar_op in _STRICTLY_INCREASING or scalar_op in _STEPS


def is_strictly_increasing(scalar_op: Any) -> bool:
    """Return whether ``x < y`` entails ``f(x) < f(y)`` for all numbers, but for rounding."""
    return scalar_op in _STRICTLY_INCREASING


def is_increasing_above_zero(scalar_op: Any) -> bool:
    """Return whether ``0 <= x <= y`` entails ``f(x) <= f(y)``."""
    return scalar_op in _INCREASING_ABOVE_ZERO


def is_nan_below(scalar_op: Any) -> bool:
    """Return whether a function is increasing where it is defined, and nan below that."""
    return scalar_op in _NAN_BELOW


def is_decreasing(scalar_op: Any) -> bool:
    """Return whether ``x <= y`` entails ``f(x) >= f(y)`` for all numbers."""
    return scalar_op in _DECREASING


def is_negative_constant(x: Any) -> bool:
    """Return whether the elements of `x` are known ahead, and less than zero."""
    data = seen_constant(x) if isinstance(x, Variable) else None
    return data is not None and data.dtype.kind in "if" and bool(np.all(data < 0))
