"""The conditions under which laws of the class ``domain`` hold, as predicates of values."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["are_positive", "are_true"]


def are_positive(*values: Any) -> bool:
    """Return whether all elements of some arrays are greater than zero."""
    return all(bool(np.all(np.asarray(v) > 0)) for v in values)


def are_true(_value: Any, *conditions: Any) -> bool:
    """Return whether all elements of all arrays but the first are true."""
    return all(bool(np.all(c)) for c in conditions)
