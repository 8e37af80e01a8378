"""What JAX calls the parameters of its primitives, from the oldest version that this library works
with to the newest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def inputs_of_scan(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many inputs of a `scan` are the same at each step, and how many are its states.

    They are parameters, and since 0.12 the lengths of the parts of one.
    """
    if "num_consts" in parameters:
        return parameters["num_consts"], parameters["num_carry"]
    fixed, states, _ = parameters["ft_in"].unpack()
    return len(fixed), len(states)
