"""Central differences of functions of arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def differences(
    function: Callable[..., Any], values: Sequence[Any], which: int, step: complex = 1e-6
) -> Any:
    """Return the slopes of a function of arrays by the elements of one, along a direction."""
    found = np.zeros_like(values[which])
    for index in np.ndindex(*found.shape):
        ends = []
        for sign in (1, -1):
            moved = [value.copy() for value in values]
            moved[which][index] += sign * step
            ends.append(function(*moved))
        found[index] = (ends[0] - ends[1]) / (2 * abs(step))
    return found
