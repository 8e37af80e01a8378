"""How far off the truth is what relgraph, or another library, computes for a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import grad
from tests.losses.loss import Loss

# Errors up to this many units of rounding, times the condition number, are right.
UNITS = 10


@dataclass(frozen=True)
class Error:
    """How far a number is off, and how far it may be.

    Attributes
    ----------
    where
        Which point, and the value or which element of the gradient.
    """

    where: str
    found: float
    true: float
    allowed: float

    @property
    def size(self) -> float:
        """The distance from the truth; infinite for nan."""
        if self.found == self.true:
            return 0.0
        distance = abs(self.found - self.true)
        return math.inf if math.isnan(distance) else distance

    @property
    def right(self) -> bool:
        """Whether the number is as right as the condition lets it be."""
        return self.size <= self.allowed

    def worse_than(self, other: Error) -> bool:
        """Return whether the number is wrong, and further off than another."""
        return not self.right and self.size > 2 * other.size

    def __str__(self) -> str:
        return f"{self.where}: {self.found!r}, and {self.true!r} is true"


def errors(loss: Loss, truths: list[dict[str, Any]], mode: Mode | None) -> list[Error]:
    """Return the errors of what relgraph computes for a loss.

    Parameters
    ----------
    truths
        What is known of each point (`tests.losses.truth`).
    mode
        What computes; None for the default mode.
    """
    ranks = [np.ndim(v) for v in loss.points[0]]
    inputs = [at.tensor(loss.dtype, (None,) * rank) for rank in ranks]
    given = [np.array(v) for v in loss.given]
    cost = loss.formula(at, *given, *inputs)
    gradients = grad(cost, inputs[loss.fixed :])
    run = function(inputs, [cost, *gradients], mode=mode, on_unused_input="ignore")
    return errors_of(run, loss, truths, np.finfo(loss.dtype).smallest_subnormal)


def errors_of(
    run: Callable[..., Sequence[Any]], loss: Loss, truths: list[dict[str, Any]], least: float
) -> list[Error]:
    """Return the errors of values and gradients of a loss at all its points.

    Parameters
    ----------
    run
        Takes the inputs, and returns the value and the gradients.
    least
        The smallest number that `run` tells from zero.
    """
    eps = float(np.finfo(loss.dtype).eps)
    found: list[Error] = []
    for k, (point, truth) in enumerate(zip(loss.points, truths, strict=True)):
        value, *slopes = run(*[np.array(v, loss.dtype) for v in point])
        assert value.dtype == loss.dtype
        numbers = [float(value), *[float(g) for s in slopes for g in s.ravel()]]
        true = [truth["value"], *truth["gradient"]]
        conditions = [truth["condition"], *truth["conditions"]]
        for i, (x, t, c) in enumerate(zip(numbers, true, conditions, strict=True)):
            what = "value" if i == 0 else f"gradient {i - 1}"
            allowed = UNITS * (eps * max(abs(t), c) + float(least))
            found.append(Error(f"point {k}, {what}", x, t, allowed))
    return found
