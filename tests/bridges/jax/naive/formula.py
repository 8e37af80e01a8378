"""What a naive function is here: one formula, over `jax.numpy` and over numbers of mpmath alike."""

from __future__ import annotations

from dataclasses import dataclass

from tests.losses.loss import Loss, Numbers


@dataclass(frozen=True, eq=False)
class Naive(Loss):
    """A function as people write it in JAX, and where it is looked at.

    Attributes
    ----------
    dtype
        That of its inputs.
    """

    dtype: str = "float64"


def each(*numbers: float) -> tuple[tuple[Numbers, ...], ...]:
    """Return points of one input, a vector of one element."""
    return tuple(([x],) for x in numbers)


__all__ = ["Naive", "each"]
