"""The conditions under which laws of the class ``domain`` hold, as predicates of values."""

from __future__ import annotations

from typing import Any

import numpy as np

_LARGEST_CONDITION = 100.0


def are_positive(*values: Any) -> bool:
    """Return whether all elements of some arrays are greater than zero."""
    return all(bool(np.all(np.asarray(v) > 0)) for v in values)


def are_nonnegative(*values: Any) -> bool:
    """Return whether no element of some arrays is less than zero."""
    return all(bool(np.all(np.asarray(v) >= 0)) for v in values)


def are_true(_value: Any, *conditions: Any) -> bool:
    """Return whether all elements of all arrays but the first are true."""
    return all(bool(np.all(c)) for c in conditions)


def are_well_conditioned(d: Any, u: Any, v: Any) -> bool:
    """Return whether the matrices `d` and ``d + u @ v`` are far from singular."""
    with np.errstate(all="ignore"):
        matrices = (np.asarray(d), np.asarray(d) + np.asarray(u) @ np.asarray(v))
    if not all(np.isfinite(m).all() for m in matrices):
        return False
    return all(m.size > 0 and bool(np.linalg.cond(m) < _LARGEST_CONDITION) for m in matrices)
