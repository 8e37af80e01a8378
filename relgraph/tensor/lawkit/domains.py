"""Under what conditions laws of the class ``domain`` hold: predicates of values, for checks."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["are_positive", "are_true", "stands_out"]


def are_positive(*values: Any) -> bool:
    """Return whether all elements of some arrays are greater than zero."""
    return all(bool(np.all(np.asarray(v) > 0)) for v in values)


def are_true(_value: Any, *conditions: Any) -> bool:
    """Return whether all elements of all arrays but the first are true."""
    return all(bool(np.all(c)) for c in conditions)


def stands_out(values: Any, *axes: Any) -> bool:
    """Return whether no two elements of an array are equal but for rounding; nan are equal."""
    flat = np.sort(np.ravel(np.asarray(values, dtype="float64")))
    if not np.isfinite(flat).all():
        return False
    gaps = np.diff(flat)
    return bool(np.all(gaps > 1e-3 * np.max(np.abs(flat), initial=0.0)))
