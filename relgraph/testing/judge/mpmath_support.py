"""mpmath, which computes with as many digits as are wanted; it comes with an extra."""

from __future__ import annotations

try:
    from mpmath import mp
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "checks need mpmath, which comes with `pip install 'relgraph[check]'`", name="mpmath"
    ) from error

__all__ = ["mp"]
