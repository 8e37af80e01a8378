"""Which scalar ops round, for the laws in `relations.numbers.rounding`."""

from __future__ import annotations

from typing import Any

from relgraph import scalar

ROUNDINGS = (scalar.ceil, scalar.floor, scalar.trunc, scalar.round)


def is_rounding(scalar_op: Any) -> bool:
    """Return whether a scalar op rounds to an integer."""
    return scalar_op in ROUNDINGS


def has_whole_values(scalar_op: Any) -> bool:
    """Return whether the values of a scalar op are whole numbers (or infinite, or nan)."""
    return scalar_op in ROUNDINGS or scalar_op is scalar.sign
