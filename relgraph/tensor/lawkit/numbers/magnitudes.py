"""Bounds, and arguments that come twice, for the laws in `relations.numbers.magnitudes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.goals import Where, whereo
from relgraph.graph.notation import number_of


def is_at_most(low: Any, high: Any) -> bool:
    """Return whether `low` and `high` are known real numbers, and ``low <= high``."""
    one, other = [number_of(v) if isinstance(v, Variable) else v for v in (low, high)]
    known = one is not None and other is not None
    return (
        known and not isinstance(one, complex) and not isinstance(other, complex) and one <= other
    )


def at_mosto(low: Any, high: Any) -> Where:
    """Construct the goal that `low` and `high` are known real numbers, and ``low <= high``."""
    return whereo(is_at_most, low, high)


def without_repetitions(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables, each once."""
    return tuple(dict.fromkeys(variables))
