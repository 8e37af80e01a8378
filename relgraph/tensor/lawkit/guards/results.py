"""Whether a computation that may have no result has one."""

from __future__ import annotations

from typing import Any


def is_found(result: Any) -> bool:
    """Return whether a computation has a result: it gives None where there is nothing to do, or
    where it can't be told."""
    return result is not None


def nothing(x: Any) -> None:
    """Return None: what a view has of all that none of its cases is about."""
