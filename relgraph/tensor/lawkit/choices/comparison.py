"""Functions and constants that comparisons see through, for `relations.choices.comparison`."""

from __future__ import annotations

from typing import Any

from relgraph.scalar.facts import EVERYWHERE, INF
from relgraph.tensor.lawkit.guards.constants import constant_number


def is_nan_for_nan_only(scalar_op: Any) -> bool:
    """Return whether a scalar op of one real number gives nan for nan, and for nothing else: it is
    defined everywhere, and has limits, for it rises or falls on each side of zero at least."""
    facts = scalar_op.facts
    rises = EVERYWHERE in (facts.increasing, facts.decreasing)
    return facts.domain == EVERYWHERE and (rises or (facts.even and facts.increasing == (0, INF)))


def is_finite_constant(c: Any) -> bool:
    """Return whether a constant is one number, neither nan nor infinite, or one boolean."""
    value = constant_number(c)
    return value is not None and value - value == 0
