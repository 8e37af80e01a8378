"""`Facts`: what mathematics says of a function, for real arguments."""

from __future__ import annotations

import math
from dataclasses import dataclass

INF = math.inf

Interval = tuple[float, float]
"""The least and the greatest of some numbers; an end that is infinite is none of them."""

EVERYWHERE: Interval = (-INF, INF)


@dataclass(frozen=True)
class Facts:
    """What is true of a function of one real number. What is not said is not known.

    What dtypes add, rounding, overflow and signed zeros, is not part of it.

    Attributes
    ----------
    even, odd
        Whether ``f(-x)`` is ``f(x)``; whether it is ``-f(x)``.
    periodic
        Whether there is a period; then there is no limit at the infinities.
    increasing, decreasing
        Where it is monotone, not always strictly.
    domain
        Where it is defined.
    range
        What its values lie in.
    zeros
        Where it is zero, if that is all.
    integral
        Whether its values are whole numbers, and whole numbers stay what they are.
    inverse
        The name of the function that it undoes: ``f(inverse(x))`` is `x`.
    has_log_and_m1
        Whether both ``log(f(x))`` and ``f(x) - 1`` have forms without `f` that keep all digits.
    """

    even: bool = False
    odd: bool = False
    periodic: bool = False
    increasing: Interval | None = None
    decreasing: Interval | None = None
    domain: Interval = EVERYWHERE
    range: Interval = EVERYWHERE
    zeros: tuple[float, ...] | None = None
    integral: bool = False
    inverse: str | None = None
    has_log_and_m1: bool = False
