"""What a loss is here: one formula, over relgraph, JAX and numbers of mpmath alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# A float, or lists of floats to any depth.
Numbers = Any


@dataclass(frozen=True, eq=False)
class Loss:
    """A naive formula and where it is looked at.

    Attributes
    ----------
    name
        What it is called.
    formula
        Takes a module (`relgraph.tensor`, or what has its functions for JAX or for numbers of
        mpmath) and the inputs; gives the cost, of rank 0.
    points
        Values of the inputs, in order: nested lists of floats. Among them are those where the
        formula overflows, underflows or cancels.
    given
        What comes before the inputs and is no array of floats: labels, for indexing, say.
    fixed
        How many of the inputs, from the first on, are data that nobody differentiates by.
    dtype
        That of its inputs.
    """

    name: str
    formula: Callable[..., Any]
    points: tuple[tuple[Numbers, ...], ...]
    given: tuple[Any, ...] = ()
    fixed: int = 0
    dtype: str = "float64"


def loss(
    name: str,
    formula: Callable[..., Any],
    *points: tuple[Numbers, ...],
    given: tuple[Any, ...] = (),
    fixed: int = 0,
    dtype: str = "float64",
) -> Loss:
    """Return a loss that is looked at at some points."""
    return Loss(name, formula, points, given, fixed, dtype)


def each(*numbers: float) -> tuple[tuple[Numbers, ...], ...]:
    """Return points of one input, a vector of one element."""
    return tuple(([x],) for x in numbers)
