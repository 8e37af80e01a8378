"""The rule book: which laws are used when.

Each subject has a module of its own; this page puts their laws in phases. A phase is a plain
tuple: nothing happens by importing it, and the engine takes its laws as an argument.
"""

from __future__ import annotations

from relations import arithmetic, exponential, logistic, reduction

CANONICALIZE = (
    *arithmetic.IDENTITIES,
    *arithmetic.SIGNS,
    *arithmetic.CANCELLATIONS,
    *arithmetic.FRACTIONS,
    *reduction.SIGNS,
)
"""Fewer operations, in one customary form."""

STABILIZE = (
    *exponential.INVERSES,
    *exponential.NEAR_ONE,
    *logistic.SIGMOID,
    *logistic.SOFTPLUS,
    # what the laws above leave behind: signs to collect and denominators to clear
    *arithmetic.SIGNS,
    *arithmetic.CANCELLATIONS,
    *arithmetic.FRACTIONS,
    *reduction.SIGNS,
)
"""The same value, nearer to the true one."""

SPECIALIZE = (*arithmetic.POWERS,)
"""A special operation for a combination of ordinary ones."""

__all__ = ["CANONICALIZE", "SPECIALIZE", "STABILIZE"]
