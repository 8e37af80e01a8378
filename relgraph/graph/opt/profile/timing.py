"""Timers that the features of a graph keep, read for the profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def validate_time(fgraph: FunctionGraph) -> float | None:
    """Seconds spent in `fgraph.validate()` so far; None if that is not measured."""
    return _seconds(getattr(fgraph, "validate_time", None))


def callback_time(fgraph: FunctionGraph) -> float | None:
    """Seconds spent in the callbacks of the features so far; None if that is not measured."""
    return _seconds(getattr(fgraph, "execute_callbacks_time", None))


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def elapsed(before: float | None, now: float | None) -> float:
    """Seconds between two readings, 0 if one is None."""
    return 0.0 if before is None or now is None else now - before
